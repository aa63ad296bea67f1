// Draws the two views alone in Chromium, from costs that `visa-lint cost --format json` printed:
// `node views.mjs CHROMIUM EXTENSION PICTURES COSTS…`.
//
// Everything of a view that needs no editor is held here: what is drawn, how fast, by keyboard and by pointer, in each theme.
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { chromium } from 'playwright-core';

import { crowded } from './crowded.mjs';
import { THEMES } from './themes.mjs';

const [executablePath, extension, pictures, ...files] = process.argv.slice(2);
let failures = 0;

function check(holds, words) {
  console.log(`  ${holds ? 'ok' : 'FAILED'}: ${words}`);
  if (!holds) failures += 1;
}

/** A page with a view in it, as VS Code would set it up. */
async function open(browser, script, theme, size) {
  const page = await browser.newPage({ viewport: size });
  page.setDefaultTimeout(PATIENCE);
  page.on('pageerror', (error) => check(false, `the page fails: ${error.message}`));
  const { kind, colours } = THEMES[theme];
  const variables = Object.entries(colours).map(([name, value]) => `--vscode-${name}: ${value};`);
  const style = readFileSync(join(extension, 'dist/webview/view.css'), 'utf8');
  const font = `--vscode-font-family: system-ui, "Noto Sans", sans-serif; --vscode-editor-font-family: monospace;`;
  await page.setContent(
    `<!DOCTYPE html><html><head><style>:root{${variables.join('')}${font}}` +
      `body{background:var(--vscode-panel-background)}${style}</style></head><body class="${kind}"></body></html>`,
  );
  await page.evaluate(() => {
    window.said = [];
    window.acquireVsCodeApi = () => ({
      postMessage: (message) => window.said.push(message),
      getState: () => undefined,
      setState: () => undefined,
    });
  });
  await page.addScriptTag({ content: readFileSync(join(extension, 'dist/webview', script), 'utf8') });
  return page;
}

/** What the extension would post. */
function message(content, kernel, more = {}) {
  const picture = content === null ? null : { document: 'file:///k.rs', kernel, content };
  const state = { picture, stale: null, obstacles: [], notice: '', ...more.state };
  return { type: 'state', state, here: more.here ?? [], kernels: more.kernels ?? [] };
}

/** Milliseconds after which nothing comes of a press or a message. */
const PATIENCE = 60_000;

/** Posts a message, and returns when the view, which hears it first, has drawn it. */
async function post(page, data) {
  await page.evaluate(
    (one) =>
      new Promise((done) => {
        window.addEventListener('message', done, { once: true });
        window.postMessage(one, '*');
      }),
    data,
  );
  await settled(page);
}

/** Returns when what was caused before is on the screen: a frame draws it, and one more what its sizes cause. */
async function settled(page) {
  await page.evaluate(
    () =>
      new Promise((done) => {
        window.requestAnimationFrame(() => window.requestAnimationFrame(() => window.setTimeout(done, 0)));
      }),
  );
}

/** Whether something holds in time. */
async function holds(ask) {
  for (const end = Date.now() + PATIENCE; Date.now() < end;) {
    if (await ask()) return true;
    await new Promise((done) => setTimeout(done, 20));
  }
  return false;
}

/** The program's JSON in the shape that the views are given. */
function contentOf(kernel) {
  return {
    ...kernel,
    total: kernel.cycles.total,
    busy: kernel.cycles,
    overlap: kernel.cycles.overlap,
    criticalPath: kernel.critical_path,
    operations: kernel.operations.map((one) => ({
      ...one,
      stream: one.stream.map((stage) => ({
        ...stage,
        elementType: stage.element_type,
        packetBytes: stage.packet_bytes,
      })),
    })),
    roofline: {
      bars: kernel.roofline.bars,
      binds: kernel.roofline.binds,
      bindsWords: kernel.roofline.binds_words,
      sentence: kernel.roofline.sentence,
    },
    peak: {
      dm: kernel.peak.dm_bytes,
      trf: kernel.peak.trf_bytes,
      vrf: kernel.peak.vrf_bytes,
      overfull: Object.fromEntries((kernel.peak.overfull ?? []).map((row) => [row.tier, row.sentence])),
    },
  };
}

function memoryOf(cost) {
  const capacity = { dm: 524288, trf: 65536, vrf: 8192 };
  return {
    cost,
    map: { kernel: cost.name, total: cost.total, memory: cost.memory, peak: cost.peak, capacity, free: [] },
  };
}

