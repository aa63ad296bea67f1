// Bundles the unit tests and runs them with Node's own runner.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const out = 'dist/tests';
rmSync(out, { recursive: true, force: true });
const files = readdirSync('tests/unit').filter((name) => name.endsWith('.test.ts'));
await esbuild.build({
  entryPoints: files.map((name) => join('tests/unit', name)),
  outdir: out,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
});
const built = files.map((name) => join(out, name.replace(/\.ts$/, '.cjs')));
const run = spawnSync(
  process.execPath,
  ['--enable-source-maps', '--test', '--test-reporter=spec', ...built],
  { stdio: 'inherit' },
);
process.exitCode = run.status ?? 1;
