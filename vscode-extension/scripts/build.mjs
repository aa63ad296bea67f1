// Bundles the extension for Node and each view for the browser, and takes the schema of settings files along: `node scripts/build.mjs [--production] [--watch]`.
import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const production = process.argv.includes('--production');
const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'info',
};
const extension = {
  ...shared,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
};
const views = {
  ...shared,
  entryPoints: [
    'src/webview/entries/timeline.ts',
    'src/webview/entries/memory.ts',
    { in: 'src/webview/view.css', out: 'view' },
  ].map((one) => (typeof one === 'string' ? { in: one, out: one.replace(/^.*\/|\.ts$/g, '') } : one)),
  outdir: 'dist/webview',
  platform: 'browser',
  format: 'iife',
  target: 'chrome120',
};

// The schema of settings files, for editors of TOML.
mkdirSync('dist', { recursive: true });
copyFileSync('../docs/visa-lint.schema.json', 'dist/visa-lint.schema.json');

if (process.argv.includes('--watch')) {
  for (const options of [extension, views]) await (await esbuild.context(options)).watch();
} else {
  await Promise.all([esbuild.build(extension), esbuild.build(views)]);
}
