// Uses the scratch page: `node scratch.mjs CHROMIUM PICTURES VISA_LINT`.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { check, launch, open, report, says, serve, settled, tooWide } from './common.mjs';

const [executablePath, pictures, program] = process.argv.slice(2);

/** Counts operations of the timeline. */
const drawn = (page) =>
  page
    .locator('.timeline-frame .operation')
    .evaluateAll((all) => all.reduce((sum, one) => sum + Number(one.dataset.count), 0));

/** Puts the cursor behind the first occurrence of some words of a line. */
async function go(page, line, words) {
  const text = await page.locator('.cm-line').nth(line - 1).innerText();
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+Home');
  for (let at = 1; at < line; at += 1) await page.keyboard.press('ArrowDown');
  for (let at = 0; at < text.indexOf(words) + words.length; at += 1) await page.keyboard.press('ArrowRight');
}

mkdirSync(pictures, { recursive: true });
const browser = await launch(executablePath);
const view = await serve(program, ['--scratch']);
try {
  const expected = ['WebSocket'];
  const tabs = [];
  for (const [colorScheme, width] of [['light', 1400], ['dark', 1400], ['light', 500], ['dark', 500]]) {
    tabs.push(await open(browser, view.address, { colorScheme, width, expected }));
  }
  const [page, other] = tabs;
  for (const [at, tab] of tabs.entries()) {
    await says(tab, '.live-status', 'Checked as you type');
    await tab.locator('.timeline-frame .operation').first().waitFor();
    await tab.locator('.memory-frame .tensor').first().waitFor();
    await settled(tab);
    check((await tooWide(tab)) <= 0, `tab ${at} is ${await tooWide(tab)} pixels too wide`);
    await tab.screenshot({ path: join(pictures, `scratch-${at}.png`), fullPage: true });
  }
  // The example has a fault, so that there is something to see.
  const faults = page.locator('.findings tr.deny');
  await says(page, '.findings tr.deny', 'collect_time_mismatch');
  await page.locator('.cm-lintRange-error').first().waitFor();
  check((await faults.count()) === 1, `the example has ${await faults.count()} faults`);
  check((await drawn(page)) > 0, 'the timeline has operations');
  await faults.first().locator('.link', { hasText: 'fix' }).click();
  await says(page, '.findings h3', 'No finding');
  check((await page.locator('.cm-lintRange-error').count()) === 0, 'nothing is underlined any more');

  // A fault that is typed: more rows than a cluster has slices.
  await go(page, 3, 'Rows = 256');
  await page.keyboard.type('1');
  await page.locator('.cm-lintRange-error').first().waitFor();
  await faults.first().waitFor();
  await page.locator('.cm-lintRange-error').first().hover();
  await page.locator('.cm-tooltip .cm-diagnostic-error').first().waitFor();
  await settled(page);
  await page.screenshot({ path: join(pictures, 'scratch-fault.png'), fullPage: true });
  check((await other.locator('.findings tr.deny').count()) === 1, 'another tab has a text of its own');
  const place = faults.first().locator('.link').first();
  const line = await place.innerText();
  await place.click();
  const active = await page.locator('.cm-activeLineGutter').allInnerTexts();
  check(
    active.some((number) => `line ${number}` === line),
    `${line} leads to ${active}`,
  );
  await page.keyboard.press('Control+z');
  await says(page, '.findings h3', 'No finding');
  await page.locator('.cm-lintRange-error').first().waitFor({ state: 'detached' });

  // A click in the timeline leads to the line, and a hover shows what the server says.
  await page.locator('.timeline-frame .operation').last().click();
  await page.locator('.cm-activeLine').first().waitFor();
  const at = await page.locator('.cm-activeLine').first().innerText();
  check(/to_hbm|to_dm|begin|main/.test(at), `the timeline leads to ${at}`);
  await page.locator('.cm-line').getByText('begin', { exact: true }).hover();
  await page.locator('.cm-lsp-hover-tooltip').first().waitFor();
  await page.screenshot({ path: join(pictures, 'scratch-hover.png') });

  await view.end();
  for (const tab of tabs) await says(tab, '.live-status.ended', 'visa-lint view has ended');
} finally {
  await view.end();
  await browser.close();
}
report('the scratch page: a typed fault, its end, a hover, two tabs, the end of the program');
