// Opens pages of costs and uses them: `node drive.mjs CHROMIUM PICTURES PAGES…`. Beside each page is the JSON of the same kernels.
//
// What is drawn has to be what the JSON says; nothing may be loaded, refused by the policy or run that is not the page's own.
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [executablePath, pictures, ...pages] = process.argv.slice(2);
const THEMES = ['light', 'dark'];
const WIDTHS = [900, 1400];
/** Milliseconds after which something is held to hang; nothing else is decided by it. */
const PATIENCE = 120_000;
let failures = 0;

function check(holds, words) {
  if (holds) return;
  failures += 1;
  console.error(`  FAILED: ${words}`);
}

const thousands = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

async function open(browser, file, colorScheme, width) {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: 1000 },
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const own = pathToFileURL(resolve(file)).href;
  page.on('request', (request) => check(request.url().split('#')[0] === own, `it asks for ${request.url()}`));
  page.on('pageerror', (error) => check(false, `the page fails: ${error.message}`));
  page.on('console', (message) => check(message.type() !== 'error', `the browser says: ${message.text()}`));
  page.on('dialog', async (dialog) => {
    check(false, `a dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  await page.goto(own);
  await page.locator('h1').waitFor();
  await settled(page);
  return page;
}

/** Returns when what was caused before is on the screen: a frame draws it, and one more what its sizes cause. */
const settled = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        window.requestAnimationFrame(() => window.requestAnimationFrame(() => window.setTimeout(done, 0)));
      }),
  );

/** The largest number of pixels that anything but a table's own scroll box is wider than the page. */
const tooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** What is shown of one kernel, against the JSON. The page is of the schedule's model, the JSON's members of the book's. */
async function kernelHolds(page, kernel) {
  const total = kernel.cycles.calibrated.total;
  const heading = await page.locator('.kernel-page h2').first().innerText();
  check(heading === kernel.name, `the heading is ${heading}, not ${kernel.name}`);
  const words = await page.locator('.total-words').innerText();
  if (total === null) {
    check(words.includes('unknown'), `unknown cycles are called ${words}`);
    const reasons = await page.locator('.proposals li').allInnerTexts();
    check(
      reasons.length === kernel.unresolved.length,
      `${reasons.length} of ${kernel.unresolved.length} reasons`,
    );
    check(
      reasons[0]?.includes(`line ${kernel.unresolved[0].range.start.line}`),
      `the first reason is ${reasons[0]}`,
    );
    return;
  }
  check(words.startsWith(`${thousands(total)} cycles by the schedule model`), `the total is ${words}`);
  await page.locator('.timeline .operation').first().waitFor();
  const counts = await page
    .locator('.timeline .operation')
    .evaluateAll((all) => all.reduce((sum, one) => sum + Number(one.dataset.count), 0));
  check(
    counts === kernel.operations.length,
    `${counts} of ${kernel.operations.length} operations in the timeline`,
  );
  const rows = await page.locator('.operation-table > tbody > tr:not(.stage-row)').count();
  check(rows === Math.min(kernel.operations.length, 500), `${rows} rows of operations`);
  const cells = await page
    .locator('.operation-table > tbody > tr:not(.stage-row) > td:nth-child(5)')
    .allInnerTexts();
  const cycles = kernel.operations.map((one) => thousands(one.calibrated.cycles));
  check(
    cells.join() === cycles.slice(0, 500).join(),
    `the cycles are ${cells.slice(0, 5)}, not ${cycles.slice(0, 5)}`,
  );
  const bars = await page.locator('.columns .roofline tr').allInnerTexts();
  // The fixed cycles are the schedule's alone, and the JSON's bars the book's.
  check(bars.length === kernel.roofline.bars.length + 1, `${bars.length} bars`);
  check(
    bars[0].includes(thousands(kernel.roofline.hbm_cycles)) &&
      bars[1].includes(thousands(kernel.roofline.multiply_accumulate_cycles)),
    `the bars are ${bars.join(' | ')}`,
  );
  const sentence = await page.locator('.columns .roofline p').innerText();
  check(/ binds?: /.test(sentence), `which binds is ${sentence}`);
  const saves = await page.locator('.proposals ol > li').count();
  check(saves === kernel.proposals.length, `${saves} of ${kernel.proposals.length} proposals`);
  const pairs = await page.locator('.proposals ul.pair > li').count();
  const pair = (kernel.searched?.pair ?? null) === null ? 0 : 1;
  check(pairs === pair, `${pairs} of ${pair} proposals that are made together`);
  await changesHold(page, kernel);
  const tensors = await page.locator('.memory .tensor').count();
  const placed = kernel.memory.filter(
    (row) =>
      ['dm', 'trf', 'vrf'].includes(row.tier) &&
      (row.address ?? row.assumed_address ?? null) !== null &&
      row.bytes !== null,
  );
  check(
    tensors <= placed.length && (placed.length === 0 || tensors > 0),
    `${tensors} tensors of ${placed.length}`,
  );
  // The source has each line that an operation begins in, with the sum of its cycles.
  const lines = new Map();
  for (const { file, range, calibrated } of kernel.operations) {
    const key = `${file}:${range.start.line}`;
    lines.set(key, (lines.get(key) ?? 0) + calibrated.cycles);
  }
  const shown = await page
    .locator('.source-lines tr.spends')
    .evaluateAll((all) =>
      all.map((row) => [`${row.dataset.file}:${row.dataset.line}`, row.cells[1].innerText]),
    );
  check(
    shown.length === lines.size && shown.every(([key, text]) => text === thousands(lines.get(key) ?? -1)),
    `the lines of the source are ${JSON.stringify(shown)}, not ${JSON.stringify([...lines])}`,
  );
}

/** A change of a proposal is the diff that its edits make: as many lines more as they insert, less those that they delete. */
async function changesHold(page, { proposals, searched }) {
  const all = [...proposals, ...(searched?.pair == null ? [] : [searched.pair])];
  const made = all.filter(({ edits }) => edits.length > 0);
  const changes = page.locator('.proposals .change');
  check((await changes.count()) === made.length, `${await changes.count()} of ${made.length} changes`);
  for (const [at, { file, message }] of made.entries()) {
    const change = changes.nth(at);
    if (!(await change.evaluate((one) => one.open))) await change.locator('summary').click();
    const added = await change.locator('.diff .added').count();
    const removed = await change.locator('.diff .removed').count();
    check(added + removed > 0, `nothing changes by ${message}`);
    const files = await change.locator('.diff .file').allInnerTexts();
    check(
      files.some((line) => line.includes(file)),
      `${files} does not name ${file}`,
    );
  }
}

/** The filter leaves the kernels with its words, and says how many. */
async function filterHolds(page, kernels) {
  const field = page.locator('.filter input');
  const { name } = kernels[0];
  await field.fill(name);
  await settled(page);
  const rows = await page.locator('.overview-table tbody tr').allInnerTexts();
  const left = await page.locator('.overview-table tbody tr:visible').allInnerTexts();
  const wanted = rows.filter((row) => row.toLowerCase().includes(name.toLowerCase()));
  check(left.length === wanted.length && left.length > 0, `the filter ${name} leaves ${left}`);
  const said = await page.locator('.filter [role=status]').innerText();
  check(said === `${left.length} of ${kernels.length}`, `it says ${said}`);
  await field.fill('no such kernel');
  await settled(page);
  check((await page.locator('.overview-table tbody tr:visible').count()) === 0, 'nothing is left');
  await field.fill('');
  await settled(page);
  check((await page.locator('.overview-table tbody tr:visible').count()) === kernels.length, 'all are back');
}

/** Pointer and keyboard, on a kernel with several contexts. */
async function used(page) {
  const first = page.locator('.operation-table button[aria-expanded]').first();
  await first.click();
  await settled(page);
  check((await page.locator('.stage-row:visible').count()) === 1, 'a click shows the stages of an operation');
  check((await page.locator('.stage-row:visible .engines tr').count()) > 0, 'the stages have engines');
  const link = page.locator('.operation-table td:last-child .link').last();
  const line = await link.innerText();
  await link.click();
  const revealed = await page.locator('.source-lines tr.revealed').getAttribute('data-line');
  check(revealed === line, `a line leads to ${revealed}, not ${line}`);
  await page.locator('.source-lines tr.spends .link').first().click();
  await page.locator('.timeline .operation.chosen').first().waitFor();
  await page.locator('.timeline .stage').focus();
  await page.keyboard.press('End');
  await settled(page);
  check(
    (await page.locator('.timeline .operation.chosen').count()) === 1,
    'the keyboard chooses in the timeline',
  );
  check((await page.locator('.memory .tensor.chosen').count()) === 0, 'and in no other view');
  await page.locator('.timeline .operation').last().hover();
  const tooltip = page.locator('.tooltip.shown');
  // It comes into sight a moment after it is there.
  await tooltip.waitFor();
  const words = await tooltip.innerText();
  check(/cycles/.test(words), `the pointer shows ${JSON.stringify(words)}`);
}

mkdirSync(pictures, { recursive: true });
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  for (const file of pages) {
    const { kernels } = JSON.parse(readFileSync(file.replace(/html$/, 'json'), 'utf8'));
    const name = basename(file, '.html');
    const backgrounds = new Set();
    for (const theme of THEMES) {
      for (const width of WIDTHS) {
        const page = await open(browser, file, theme, width);
        check((await page.evaluate(() => window.broken)) === undefined, 'text of a source ran');
        check(
          (await page.locator('.source-lines b, .source-lines img, h2 b').count()) === 0,
          'text of a source is markup',
        );
        check(
          (await tooWide(page)) <= 0,
          `${theme}, ${width}: the page is ${await tooWide(page)} pixels too wide`,
        );
        backgrounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
        await page.screenshot({
          path: join(pictures, `${name}-${theme}-${width}.png`),
          fullPage: true,
        });
        if (kernels.length > 1) {
          const rows = await page.locator('.overview-table tbody tr').count();
          check(rows === kernels.length, `${rows} of ${kernels.length} kernels are listed`);
          const totals = await page.locator('.overview-table tbody tr td:first-child').allInnerTexts();
          const known = totals
            .filter((text) => text !== 'unknown')
            .map((text) => Number(text.replace(/,/g, '')));
          check(
            known.every((total, at) => at === 0 || total <= known[at - 1]) &&
              !totals.slice(0, known.length).includes('unknown'),
            `the kernels are in the order ${totals}`,
          );
          await filterHolds(page, kernels);
        }
        if (theme === 'dark' && width === 1400) {
          for (const [number, kernel] of kernels.entries()) {
            await page.evaluate((at) => {
              window.location.hash = `#kernel-${at}`;
            }, number);
            await page.waitForFunction(
              (words) => document.querySelector('.kernel-page h2')?.textContent === words,
              kernel.name,
            );
            await settled(page);
            await kernelHolds(page, kernel);
          }
          await page.evaluate(() => {
            window.location.hash = '#kernel-0';
          });
          await page.waitForFunction(
            (words) => document.querySelector('.kernel-page h2')?.textContent === words,
            kernels[0].name,
          );
          await settled(page);
          await used(page);
        }
        await page.context().close();
      }
    }
    check(backgrounds.size === 2, `the themes have the backgrounds ${[...backgrounds]}`);
    console.log(`${name}: ${kernels.length} kernels, ${THEMES.length} themes, ${WIDTHS.length} widths`);
  }
} finally {
  await browser.close();
}
console.log(failures === 0 ? `${pages.length} pages drawn` : `${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