async function timeline(browser, cost, theme) {
  const page = await open(browser, 'timeline.js', theme, { width: 1100, height: 270 });
  const kernels = [
    { name: cost.name, line: 12 },
    { name: 'another', line: 40 },
  ];
  await post(page, message(cost, cost.name, { here: [cost.operations.at(-2)?.id ?? 0], kernels }));
  await page.locator('.operation').first().waitFor();
  const counts = await page
    .locator('.operation')
    .evaluateAll((all) => all.map((one) => Number(one.dataset.count)));
  const drawn = counts.reduce((sum, one) => sum + one, 0);
  check(
    drawn === cost.operations.length,
    `${cost.name}, ${theme}: ${drawn} of ${cost.operations.length} operations`,
  );
  await page.screenshot({ path: join(pictures, `timeline-${cost.name}-${theme}.png`) });
  return page;
}

/** Keyboard and pointer, on a kernel with several contexts. */
async function used(page, cost) {
  await page.keyboard.press('Tab');
  for (let at = 0; at < 12; at += 1) {
    if (await page.evaluate(() => document.activeElement?.getAttribute('role') === 'listbox')) break;
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Home');
  await settled(page);
  const first = await page.locator('.operation.chosen').getAttribute('aria-label');
  check(first?.startsWith(cost.operations[0].name), `Home chooses the first operation: ${first}`);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const said = (await page.evaluate(() => window.said)).at(-1);
  const lane = cost.operations.filter((one) => one.context === cost.operations[0].context);
  check(said.type === 'reveal' && said.line === lane[1].range.start.line, `Enter goes to line ${said.line}`);
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await settled(page);
  check(await page.locator('.overview.zoomed').isVisible(), 'zooming shows where in the kernel one is');
  await page.keyboard.press('0');
  await settled(page);
  const last = page.locator('.operation').last();
  await last.hover();
  const tooltip = page.locator('.tooltip.shown');
  // It comes into sight a moment after it is there.
  await tooltip.waitFor();
  const words = await tooltip.innerText();
  check(/cycles/.test(words), `the pointer shows ${JSON.stringify(words)}`);
  await last.click();
  const clicked = (await page.evaluate(() => window.said)).at(-1);
  check(clicked.type === 'reveal', `a click goes to line ${clicked.line}`);
}

async function memory(browser, cost, theme) {
  const page = await open(browser, 'memory.js', theme, { width: 900, height: 330 });
  await post(page, message(memoryOf(cost), cost.name, { here: [cost.operations.at(-2)?.id ?? 0] }));
  const wanted = cost.memory.filter((row) => row.tier !== 'hbm' && row.address !== null).length;
  await page.locator('.tensor').first().waitFor();
  const drawn = await page.locator('.tensor').count();
  check(drawn === wanted, `${cost.name}, ${theme}: ${drawn} of ${wanted} tensors`);
  await page.screenshot({ path: join(pictures, `memory-${cost.name}-${theme}.png`) });
  await page.close();
}

/** Narrow and low: the buttons are whole, and the best proposal is in sight whatever is chosen. */
async function small(browser, cost) {
  const proposals = [1, 2, 3].map((line) => ({
    rule: 'hbm_partial_write',
    message: `proposal ${line}: ${'gather the results into fewer slices before the store '.repeat(3)}`,
    help: null,
    saves: 4000 - line,
    file: 'k.rs',
    range: { start: { line, column: 1 }, end: { line, column: 2 } },
    after: 10,
    certain: true,
    applicable: line === 1,
  }));
  const searched = { tried: 40, limit: 40, stopped: true, pair: null };
  const advised = { ...cost, proposals, searched };
  const kernels = [
    { name: cost.name, line: 12 },
    { name: 'another_kernel_with_a_long_name', line: 40 },
  ];
  for (const [script, content] of [
    ['timeline.js', advised],
    ['memory.js', { ...memoryOf(cost), cost: advised }],
  ]) {
    for (const [theme, size] of [
      ['dark', { width: 200, height: 300 }],
      ['light', { width: 200, height: 300 }],
      ['light', { width: 320, height: 240 }],
      ['dark', { width: 900, height: 200 }],
    ]) {
      const page = await open(browser, script, theme, size);
      await post(page, message(content, cost.name, { here: [cost.operations[0].id], kernels }));
      const outside = await page.locator('.tools button').evaluateAll((all) =>
        all.filter((one) => {
          const { left, right, top, bottom, width } = one.getBoundingClientRect();
          return (
            width < 20 || left < 0 || top < 0 || right > window.innerWidth || bottom > window.innerHeight
          );
        }),
      );
      const words = `${script}, ${theme}, ${size.width} x ${size.height}`;
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      check(outside.length === 0 && wide <= 0, `${words}: the buttons are whole`);
      // Asked in one go, and again until it is so: a view draws its list anew when it learns its size.
      const inSight = page.waitForFunction(() => {
        const best = document.querySelector('.advice li');
        const { height, bottom } = best?.getBoundingClientRect() ?? { height: 0, bottom: 0 };
        const whole = height > 0 && bottom <= window.innerHeight;
        return whole && best.innerText.startsWith('saves 3,999 cycles, 10 left line 1');
      });
      check(
        await inSight.then(
          () => true,
          () => false,
        ),
        `${words}: the best proposal is in sight`,
      );
      check((await page.locator('.advice li:visible').count()) === 1, `${words}: the others are folded`);
      // Asked in one go, and again: a view draws its list anew when it learns its size.
      let cut = [];
      const whole = await holds(async () => {
        cut = await page.evaluate(() => {
          const kept = [...document.querySelectorAll('.advice .apply, .advice .more, .summary > *')];
          const visible = kept.filter((one) => one.checkVisibility());
          const outside = visible.filter((one) => {
            const { left, right, top, bottom } = one.getBoundingClientRect();
            const box = one.parentElement.getBoundingClientRect();
            const seen = left >= 0 && right <= window.innerWidth && bottom <= window.innerHeight;
            return !seen || top < box.top - 1 || bottom > box.bottom + 1;
          });
          const apply = visible.filter((one) => one.className === 'apply').length;
          return apply === 1 ? outside.map((one) => one.innerText) : ['Apply'];
        });
        return cut.length === 0;
      });
      check(
        whole,
        `${words}: the legend and the buttons of the proposal are whole${cut.map((one) => `, not ${one}`)}`,
      );
      await page.screenshot({
        path: join(pictures, `small-${script.replace('.js', '')}-${theme}-${size.width}.png`),
      });
      await page.locator('.advice .more').click();
      await settled(page);
      check((await page.locator('.advice li:visible').count()) === 3, `${words}: a click shows all three`);
      const makes = page.locator('.advice .apply');
      check((await makes.count()) === 1, `${words}: whole changes alone have a button`);
      await makes.click();
      const asked = (await page.evaluate(() => window.said)).at(-1);
      check(
        asked.type === 'apply' && asked.message === proposals[0].message,
        `${words}: the button asks for the change`,
      );
      await page.locator('.advice .link').first().click();
      const said = (await page.evaluate(() => window.said)).at(-1);
      check(said.type === 'reveal' && said.line === 1, `${words}: a proposal leads to its line`);
      await page.close();
    }
  }
}

/** Each view in each theme at two widths: nothing is cut off, and every button does something. The pictures are to be looked at. */
async function pictured(browser, cost) {
  for (const [script, content] of [
    ['timeline.js', cost],
    ['memory.js', memoryOf(cost)],
  ]) {
    for (const theme of Object.keys(THEMES)) {
      for (const width of [420, 1100]) {
        const page = await open(browser, script, theme, { width, height: 320 });
        const kernels = [
          { name: cost.name, line: 12 },
          { name: 'another', line: 40 },
        ];
        await post(page, message(content, cost.name, { here: [cost.operations.at(-2)?.id ?? 0], kernels }));
        const words = `${script}, ${theme}, ${width} wide`;
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        check(wide <= 0, `${words}: nothing is cut off`);
        await page.screenshot({ path: join(pictures, `${script.replace('.js', '')}-${theme}-${width}.png`) });
        if (theme === 'dark') await pressed(page, words);
        await page.close();
      }
    }
  }
}

/** Presses every button that a view shows, each from where the one before left it. */
async function pressed(page, words) {
  const buttons = page.locator('button:visible');
  const names = await buttons.evaluateAll((all) =>
    all.map((one) => one.getAttribute('aria-label') ?? one.textContent),
  );
  const idle = [];
  for (const name of names) {
    const named = page.locator('button:visible');
    const at = (
      await named.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent))
    ).indexOf(name);
    // Gone with what it stood beside.
    if (at < 0) continue;
    const before = await shown(page);
    await named.nth(at).click();
    // All is in sight already: what shows all changes nothing.
    if (/^(All cycles|Zoom out)/.test(name)) continue;
    if (!(await holds(async () => (await shown(page)) !== before))) idle.push(name);
  }
  check(
    names.length >= 4 && idle.length === 0,
    `${words}: ${names.length} buttons are pressed; nothing comes of: ${idle.join(', ') || 'none'}`,
  );
}

