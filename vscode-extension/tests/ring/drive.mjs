// Uses the packed extension in a real VS Code:
// `node drive.mjs CHROMIUM NODE CODE_SERVER HOME VSIX FIXTURES PICTURES VISA_LSP NEIGHBOUR ANALYZER`.
//
// Each step is something that a reader does, and what they then must see. The pictures are to be looked at.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { chromium } from 'playwright-core';

import { CodeServer, Editor, PATIENCE } from './editor.mjs';
import { analyzed, beside, NEIGHBOURLY } from './beside.mjs';
import * as buttons from './buttons.mjs';

const [executablePath, node, program, home, vsix, fixtures, pictures, lsp, neighbour, analyzer] =
  process.argv.slice(2);
let failures = 0;
/** Failures after which the rest is left out. */
const MOST = 4;
/** Steps that are taken, for those who work on one. */
const ONLY = new RegExp(process.env.VISA_RING_ONLY ?? '');
const started = Date.now();

function seconds() {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`;
}

async function step(words, act) {
  // What follows would wait in vain.
  if (failures >= MOST || !ONLY.test(words)) return;
  try {
    const more = await act();
    console.log(`  ok (${seconds()}): ${words}${more === undefined ? '' : `: ${more}`}`);
  } catch (error) {
    failures += 1;
    console.error(
      `  FAILED (${seconds()}): ${words}\n    ${String(error.message ?? error)
        .split('\n')
        .slice(0, 6)
        .join('\n    ')}`,
    );
    await page.screenshot({ path: join(pictures, `failed-${failures}.png`) }).catch(() => undefined);
  }
}

/** What the fix writes: one such line is right already. */
const MENDED = '.collect::<m![R / 16], m![R % 16]>()';

/** The rule of the finding in that line. */
const RULE = 'collect_packet_size';

/** A file in which a comment allows what is not found. */
const ALLOWED = '// visa-lint: allow(axis_size_zero)';
const UNUSED = `use furiosa_visa_std::prelude::*;\n\naxes![A = 8]; ${ALLOWED}\n`;

/** A place of a mapping in that file, behind an axis. */
const ROWS_AT = [14, 22];

async function mended() {
  return (await editor.text()).split(MENDED).length - 1;
}

function demand(holds, words) {
  if (!holds) throw new Error(words);
}

rmSync(home, { recursive: true, force: true });
mkdirSync(pictures, { recursive: true });
const folder = join(home, 'kernels');
mkdirSync(folder, { recursive: true });
/** A kernel without the marks that say what the tests expect. */
const kernelOf = (name) => readFileSync(join(fixtures, name), 'utf8').replace(/ *\/\/~.*$/gm, '');
for (const name of ['right/double_buffer.rs', 'right/loops.rs', 'book/gemv.rs']) {
  writeFileSync(join(folder, basename(name)), kernelOf(`kernels/${name}`));
}
// One with a fault that is mended without looking.
writeFileSync(join(folder, 'unused.rs'), UNUSED);
// One with a whole change that saves cycles.
writeFileSync(join(folder, 'slow.rs'), kernelOf('violations/slow_transfer/wrong.rs'));

const plain = join(home, 'plain');
mkdirSync(plain, { recursive: true });
writeFileSync(join(plain, 'plain.rs'), 'fn main() {\n    println!("no kernel");\n}\n');

/** The server behind a script that writes down each start of it. */
const watched = join(home, 'watched-visa-lsp');
const starts = join(home, 'starts');
writeFileSync(watched, `#!/bin/sh\n[ $# -eq 0 ] && echo $$ >>'${starts}'\nexec '${lsp}' "$@"\n`, {
  mode: 0o755,
});

/** A server that ends twice before it has answered anything, then the real one. */
const hasty = join(home, 'hasty-visa-lsp');
const tries = join(home, 'tries');
writeFileSync(
  hasty,
  `#!/bin/sh\n[ $# -gt 0 ] || echo >>'${tries}'\n[ $# -gt 0 ] || [ $(wc -l <'${tries}') -gt 2 ] || exit 1\nexec '${lsp}' "$@"\n`,
  { mode: 0o755 },
);

