// Every button and menu entry that the extension shows, pressed, and what must come of it.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { PATIENCE } from './editor.mjs';

/** Milliseconds after which nothing comes of a press. */
const ACTS = 60_000;

function demand(holds, words) {
  if (!holds) throw new Error(words);
}

/** The item in the status bar. */
function item(editor) {
  return editor.page.locator('#visa-lint\\.visa-lint\\.visa\\.status');
}

/** What it says to those who do not see it. */
export async function status(editor) {
  return (await item(editor).locator('[aria-label]').first().getAttribute('aria-label')) ?? '';
}

/** Chooses an entry of the menu at a place of the text. */
async function choose(editor, [line, column], words, before) {
  const { page } = editor;
  const entry = page.locator('.action-widget .action', { hasText: words }).first();
  await editor.again(`the entry ${words}`, async (timeout) => {
    await editor.place(line, column);
    await page.keyboard.press('Control+.');
    await entry.waitFor({ timeout });
    await before?.();
    await entry.click({ timeout });
  });
}

/** The page of a rule, from the server. */
export async function explained(editor, place, rule, picture) {
  await choose(editor, place, `Explain \`${rule}\``);
  const view = await editor.view('h1#' + rule + ', h1');
  await editor.until('the page of the rule', async () => {
    const words = await view.locator('body').innerText();
    return words.includes(rule) && words.includes('In the machine');
  });
  const words = await view.locator('body').innerText();
  // Which may draw it anew.
  await picture();
  // The preview is beside the text, and would take the place of the pictures that follow.
  await editor.command('View: Close All Editors in Group').catch(() => undefined);
  return `${words.length} letters`;
}

/** A rule in a new settings file; the finding goes, and comes back with the file's end. */
export async function allowed(editor, place, rule, count) {
  const file = join(editor.folder, 'visa-lint.toml');
  const before = await count();
  await choose(editor, place, `Allow \`${rule}\` in`);
  await editor.until('the settings file', () => Promise.resolve(existsSync(file)));
  await editor.until('a saved settings file', async () => {
    if (readFileSync(file, 'utf8').includes(rule)) return true;
    await editor.page.keyboard.press('Control+S');
    return false;
  });
  const text = readFileSync(file, 'utf8');
  demand(text === `[levels]\n${rule} = "allow"\n`, JSON.stringify(text));
  await editor.until('fewer findings', async () => (await count()) < before);
  rmSync(file);
  await editor.until('the finding again', async () => (await count()) === before);
  return `${before} findings, then fewer, then ${before}`;
}

/** The editor itself says that a file has nothing to be mended without looking. */
function nothingToFix(editor) {
  const words = editor.page.locator('.monaco-editor-overlaymessage, .monaco-editor .message');
  return words.filter({ hasText: 'No' }).first().waitFor({ timeout: PATIENCE });
}

/** The first entry of the menu at a finding about speed is the change that saves cycles. */
export async function saving(editor, place, picture) {
  const { page } = editor;
  const entries = page.locator('.action-widget .action');
  let words = [];
  await editor.again('a saving that is the first quick fix', async (timeout) => {
    await editor.place(...place);
    await page.keyboard.press('Control+.');
    await entries.first().waitFor({ timeout });
    words = await entries.allInnerTexts();
    // Until the search has found it, the menu is without it.
    demand(
      words.some((one) => /\(saves [\d,]+ cycles\)/.test(one)),
      `no saving among ${words.join(' / ')}`,
    );
  });
  await picture();
  await page.keyboard.press('Escape');
  demand(/\(saves [\d,]+ cycles\)/.test(words[0]), `first comes ${words[0]}`);
  return words[0].replaceAll('\u00a0', ' ');
}

/** The command mends what can be mended without looking. */
export async function fixedAll(editor, file, gone) {
  await editor.file(file);
  await editor.until(`${gone} in the text`, async () => (await editor.text()).includes(gone));
  await editor.page.locator('.squiggly-warning, .squiggly-error').first().waitFor({ timeout: PATIENCE });
  await editor.command('VISA: Fix All Safe Problems in This File');
  await editor.until('the text mended', async () => !(await editor.text()).includes(gone));
  return (await editor.text()).split('\n')[0];
}

