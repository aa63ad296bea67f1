// Makes the page that `visa-lint cost --format html` fills: `node scripts/page.mjs [--check]`.
//
// The page is committed with the program's sources, so that building the program needs no Node. Script and style are in it, and
// its policy lets a browser run just these two and load nothing. With `--check` nothing is written: it fails where the
// committed page is not what the sources of the views make.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = fileURLToPath(new URL('../../server/src/lint/cost/page.html', import.meta.url));
const MARK = '@COST@';

async function bundled(entry) {
  const built = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    legalComments: 'none',
    platform: 'browser',
    format: 'iife',
    target: ['chrome111', 'firefox121', 'safari16.4'],
    logLevel: 'warning',
  });
  const text = built.outputFiles[0].text.trim();
  // What would end the element, or stand where the program writes the costs.
  for (const word of ['</', '<!--', MARK]) {
    if (text.includes(word)) throw new Error(`${entry} has ${word} in it`);
  }
  if (/https?:\/\/(?!www\.w3\.org\/2000\/svg)/.test(text)) throw new Error(`${entry} names an address`);
  return text;
}

function hash(text) {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

export async function page() {
  const [script, style] = await Promise.all([
    bundled('src/webview/entries/page.ts'),
    bundled('src/webview/page.css'),
  ]);
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Cost of kernels</title>
<style>${style}</style>
</head>
<body>
<noscript>This page is drawn by the script that is in it.</noscript>
<script type="application/json" id="cost">${MARK}</script>
<script>${script}</script>
</body>
</html>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = await page();
  if (!process.argv.includes('--check')) {
    writeFileSync(target, made);
    console.log(`${target}: ${made.length} characters`);
  } else if (readFileSync(target, 'utf8') !== made) {
    console.error(
      'server/src/lint/cost/page.html is not what the views make; write it anew with `npm run page` in vscode-extension',
    );
    process.exitCode = 1;
  }
}
