// Makes the pages of the program: `node scripts/page.mjs [--check]`. That of `visa-lint cost --format html` is filled and loads nothing;
// those of `visa-lint view` talk to the program that serves them.
//
// The pages are committed with the program's sources, so that building the program needs no Node. Script and style are in them, and
// their policies let a browser run just these two. With `--check` nothing is written: it fails where a
// committed page is not what the sources of the views make.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where the program writes costs, and the word that lets in styles that a script makes. */
const MARKS = ['@COST@', '@NONCE@'];

/** What is in the pages from elsewhere, and its licence. */
const NOTICE =
  'With CodeMirror and Lezer, copyright Marijn Haverbeke and others, and marked, copyright Christopher Jeffrey and the MarkedJS ' +
  'authors: both under the MIT license';

const PAGES = [
  {
    target: 'cost/page.html',
    script: 'page',
    style: 'page',
    title: 'Cost of kernels',
    // The costs are data in the page, which no browser runs.
    data: `<script type="application/json" id="cost">${MARKS[0]}</script>\n`,
    policy: [],
  },
  {
    target: 'view/live.html',
    script: 'live',
    style: 'live',
    title: 'visa-lint view',
    policy: ["connect-src 'self'", 'img-src data:'],
  },
  {
    target: 'view/scratch.html',
    script: 'scratch',
    style: 'scratch',
    title: 'visa-lint scratch',
    policy: ["connect-src 'self'", 'img-src data:'],
    // The text editor makes styles as it goes.
    nonce: MARKS[1],
    notice: NOTICE,
  },
];

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
    loader: { '.rs': 'text' },
    logLevel: 'warning',
  });
  // The parser of Markdown has the beginning of a comment in its patterns: in strings and patterns this is the same.
  const text = built.outputFiles[0].text.trim().replaceAll('<!--', '\\x3C!--');
  // What would end the element, or stand where the program writes something.
  for (const word of ['</script', '</style', '<!--', ...MARKS]) {
    if (text.includes(word)) throw new Error(`${entry} has ${word} in it`);
  }
  return text;
}

function hash(text) {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

async function page({ script: entry, style: looks, title, data = '', policy, nonce, notice }) {
  const [script, style] = await Promise.all([
    bundled(`src/webview/entries/${entry}.ts`),
    bundled(`src/webview/${looks}.css`),
  ]);
  if (data !== '' && /https?:\/\/(?!www\.w3\.org\/2000\/svg)/.test(script))
    throw new Error(`${entry} names an address`);
  const whole = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    ...policy,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
${notice === undefined ? '' : `<!-- ${notice}. -->\n`}<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${whole}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${data === '' ? '<link rel="icon" href="data:,">\n' : ''}<style>${style}</style>
</head>
<body>
<noscript>This page is drawn by the script that is in it.</noscript>
${data}${nonce === undefined ? '' : `<meta name="nonce" content="${nonce}">\n`}<script>${script}</script>
</body>
</html>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const one of PAGES) {
    const target = fileURLToPath(new URL(`../../server/cli/src/${one.target}`, import.meta.url));
    const made = await page(one);
    if (!process.argv.includes('--check')) {
      writeFileSync(target, made);
      console.log(`${one.target}: ${made.length} characters`);
    } else if (!existsSync(target) || readFileSync(target, 'utf8') !== made) {
      console.error(
        `server/cli/src/${one.target} is not what the views make; write it again with \`npm run page\` in vscode-extension`,
      );
      process.exitCode = 1;
    }
  }
}