/** Each entry of the menu behind the status item. */
export async function menu(editor, file) {
  const { page } = editor;
  const widget = page.locator('.quick-input-widget');
  const outcomes = {
    'Fix All Safe Problems': () => nothingToFix(editor),
    'Show Timeline': () => editor.view('.stage[aria-label^="Timeline"]'),
    'Show Memory Map': () => editor.view('.stage[aria-label^="Memory"]'),
    'Restart Language Server': () =>
      editor.until('ready again', async () => /visa-lsp \d/.test(await status(editor))),
    'Show Log': () =>
      page.locator('.panel .view-line', { hasText: 'version' }).first().waitFor({ timeout: PATIENCE }),
    'Show Walkthrough': () => page.locator('.gettingStartedContainer').first().waitFor({ timeout: PATIENCE }),
    'Open Settings': () => page.locator('.settings-editor').first().waitFor({ timeout: PATIENCE }),
  };
  await item(editor).click();
  await widget.locator('.monaco-list-row').first().waitFor({ timeout: PATIENCE });
  const shown = await widget.locator('.monaco-list-row').count();
  demand(shown === Object.keys(outcomes).length, `${shown} entries`);
  await page.keyboard.press('Escape');
  for (const [words, seen] of Object.entries(outcomes)) {
    // The item is there where a kernel has the focus, and not the log.
    await editor.file(file);
    await editor.again(words, async (timeout) => {
      await item(editor).click({ timeout });
      await widget.locator('.monaco-list-row', { hasText: words }).first().click({ timeout });
      await widget.waitFor({ state: 'hidden', timeout });
    });
    await seen();
  }
  return `${shown} entries`;
}

/** Each button above the two views. */
export async function titles(editor, file) {
  const { page } = editor;
  await editor.command('VISA: Show Timeline');
  const bar = page.locator('.panel .pane-header', { hasText: 'Timeline' }).first();
  const pressed = [];
  for (const name of ['Show Log', 'Restart Language Server']) {
    await editor.again(name, async (timeout) => {
      await bar.hover({ timeout });
      await bar.locator('.codicon-toolbar-more').first().click({ timeout });
      await page.locator('.monaco-menu .action-label', { hasText: name }).first().click({ timeout });
    });
    pressed.push(name);
    if (name === 'Show Log') {
      await page.locator('.panel .view-line', { hasText: 'version' }).first().waitFor({ timeout: PATIENCE });
      await editor.file(file);
      await editor.command('VISA: Show Timeline');
    } else {
      await editor.file(file);
      await editor.until('ready again', async () => /visa-lsp \d/.test(await status(editor)));
    }
  }
  return pressed.join(', ');
}

/** The walkthrough: its steps, and each button in them. */
export async function walkthrough(editor, file, picture) {
  const { page } = editor;
  const steps = page.locator('.gettingStartedContainer .getting-started-step');
  const outcomes = [
    ['See what', 'Open an Example Kernel', () => exampleOpens(editor)],
    ['Follow the', 'Show Timeline', () => editor.view('.stage[aria-label^="Timeline"]')],
    ['Follow the', 'Show Memory Map', () => editor.view('.stage[aria-label^="Memory"]')],
    [
      'Agree on',
      'Open Settings',
      () => page.locator('.settings-editor').first().waitFor({ timeout: PATIENCE }),
    ],
  ];
  for (const [step, words, seen] of outcomes) {
    // The views show the kernel at the cursor.
    await editor.file(file);
    await editor.command('VISA: Show Walkthrough');
    await editor.until('four steps', async () => (await steps.count()) === 4);
    // The step that it is in is a button with the same words.
    const button = page.locator('.gettingStartedContainer .monaco-button', { hasText: words }).last();
    await editor.again(words, async (timeout) => {
      if (!(await button.isVisible())) await steps.filter({ hasText: step }).first().click({ timeout });
      await button.waitFor({ timeout });
    });
    if (step === outcomes[0][0]) await picture();
    await button.click();
    await seen();
  }
  return `${outcomes.length} buttons`;
}

async function exampleOpens(editor) {
  await editor.until('the example', async () => (await editor.text()).includes('fn example('));
  // The example has one fault, with a fix.
  await editor.page.locator('.squiggly-error').first().waitFor({ timeout: PATIENCE });
}

/** All that a press in a view can change: the view, and where the cursor is. */
async function seen(editor, view) {
  return `${await editor.line()} ${await view.locator('body').evaluate((body) => body.outerHTML)}`;
}

/** Each button in the two views, at a line of a kernel. */
export async function inViews(editor, file, line) {
  const pressed = [];
  for (const name of ['Timeline', 'Memory Map']) {
    await editor.file(file);
    await editor.place(line, 10);
    await editor.command(`VISA: Show ${name}`);
    const view = await editor.view(`.stage[aria-label^="${name.split(' ')[0]}"]`);
    const all = view.locator('button:visible');
    const names = () =>
      all.evaluateAll((found) => found.map((one) => one.getAttribute('aria-label') ?? one.textContent));
    const idle = [];
    for (const label of await names()) {
      // Gone with what it stood beside.
      const at = (await names()).indexOf(label);
      if (at < 0) continue;
      const before = await seen(editor, view);
      await all.nth(at).click();
      // All is in sight already: what shows all changes nothing.
      if (/^(All cycles|Zoom out)/.test(label)) continue;
      const acts = await editor
        .until(label, async () => (await seen(editor, view)) !== before, ACTS)
        .catch(() => false);
      if (!acts) idle.push(label);
      pressed.push(label);
    }
    demand(idle.length === 0, `${name}: nothing comes of ${idle.join(', ')}`);
  }
  demand(pressed.length > 0, 'no button is shown');
  return pressed.join(', ');
}

