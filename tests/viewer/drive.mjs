// Uploads schedules to the viewer and holds what it draws against the files: `node drive.mjs CHROMIUM URL PICTURES FILES…`.
//
// The viewer draws on canvases, one a row, so the rectangles are caught where they are filled. A rectangle has to stand where
// its operation or tensor says, and there have to be as many as the file has: the viewer leaves out silently what it does not
// understand.
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { chromium } from 'playwright-core';

const [executablePath, url, pictures, ...files] = process.argv.slice(2);
const OPERATION_ROWS = {
  MainContext: 'Main',
  SubContext: 'Sub',
  VectorEngine: 'VE',
  DmaEngine: 'TDMA',
  PcieDmaEngine: 'PDMA',
};
const TENSOR_ROWS = ['Vrf', 'Trf', 'Sram'];
/** Milliseconds after which something is held to hang; nothing else is decided by it. */
const PATIENCE = 120_000;
let failures = 0;

function check(holds, words) {
  if (!holds) {
    failures += 1;
    console.error(`  FAILED: ${words}`);
  }
}

// Runs in the page, before any of its own code.
function catchRectangles() {
  const fill = CanvasRenderingContext2D.prototype.fillRect;
  CanvasRenderingContext2D.prototype.fillRect = function (x, y, width, height) {
    (this.canvas.rectangles ??= []).push({ x, y, width, height });
    return fill.call(this, x, y, width, height);
  };
}

// Runs in the page: the rows with their canvases. A row of operations may have a second canvas, of utilisations.
function drawnRows() {
  const rows = {};
  for (const svg of document.querySelectorAll('svg')) {
    const label = svg.querySelector(':scope > text');
    const canvases = [...svg.querySelectorAll('foreignObject canvas')];
    if (label && canvases.length > 0) {
      rows[label.textContent] = canvases.map((canvas) => ({
        width: canvas.width,
        height: canvas.height,
        rectangles: canvas.rectangles ?? [],
      }));
    }
  }
  return rows;
}

// Whether the rectangles are those of the lifetimes, in any order, to half a pixel.
function sameSpans(canvas, lifetimes, last) {
  const near = (one, other) => Math.abs(one - other) <= 0.5;
  const rest = [...canvas.rectangles];
  for (const { begin, end } of lifetimes) {
    const x = (begin / last) * canvas.width;
    const width = ((end - begin) / last) * canvas.width;
    const at = rest.findIndex((one) => near(one.x, x) && near(one.width, width));
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  return rest.length === 0;
}

// The rows once each has as many rectangles as the file has entries for it, or as they are when patience is at an end: the viewer draws one
// row after the other.
async function drawnRowsOf(page, schedule) {
  const wanted = [
    ...Object.entries(OPERATION_ROWS).map(([context, row]) => [
      row,
      schedule.instructions.filter((one) => one.contexts.includes(context)).length,
    ]),
    ...TENSOR_ROWS.map((row) => [row, schedule.tensors.filter((one) => one.buffer_type === row).length]),
  ];
  for (const end = Date.now() + PATIENCE; ; ) {
    const rows = await page.evaluate(drawnRows);
    const whole = wanted.every(([row, count]) => rows[row]?.some((canvas) => canvas.rectangles.length === count));
    if (whole || Date.now() > end) return rows;
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function drive(browser, file) {
  const schedule = JSON.parse(readFileSync(file, 'utf8'));
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  page.setDefaultTimeout(PATIENCE);
  await page.route('**/*', (route) =>
    route.request().url().startsWith(url) || /^(data|blob):/.test(route.request().url())
      ? route.continue()
      : route.abort(),
  );
  page.on('dialog', async (dialog) => {
    check(false, `the viewer says: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('pageerror', (error) => check(false, `the viewer fails: ${error.message}`));
  await page.addInitScript(catchRectangles);
  await page.goto(url);
  await page.locator('input[type=file]').first().setInputFiles(file);
  const rows = await drawnRowsOf(page, schedule);
  const text = await page.locator('body').innerText();
  check(!text.includes('Unexpected Runtime Error'), 'the viewer shows a run-time error');

  const last = Math.max(...schedule.instructions.map((one) => one.lifetime.end));
  const counts = [];
  for (const one of schedule.instructions) {
    check(one.contexts.some((context) => context in OPERATION_ROWS), `instruction ${one.index} is in no row`);
  }
  for (const [context, row] of Object.entries(OPERATION_ROWS)) {
    const expected = schedule.instructions
      .filter((one) => one.contexts.includes(context))
      .map((one) => one.lifetime);
    const found = (rows[row] ?? []).some((canvas) => sameSpans(canvas, expected, last));
    const drawn = (rows[row] ?? []).map((canvas) => canvas.rectangles.length);
    check(found, `row ${row}: ${expected.length} operations, drawn ${drawn} (or elsewhere)`);
    counts.push(`${row} ${expected.length}`);
  }
  for (const row of TENSOR_ROWS) {
    const expected = schedule.tensors.filter((one) => one.buffer_type === row);
    const canvas = rows[row]?.[0];
    const found = canvas && sameSpans(canvas, expected.map((one) => one.lifetime), last);
    check(found, `row ${row}: ${expected.length} tensors, drawn ${canvas?.rectangles.length} (or elsewhere)`);
    counts.push(`${row} ${expected.length}`);
    if (!found) continue;
    // Higher addresses stand higher, and every size has its height.
    const scale = expected.map((one) => {
      const x = (one.lifetime.begin / last) * canvas.width;
      const width = ((one.lifetime.end - one.lifetime.begin) / last) * canvas.width;
      const candidates = canvas.rectangles.filter(
        (drawn) => Math.abs(drawn.x - x) <= 0.5 && Math.abs(drawn.width - width) <= 0.5,
      );
      return { one, bottoms: candidates.map((drawn) => canvas.height - drawn.y - drawn.height) };
    });
    const top = Math.max(...canvas.rectangles.map((drawn) => canvas.height - drawn.y), 0);
    const bytes = Math.max(...expected.map((one) => one.address + one.size), 0);
    for (const { one, bottoms } of scale) {
      const wanted = (one.address / bytes) * top;
      check(
        bottoms.some((bottom) => Math.abs(bottom - wanted) <= 1),
        `row ${row}: tensor ${one.index} at ${bottoms}, not ${wanted}`,
      );
    }
  }

  // The operations can be found by their words.
  const search = page.getByPlaceholder('Search nodes');
  const word = schedule.instructions[0].name.split(' ')[0];
  await search.fill(word);
  // It says that there is nothing until it has searched.
  await page
    .getByText(/^\d+\+? results?$/)
    .waitFor()
    .catch(() => check(false, `a search for ${word} finds nothing`));
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${basename(file, '.json')}.png`) });
  await page.close();
  console.log(`${basename(file)}: ${counts.join(', ')}`);
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const file of files) await drive(browser, file);
} finally {
  await browser.close();
}
console.log(failures === 0 ? `${files.length} schedules drawn` : `${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
