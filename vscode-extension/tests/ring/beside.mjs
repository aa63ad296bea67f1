// Beside another extension for Rust: its colours stay, hovers stack, nothing is completed twice.

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

/** Opens the window anew and looks at what both extensions show. */
export async function beside(editor, picture) {
  const { page } = editor;
  await editor.open();
  await editor.file('neighbours.rs');
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
  // Each method once.
  const widget = page.locator('.suggest-widget.visible');
  const rows = widget.locator('.monaco-list-row');
  let names = [];
  await editor.again('the methods', async (timeout) => {
    await editor.place(10, 20);
    await page.keyboard.press('Control+Space');
    await rows.filter({ hasText: 'neighbourly' }).first().waitFor({ timeout });
    names = await rows.locator('.label-name').allInnerTexts();
  });
  await page.keyboard.press('Escape');
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`completed twice: ${twice.join(', ')}`);
  const complaints = await page
    .locator('.notification-toast', { hasText: 'there is no setting' })
    .allInnerTexts();
  if (complaints.length > 0) throw new Error(complaints.join(' / '));
  return `${names.length} methods`;
}