/** The button of the best proposal makes its change, which one step takes back. */
export async function applied(editor, file, line) {
  const { page } = editor;
  await editor.file(file);
  await editor.place(line, 10);
  const before = await editor.text();
  await editor.command('VISA: Show Timeline');
  const view = await editor.view('.advice .apply');
  const button = view.locator('.advice .apply').first();
  const words = await button.getAttribute('aria-label');
  await button.click();
  await editor.until('another text', async () => (await editor.text()) !== before);
  await editor.file(file);
  await editor.place(line, 10);
  await editor.until('the text as it was', async () => {
    if ((await editor.text()) === before) return true;
    await page.keyboard.press('Control+Z');
    return false;
  });
  return words;
}

/** Runs a task that no file of the folder names. */
async function runTask(editor, name) {
  const { page } = editor;
  const widget = page.locator('.quick-input-widget');
  const rows = widget.locator('.monaco-list-row');
  await editor.again(`the task ${name}`, async (timeout) => {
    // The palette does not close: the list of tasks takes its place.
    await page.keyboard.press('F1');
    const input = widget.locator('input').first();
    await input.fill('>Tasks: Run Task', { timeout });
    // Not the first row: other commands are like it.
    await rows
      .filter({ hasText: /^\s*Tasks: Run Task/ })
      .first()
      .click({ timeout });
    const task = rows.filter({ hasText: name }).first();
    const kind = rows.filter({ hasText: /^\s*visa-lint/ }).first();
    await task.or(kind).first().waitFor({ timeout });
    // Tasks that were never run are behind their kind.
    if (!(await task.isVisible())) await kind.click({ timeout });
    await task.click({ timeout });
    await widget.waitFor({ state: 'hidden', timeout });
  });
}

/** What a task prints. */
export async function task(editor, name, words) {
  await runTask(editor, name);
  // Found and read in one go: what a task prints next may push the words out of sight.
  const found = await editor.page.waitForFunction(
    (source) => {
      const terminals = [...document.querySelectorAll('.terminal-wrapper .xterm-rows')];
      const texts = terminals.map((rows) => rows.textContent.replaceAll('\u00a0', ' '));
      return texts.map((text) => new RegExp(source).exec(text)?.[0]).find(Boolean);
    },
    words.source,
    { timeout: PATIENCE },
  );
  return found.jsonValue();
}

/** Runs a task and finds a rule of a file among the problems, once. The server shows it until a setting is changed. */
export async function problems(editor, name, file, rule, change) {
  const { page } = editor;
  const rows = page.locator('.markers-panel .monaco-list-row');
  const ofFile = rows.filter({ hasText: file });
  const show = () => editor.command('Problems: Focus on Problems View');
  await show();
  await page.locator('.markers-panel').first().waitFor({ timeout: PATIENCE });
  // Those of the server go with its setting, which is in effect then: the task asks for it as well.
  await editor.until('the problem of the server', async () => (await ofFile.count()) > 0);
  change();
  await editor.until('no problem of the file', async () => (await ofFile.count()) === 0);
  await runTask(editor, name);
  // The terminal comes to the front when the task ends.
  await editor.again(`${rule} among the problems`, async (timeout) => {
    await show();
    await ofFile.first().waitFor({ timeout });
    await rows.filter({ hasText: rule }).first().waitFor({ timeout });
  });
  const found = await rows.filter({ hasText: rule }).allInnerTexts();
  demand(found.length === 1, `${rule} is shown ${found.length} times`);
  return found[0].replace(/\s+/g, ' ').slice(0, 80);
}

/** Words beside each row of the list of completions. */
export async function rows(editor, [line, column], picture) {
  const { page } = editor;
  const widget = page.locator('.suggest-widget.visible');
  const rows = widget.locator('.monaco-list-row');
  let words = [];
  await editor.again('the list', async (timeout) => {
    await editor.place(line, column);
    await page.keyboard.press('Control+Space');
    await rows.nth(2).waitFor({ timeout });
    words = await rows.allInnerTexts();
  });
  await picture();
  await page.keyboard.press('Escape');
  const bare = words.filter((row) => !/\d|\(/.test(row.split('\n').slice(1).join(' ')));
  demand(words.length > 2 && bare.length === 0, `rows without words: ${bare.join(' / ')}`);
  return `${words.length} rows, such as ${JSON.stringify(words[0].replace(/\s+/g, ' '))}`;
}