/** All that a press can change: the page, its state, what it said. */
async function shown(page) {
  return page.evaluate(() => `${document.body.outerHTML}${JSON.stringify(window.said)}`);
}

/** Bytes that two tensors need at once are hatched and said. */
async function overlapping(browser, cost) {
  const [first, second, ...rest] = cost.memory.filter((row) => row.tier === 'dm');
  const from = Math.max(first.from, second.from);
  check(from < Math.min(first.to, second.to), 'two tensors live together');
  const memory = [first, { ...second, address: first.address + first.bytes / 2 }, ...rest];
  const content = memoryOf({ ...cost, memory });
  for (const theme of Object.keys(THEMES)) {
    const page = await open(browser, 'memory.js', theme, { width: 900, height: 330 });
    await post(page, message(content, cost.name));
    check((await page.locator('.overlap').count()) === 1, `${theme}: shared bytes are hatched once`);
    // The later one is above the other.
    await page.locator('.tensor .body').nth(1).hover();
    const tooltip = page.locator('.tooltip.shown');
    // It comes into sight a moment after it is there.
    await tooltip.waitFor();
    const words = await tooltip.innerText();
    check(
      words.includes(`with ${first.tensor} meanwhile`),
      `${theme}: the pointer shows ${JSON.stringify(words)}`,
    );
    await page.screenshot({ path: join(pictures, `overlap-${theme}.png`) });
    await page.close();
  }
}

