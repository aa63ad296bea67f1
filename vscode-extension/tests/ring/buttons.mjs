// Every button and menu entry that the extension shows, pressed, and what must come of it.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { PATIENCE } from './editor.mjs';

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
  await picture();
  const words = await view.locator('body').innerText();
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

/** Each entry of the menu behind the status item. */
export async function menu(editor, file) {
  const { page } = editor;
  const widget = page.locator('.quick-input-widget');
  const outcomes = {
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

/** The walkthrough: its steps, and the example that it opens. */
export async function walkthrough(editor, picture) {
  const { page } = editor;
  await editor.command('VISA: Show Walkthrough');
  const steps = page.locator('.gettingStartedContainer .getting-started-step');
  await editor.until('four steps', async () => (await steps.count()) === 4);
  await page.waitForTimeout(1500);
  await picture();
  // The step that it is in is a button with the same words.
  const open = page.locator('.gettingStartedContainer .monaco-button', { hasText: 'Open an Example Kernel' });
  await open.last().click();
  await editor.until('the example', async () => (await editor.text()).includes('fn example('));
  // The example has one fault, with a fix.
  await page.locator('.squiggly-error').first().waitFor({ timeout: PATIENCE });
  return '4 steps';
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
