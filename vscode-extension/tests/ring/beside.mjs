// Beside another extension for Rust: its colours stay, hovers stack, nothing is completed twice, a rename asks once.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A kernel with a string, whose colour the other extension gives to `ctx`. */
export const NEIGHBOURLY = `use furiosa_visa_std::prelude::*;

axes![R = 64];

const WORDS: &str = "words";

#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![R]>) {
    let packet = ctx.main.begin(x.view());
    let y = packet.fetch::<i8, m![R / 32], m![R % 32]>();
}
`;

/** The colour in which some text of the editor is shown. */
function colour(page, text) {
  return page.evaluate((wanted) => {
    const spans = [...document.querySelectorAll('.monaco-editor .view-line span span')];
    const found = spans.find((span) => span.textContent.replaceAll('\u00a0', ' ').trim() === wanted);
    return found && getComputedStyle(found).color;
  }, text);
}

/** Renames an axis, for whose new name one box asks, until the text says so, and takes it back. */
async function renamed(editor, [line, column], name, done) {
  const { page } = editor;
  const box = page.locator('.rename-box:visible');
  await editor.again('the axis renamed', async (timeout) => {
    await editor.place(line, column);
    await page.keyboard.press('F2');
    // The box is shown before it has the focus: the name is put into it, not typed to wherever the focus is.
    await box.locator('input').first().fill(name, { timeout });
    if ((await box.count()) !== 1) throw new Error(`${await box.count()} boxes ask for a name`);
    await box.locator('input').first().press('Enter', { timeout });
    await editor.until('every place renamed', async () => done(await editor.text()), timeout);
  });
  if (await box.isVisible()) throw new Error('a second box asks for the name');
  await editor.until('the name as it was', async () => {
    if (!(await editor.text()).includes(name)) return true;
    await page.keyboard.press('Control+Z');
    return false;
  });
}

/** The names that are proposed at a place, once a certain one is among them. */
async function completed(editor, [line, column], certain) {
  const { page } = editor;
  const rows = page.locator('.suggest-widget.visible .monaco-list-row');
  let names = [];
  await editor.again('the methods', async (timeout) => {
    await editor.place(line, column);
    await page.keyboard.press('Control+Space');
    await rows.filter({ hasText: certain }).first().waitFor({ timeout });
    names = await rows.locator('.label-name').allInnerTexts();
  });
  await page.keyboard.press('Escape');
  return names;
}

/** Opens the window anew and looks at what both extensions show. */
export async function beside(editor, picture) {
  const { page } = editor;
  await editor.open();
  await editor.file('neighbours.rs');
  // What an attempt before this one left behind is not looked at.
  await editor.command('File: Revert File');
  // Its colours, beside those of the macros.
  await editor.until('the colour of the neighbour', async () => {
    const [string, own] = [await colour(page, '"words"'), await colour(page, 'ctx')];
    return string !== undefined && string === own;
  });
  await editor.until('the colour of an axis', async () => {
    const [axis, plain] = [await colour(page, 'R'), await colour(page, 'packet')];
    return axis !== undefined && axis !== plain;
  });
  // Both hovers in one.
  const token = page.locator('.view-line span', { hasText: /^R$/ }).first();
  await editor.again('both hovers', async (timeout) => {
    await page.mouse.move(0, 0);
    await token.hover({ timeout });
    const both = page.locator('.monaco-hover:visible', { hasText: 'neighbour: R' });
    await both.filter({ hasText: '64' }).first().waitFor({ timeout });
  });
  await picture();
  await page.keyboard.press('Escape');
  const names = await completed(editor, [10, 20], 'neighbourly');
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`completed twice: ${twice.join(', ')}`);
  // Of which the other extension knows the declaration alone.
  await renamed(
    editor,
    [3, 7],
    'Rows',
    (text) => text.includes('axes![Rows = 64]') && text.includes('m![Rows % 32]') && !/\bR\b/.test(text),
  );
  const complaints = await page
    .locator('.notification-toast', { hasText: 'there is no setting' })
    .allInnerTexts();
  if (complaints.length > 0) throw new Error(complaints.join(' / '));
  return `${names.length} methods`;
}

/** The same beside rust-analyzer itself, in a crate whose library it has read. */
export async function analyzed(editor, picture) {
  const { page } = editor;
  await editor.open();
  await editor.file('expert.rs');
  const lines = readFileSync(join(editor.folder, 'src', 'expert.rs'), 'utf8').split('\n');
  const place = (text, further) => {
    const line = lines.findIndex((one) => one.includes(text));
    return [line + 1, lines[line].indexOf(text) + 1 + further];
  };
  // Hovers: its type of a tensor, and what the tensor takes.
  const token = page.locator('.view-line span', { hasText: /^TrfTensor$/ }).first();
  await editor.again('a hover of rust-analyzer', async (timeout) => {
    await page.mouse.move(0, 0);
    await token.hover({ timeout });
    const words = page.locator('.monaco-hover:visible', { hasText: 'furiosa_opt_std' });
    await words.first().waitFor({ timeout });
  });
  await picture();
  await page.keyboard.press('Escape');
  const names = await completed(editor, place('.fetch::<m![Got, Hp / 32]', 1), 'fetch');
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`completed twice: ${twice.join(', ')}`);
  // Whoever is asked first: the whole file is renamed, and the name is asked for once.
  await renamed(
    editor,
    place('axes![O = 2880, Got', 'axes![O = 2880, '.length),
    'Routed',
    (text) => text.includes('axes![O = 2880, Routed = 8]') && !/\bGot\b/.test(text),
  );
  return `${names.length} names`;
}