function pids() {
  return existsSync(starts) ? readFileSync(starts, 'utf8').trim().split('\n').map(Number) : [];
}

const server = new CodeServer({ node, program, home });
server.settings({});
const browser = await chromium.launch({
  executablePath,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
const editor = new Editor(page, server, folder);
const picture = (name) => page.screenshot({ path: join(pictures, `${name}.png`) });
/** The names of the themes, and what the window is then. */
const THEMES = {
  dark: ['Default Dark Modern', '.monaco-workbench.vs-dark', 'vscode-dark'],
  light: ['Default Light Modern', '.monaco-workbench.vs:not(.vs-dark)', 'vscode-light'],
};
const SIZES = [
  { width: 900, height: 700 },
  { width: 1440, height: 900 },
];
/** The window as it is, in both themes and at two widths. */
const everywhere = async (name) => {
  for (const [theme, [title, shown, kind]] of Object.entries(THEMES).reverse()) {
    server.settings({ 'workbench.colorTheme': title });
    await page.locator(shown).waitFor({ timeout: PATIENCE });
    await editor.themed(kind);
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await editor.until(
        `a window ${size.width} wide`,
        async () => (await page.locator('.monaco-workbench').boundingBox())?.width === size.width,
      );
      await editor.rests();
      await picture(`${name}-${theme}-${size.width}`);
    }
  }
};

try {
  await step('the package installs', () => {
    const words = server.install(vsix);
    demand(/successfully installed/.test(words), words);
  });
  await server.start();
  await step('the editor opens a folder', () => editor.open());

  await step('the status item says that the server is ready', async () => {
    await editor.watch('gemv.rs');
    await editor.file('gemv.rs');
    const item = page.locator('#visa-lint\\.visa-lint\\.visa\\.status');
    await item.waitFor({ timeout: PATIENCE });
    await editor.until('visa-lsp 0', async () => {
      const words = (await item.locator('[aria-label]').first().getAttribute('aria-label')) ?? '';
      return /visa-lsp \d/.test(words);
    });
    return item.locator('[aria-label]').first().getAttribute('aria-label');
  });

  // From the search for the server to its first answer, as the extension's log says it: for people to read, and no limit.
  await step('the log says how long that took', async () => {
    const logs = join(home, 'data', 'logs');
    const said = () => {
      const files = readdirSync(logs, { recursive: true }).filter((name) => name.endsWith('VISA.log'));
      const texts = files.map((name) => readFileSync(join(logs, name), 'utf8'));
      return /ready after \d+ ms/.exec(texts.join(''))?.[0];
    };
    await editor.until('a line of the log', () => Promise.resolve(said() !== undefined));
    return said();
  });

  await step('the server is the one in the package, without a setting', () => {
    const running = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const programs = running.flatMap((name) => {
      try {
        return [readlinkSync(`/proc/${name}/exe`)];
      } catch {
        // Ended meanwhile.
        return [];
      }
    });
    const own = programs.filter((path) => path.startsWith(home) && path.endsWith('/server/visa-lsp'));
    demand(own.length === 1, `${own.length} servers of the package run`);
    return own[0].slice(home.length);
  });

  await step('a finding is underlined', async () => {
    await page.locator('.squiggly-error').first().waitFor({ timeout: PATIENCE });
    const counts = `${await page.locator('.squiggly-error').count()} errors, ${await page.locator('.squiggly-warning').count()} warnings in sight`;
    // The first file of this window: the extension was neither active nor its server started. The limit is what the editor itself needed from
    // the page's start to this text, so that it is wide and the same on a busy machine.
    const { text, underline } = await editor.watched();
    const words = `${Math.round(underline - text)} ms after the text of the first kernel, which the editor showed after ${Math.round(text)} ms`;
    demand(underline - text < text, words);
    return `${counts}, ${words}`;
  });

  await step('the pointer shows what a mapping is', async () => {
    const token = page.locator('.view-line span', { hasText: /^Packet$/ }).first();
    const hover = page.locator('.monaco-hover:visible', { hasText: 'positions' }).first();
    await editor.again('a hover', async (timeout) => {
      await page.mouse.move(0, 0);
      await token.hover({ timeout });
      await hover.waitFor({ timeout });
    });
    const words = (await hover.innerText()).replace(/\s+/g, ' ');
    demand(words.includes('32 positions'), words);
    await picture('hover-dark');
    await page.keyboard.press('Escape');
    return JSON.stringify(words.slice(0, 90));
  });

  await step('a size stands behind an alias', async () => {
    let found;
    await editor.until('an inlay hint', async () => {
      found = /type Slice = .*= ?[\d,]+/.exec(await editor.text())?.[0];
      return found !== undefined;
    });
    return found;
  });

  await step('a line above the kernel tells its cycles', async () => {
    const lens = page.locator('.codelens-decoration a').first();
    await lens.waitFor({ timeout: PATIENCE });
    return lens.innerText();
  });

  const errors = () => page.locator('.squiggly-error').count();
  await step('a rule is explained by a page from the server', () =>
    buttons.explained(editor, [14, 16], RULE, () => everywhere('explain')),
  );

  await step('a rule is allowed in the settings file', async () => {
    await editor.file('gemv.rs');
    return buttons.allowed(editor, [14, 16], RULE, errors);
  });

  await step('every row of the completions has its words', () =>
    buttons.rows(editor, ROWS_AT, () => picture('completion')),
  );

  await step('a quick fix mends the text', async () => {
    await editor.file('gemv.rs');
    const before = await page.locator('.squiggly-error').count();
    demand((await mended()) === 1, 'the text is right already');
    const fix = page.locator('.action-widget .action', { hasText: 'Write' }).first();
    await editor.again('a quick fix', async (timeout) => {
      await editor.place(14, 16);
      await page.keyboard.press('Control+.');
      await fix.waitFor({ timeout });
    });
    await picture('finding');
    await fix.click();
    await editor.until('the text mended', async () => (await mended()) === 2);
    await editor.until('fewer errors', async () => (await page.locator('.squiggly-error').count()) < before);
    return `${before} errors before, ${await page.locator('.squiggly-error').count()} after`;
  });

  await step('the line above the kernel opens its timeline', async () => {
    await editor.file('double_buffer.rs');
    // In a kernel that is not understood it leads to the place that is to be mended.
    await page.locator('.codelens-decoration a', { hasText: 'main' }).first().click();
    await editor.view('.stage[aria-label^="Timeline"]');
  });

  await step('the status item tells the cycles of the kernel at the cursor', async () => {
    await editor.file('double_buffer.rs');
    await editor.place(36, 10);
    await editor.until('cycles', async () => /two_layers [\d,]+ cycles/.test(await buttons.status(editor)));
    return (await buttons.status(editor)).split('\n')[0];
  });

  await step('the timeline draws every operation', async () => {
    await editor.file('double_buffer.rs');
    await editor.place(36, 10);
    await editor.command('VISA: Show Timeline');
    const view = await editor.view('.operation');
    await editor.until('9 operations', async () => (await view.locator('.operation').count()) === 9);
    const here = view.locator('.operation.here[aria-label^="commit low"]');
    await editor.until('the commit at the cursor', async () => (await here.count()) === 1);
    return `9 operations, ${await view.locator('.total').innerText()}, at the cursor ${(await here.getAttribute('aria-label'))?.split(',')[0]}`;
  });

  await step('the memory map draws every tensor of the slices', async () => {
    const view = await editor.view('.tensor');
    await editor.until('7 tensors', async () => (await view.locator('.tensor').count()) === 7);
    await everywhere('views');
    return '7 tensors';
  });

  await step('a click on an operation goes to its line', async () => {
    const view = await editor.view('.operation');
    await view.locator('.operation[aria-label^="to_dm second"]').click();
    await editor.until('line 20', async () => (await editor.line()) === 20);
    await editor.until('the view follows', async () => {
      const here = await view.locator('.operation.here').getAttribute('aria-label');
      return here?.startsWith('to_dm second');
    });
  });

  await step('the keyboard goes from operation to operation', async () => {
    const view = await editor.view('.operation');
    await view.locator('.stage').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await editor.until('line 54', async () => (await editor.line()) === 54);
  });

  await step('a click on a tensor goes to its line', async () => {
    const view = await editor.view('.tensor');
    await view.locator('.tensor[aria-label^="first, TRF"]').click();
    await editor.until('line 21', async () => (await editor.line()) === 21);
  });

  await step('the picture outlives broken text and says so', async () => {
    const view = await editor.view('.operation');
    await editor.place(35, 15);
    await page.keyboard.type('xyz');
    await editor.until('a banner', async () => view.locator('.banner').isVisible());
    demand((await view.locator('.operation').count()) === 9, 'the picture is gone');
    await picture('stale');
    const words = await view.locator('.banner').innerText();
    for (let at = 0; at < 3; at += 1) await page.keyboard.press('Backspace');
    await editor.until('no banner', async () => !(await view.locator('.banner').isVisible()));
    return JSON.stringify(words.replace(/\s+/g, ' ').slice(0, 120));
  });

  await step('the view follows to another kernel and file', async () => {
    await editor.file('loops.rs');
    await editor.place(1);
    const view = await editor.view('.stage[aria-label^="Timeline"]');
    await view.locator('.kernels .link', { hasText: 'alternate_halves' }).click();
    await editor.until('9 operations', async () => (await view.locator('.operation').count()) === 9);
    await view.locator('select').selectOption({ label: 'ping_pong' });
    await editor.until('24 operations', async () => (await view.locator('.operation').count()) === 24);
    await picture('loop-dark');
    return view.locator('.total').innerText();
  });

  await step('high contrast', async () => {
    await editor.file('double_buffer.rs');
    await editor.place(36, 10);
    server.settings({ 'workbench.colorTheme': 'Default High Contrast' });
    await page.locator('.monaco-workbench.hc-black').waitFor({ timeout: PATIENCE });
    await editor.themed('vscode-high-contrast');
    await editor.rests();
    await picture('views-contrast');
    server.settings({ 'workbench.colorTheme': 'Default Dark Modern' });
  });

  await step('a wrong path is said once, with what to do', async () => {
    server.settings({ 'visa.server.path': '/nowhere/visa-lsp' });
    const toast = page.locator('.notification-toast', { hasText: 'there is no such file' });
    await toast.first().waitFor({ timeout: PATIENCE });
    for (const button of ['Open Settings', 'How to Install', 'Show Log']) {
      await toast.getByRole('button', { name: button }).waitFor({ timeout: PATIENCE });
    }
    // Time in which a second message would come: that none comes has no other sign.
    await page.waitForTimeout(3000);
    // Those of others are no concern of ours.
    const ours = page.locator('.notification-toast', { hasText: /visa/i });
    const messages = await ours.allInnerTexts();
    demand(messages.length === 1, `${messages.length} messages: ${messages.join(' / ')}`);
    await picture('no-server');
    await toast.getByRole('button', { name: 'How to Install' }).click();
    const help = await editor.view('h1#installing-the-language-server, h1');
    await editor.until('the help', async () =>
      (await help.locator('body').innerText()).includes('pip install visa-lint'),
    );
    await everywhere('how-to-install');
    for (const [button, seen] of [
      ['Show Log', '.panel .view-line'],
      ['Open Settings', '.settings-editor'],
    ]) {
      server.settings({ 'visa.server.path': `/nowhere/${button.length}/visa-lsp` });
      await toast.getByRole('button', { name: button }).first().click({ timeout: PATIENCE });
      await page.locator(seen).first().waitFor({ timeout: PATIENCE });
    }
    await editor.file('double_buffer.rs');
    server.settings({ 'visa.server.path': lsp });
    const item = page.locator('#visa-lint\\.visa-lint\\.visa\\.status [aria-label]').first();
    await editor.until('ready again', async () =>
      /visa-lsp \d/.test((await item.getAttribute('aria-label')) ?? ''),
    );
  });

  await step('every entry of the menu behind the status item', () =>
    buttons.menu(editor, 'double_buffer.rs'),
  );
  await step('every button above the views', () => buttons.titles(editor, 'double_buffer.rs'));
  await step('the walkthrough and its example', () =>
    buttons.walkthrough(editor, 'double_buffer.rs', () => everywhere('walkthrough')),
  );
  await step('every button in the views', () => buttons.inViews(editor, 'double_buffer.rs', 36));
  await step('the button of a proposal changes the text', () => buttons.applied(editor, 'slow.rs', 26));
  await step('a saving is the first quick fix at its finding', async () => {
    await editor.file('slow.rs');
    let words;
    // The menu closes where the window changes.
    for (const theme of ['light', 'dark']) {
      await editor.again(`the theme ${theme}`, async (timeout) => {
        server.settings({ 'workbench.colorTheme': THEMES[theme][0] });
        await page.locator(THEMES[theme][1]).waitFor({ timeout });
      });
      words = await buttons.saving(editor, [26, 8], () => picture(`saving-${theme}`));
    }
    return words;
  });
  await step('a command mends all that is safe in a file', () =>
    buttons.fixedAll(editor, 'unused.rs', ALLOWED),
  );

  // A kernel with a fault, never opened.
  writeFileSync(join(folder, 'gate.rs'), kernelOf('kernels/faulty/gate.rs'));
  // First: VS Code runs a task as it remembers it, with the problem matcher of the run before.
  await step('a task reports closed files where the server does not', async () => {
    const onlyOpen = () => server.settings({ 'visa.diagnostics.scope': 'openFiles' });
    const words = await buttons.problems(editor, 'visa-lint: check', 'gate.rs', 'alu_reuse', onlyOpen);
    server.settings({ 'visa.diagnostics.scope': 'workspace' });
    return words;
  });
  await step('a task checks the folder without a tasks.json', async () => {
    await editor.file('gemv.rs');
    const words = await buttons.task(
      editor,
      'visa-lint: check',
      /loops\.rs:\d+:\d+: warning\[dma_many_small\]/,
    );
    await picture('task');
    return words;
  });

  await step('a task runs the program of the package where no other is named', async () => {
    server.settings({ 'visa.server.path': null });
    await editor.file('gemv.rs');
    await editor.until('the server of the package', async () =>
      (await buttons.status(editor)).includes('from the extension'),
    );
    return buttons.task(editor, 'visa-lint: check', /\/server\/visa-lsp check --format short \./);
  });

  const status = page.locator('#visa-lint\\.visa-lint\\.visa\\.status [aria-label]').first();
  const says = async (words) => words.test((await status.getAttribute('aria-label')) ?? '');
  await step('a server that ends before it answers is started again', async () => {
    server.settings({ 'visa.server.path': hasty });
    const lines = () => (existsSync(tries) ? readFileSync(tries, 'utf8').length : 0);
    await editor.until('the third start', () => Promise.resolve(lines() === 3));
    await editor.until('ready', () => says(/visa-lsp \d/));
  });

  /** Watched servers that were ended here, or were there before. */
  const gone = new Set();
  const fresh = () => pids().some((pid) => !gone.has(pid));
  const endThem = () => {
    for (const pid of pids().filter((pid) => !gone.has(pid))) {
      gone.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The extension was faster.
      }
    }
  };
  await step('a server that is ended while it starts is started again', async () => {
    server.settings({ 'visa.server.path': watched });
    await editor.until('the watched server', fresh);
    // At its first instruction, in the middle of the first request and behind it: when it is ended is what is tried here, and nothing is
    // waited for. On a slow machine all are ends before the first answer.
    for (const delay of [0, 10, 30, 60, 100, 200]) {
      for (const pid of pids()) gone.add(pid);
      await editor.command('VISA: Restart Language Server');
      for (const start of [1, 2]) {
        await editor.until(`start ${start}, ended after ${delay} ms`, fresh);
        await page.waitForTimeout(delay);
        endThem();
      }
      await editor.until(`ready after ${delay} ms`, async () => fresh() && (await says(/visa-lsp \d/)));
    }
  });

  await step('a server that ends is started again, but not for ever', async () => {
    await editor.command('VISA: Restart Language Server');
    await editor.until('ready', async () => fresh() && (await says(/visa-lsp \d/)));
    let ends = 0;
    const over = () => says(/ended several times/);
    while (!(await over())) {
      // The last words may still be shown when the next server starts: it is ended all the same.
      await editor.until(`server ${ends + 1}`, async () => fresh() || (await over()));
      if (fresh()) ends += 1;
      demand(ends <= 8, 'the server is started again for ever');
      endThem();
    }
    demand(ends >= 4, `given up after ${ends} ends`);
    const message = page.locator('.notification-toast', { hasText: 'ended several times' });
    await message.first().waitFor({ timeout: PATIENCE });
    // Time in which another start would come: that none comes has no other sign.
    await page.waitForTimeout(2000);
    demand(!fresh(), 'a server was started afterwards');
    const messages = await message.count();
    demand(messages === 1, `${messages} messages`);
    await message.getByRole('button', { name: 'Restart' }).click({ timeout: PATIENCE });
    await editor.until('ready again', async () => fresh() && (await says(/visa-lsp \d/)));
  });

  await step('the log says which server runs', async () => {
    const output = page.locator('.panel .view-line', { hasText: 'version' }).first();
    await editor.again('the log', async (timeout) => {
      await editor.command('VISA: Show Log');
      await output.waitFor({ timeout });
    });
    return (await output.innerText()).replaceAll('\u00a0', ' ').slice(0, 120);
  });

  await step('in a folder without kernels the status item says so, until there is one', async () => {
    const other = new Editor(page, server, plain);
    await other.open();
    await other.file('plain.rs');
    const none = async () => /No kernels in this workspace/.test(await buttons.status(other));
    await other.until('a folder without kernels', none);
    await picture('no-kernels');
    writeFileSync(join(plain, 'first.rs'), kernelOf('kernels/right/loops.rs'));
    await other.until('a kernel', async () => !(await none()));
    await editor.open();
  });

  writeFileSync(join(folder, 'neighbours.rs'), NEIGHBOURLY);
  await step('another extension for Rust installs', () => {
    const words = server.install(neighbour);
    demand(/successfully installed/.test(words), words);
  });
  for (const order of ['first', 'last']) {
    await step(`beside another extension for Rust that starts ${order}`, async () => {
      server.settings({ 'neighbour.last': order === 'last' });
      return beside(editor, () => picture(`beside-${order}`));
    });
  }

  // By `tests/beside/run`, which builds it and prepares a crate of kernels.
  const { VISA_RING_ANALYZER: itself, VISA_RING_PROJECT: project } = process.env;
  if (itself && project) {
    await step('rust-analyzer itself installs', () => {
      const words = server.install(analyzer);
      demand(/successfully installed/.test(words), words);
    });
    await step('beside rust-analyzer itself', () =>
      analyzed(new Editor(page, server, project), () => picture('beside-itself')),
    );
  }
} finally {
  await browser.close();
  server.stop();
}
console.log(failures === 0 ? `the extension holds (${seconds()})` : `${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