/** The stages of the Vector Engine are told apart. */
async function stagesNamed(browser, cost) {
  const operation = cost.operations.find(
    (one) => one.stages.filter(({ engine }) => engine === 'vector').length > 1,
  );
  if (operation === undefined) return;
  const page = await open(browser, 'timeline.js', 'dark', { width: 1100, height: 400 });
  await post(page, message(cost, cost.name, { here: [operation.id] }));
  const names = await page.locator('.engines th').allInnerTexts();
  check(
    names.length === operation.stages.length && !names.some((name) => /^vector\b/.test(name)),
    `the stages are called ${names.join(', ')}`,
  );
  await page.screenshot({ path: join(pictures, `stages-${cost.name}.png`) });
  await page.close();
}

/** A picture outlives broken text, and says so. */
async function broken(browser, cost) {
  const page = await open(browser, 'timeline.js', 'dark', { width: 1100, height: 270 });
  const obstacles = [{ reason: 'the type of `x` is not known', file: 'k.rs', line: 21, column: 5 }];
  const state = { stale: 'Last good picture:', obstacles };
  await post(page, message(cost, cost.name, { state }));
  check((await page.locator('.operation').count()) > 0, 'the last good picture stays');
  check((await page.locator('.banner').innerText()).includes('line 21'), 'the banner says what is wrong');
  await page.screenshot({ path: join(pictures, 'stale.png') });
  await post(page, message(null, '', { state: { notice: 'The cycles of dot are unknown.', obstacles } }));
  check(
    (await page.locator('.notice').innerText()).includes('not known'),
    'without a picture the reasons are listed',
  );
  await page.screenshot({ path: join(pictures, 'unresolved.png') });
  await page.close();
}

/** What the crowd's timeline is drawn in. */
const CROWD = { operations: 30_000, width: 1100, lanes: 3 };

/** Many operations are drawn in no more marks than there are pixels: the work of a drawing does not grow with their number. */
async function crowd(browser) {
  const cost = crowded(CROWD.operations);
  const page = await open(browser, 'timeline.js', 'dark', { width: CROWD.width, height: 270 });
  await post(page, message(cost, cost.name));
  await page.locator('.operation').first().waitFor();
  const marks = () =>
    page.locator('.operation').evaluateAll((all) => ({
      marks: all.length,
      operations: all.reduce((sum, one) => sum + Number(one.dataset.count), 0),
    }));
  const first = await marks();
  check(first.operations === CROWD.operations, `${CROWD.operations} operations are in ${first.marks} marks`);
  check(first.marks <= CROWD.lanes * CROWD.width, `${first.marks} marks in ${CROWD.lanes} lanes`);
  for (const key of ['+', '-', '+', '-']) {
    await page.evaluate(async (key) => {
      document.dispatchEvent(new KeyboardEvent('keydown', { key }));
      await new Promise((done) => window.requestAnimationFrame(() => window.setTimeout(done, 0)));
    }, key);
  }
  const again = await marks();
  check(
    again.marks <= CROWD.lanes * CROWD.width,
    `${again.marks} marks after coming closer and going back twice`,
  );
  await page.screenshot({ path: join(pictures, 'crowded.png') });
  await page.close();
}

mkdirSync(pictures, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const file of files) {
    const { kernels } = JSON.parse(readFileSync(file, 'utf8'));
    console.log(basename(file));
    for (const kernel of kernels.filter((one) => one.cycles.total !== null)) {
      const cost = contentOf(kernel);
      for (const theme of Object.keys(THEMES)) {
        const page = await timeline(browser, cost, theme);
        if (theme === 'dark' && new Set(cost.operations.map((one) => one.context)).size > 2)
          await used(page, cost);
        await page.close();
        await memory(browser, cost, theme);
      }
      await stagesNamed(browser, cost);
      if (kernel !== kernels[0]) continue;
      await broken(browser, cost);
      await small(browser, cost);
      await pictured(browser, cost);
      if (cost.memory.filter((row) => row.tier === 'dm').length > 2) await overlapping(browser, cost);
    }
  }
  console.log('a crowd');
  await crowd(browser);
} finally {
  await browser.close();
}
console.log(failures === 0 ? 'the views hold' : `${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
