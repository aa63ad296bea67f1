// Uses the live view: `node live.mjs CHROMIUM PICTURES VISA_LINT KERNELS`. What is shown has to be what `visa-lint cost` says, in each tab,
// after each change of a file, and when the program is gone.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { check, launch, open, report, says, serve, settled, tooWide } from './common.mjs';

const [executablePath, pictures, program, folder] = process.argv.slice(2);
const [cwd, kernels] = [dirname(folder), basename(folder)];
const UP_TO_DATE = /^Up to date\.$/;
const thousands = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** As editors do: nobody meets a file half written. */
function write(name, text) {
  writeFileSync(join(folder, '.new'), text);
  renameSync(join(folder, '.new'), join(folder, name));
}

/** The kernels that are listed, with their cycles. */
const listed = async (page) =>
  (await page.locator('.overview-table tbody tr').allInnerTexts()).map((row) => row.split('\t').slice(0, 2).join(' '));

async function shows(page) {
  const cost = JSON.parse(execFileSync(program, ['cost', kernels, '--format', 'json', '--effort', '0'], { cwd }));
  const said = cost.kernels
    .map(({ name, cycles }) => ({ name, total: cycles.calibrated.total }))
    .sort((one, other) => other.total - one.total)
    .map(({ name, total }) => `${thousands(total)} ${name}`);
  const rows = await listed(page);
  check(rows.join() === said.join(), `the page lists ${rows}, not ${said}`);
}

async function otherOrigins(browser, address) {
  // A page of another origin, and a person who lost the secret.
  const other = createServer((_, answer) => answer.end('<!DOCTYPE html><title>other</title>'));
  await new Promise((done) => other.listen(0, '127.0.0.1', done));
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${other.address().port}/`);
  const read = await page.evaluate(
    (url) =>
      Promise.all([
        fetch(url).then(
          (answer) => `read ${answer.status}`,
          () => 'refused',
        ),
        new Promise((done) => {
          const events = new EventSource(`${url}events`);
          events.onopen = () => done('read events');
          events.onerror = () => {
            events.close();
            done('refused');
          };
        }),
        new Promise((done) => {
          const frame = document.createElement('iframe');
          frame.onload = () => done(frame.contentDocument === null ? 'refused' : 'read a frame');
          frame.src = url;
          document.body.append(frame);
        }),
      ]),
    address,
  );
  check(read.join() === 'refused,refused,refused', `another origin: ${read}`);
  const answer = await page.goto(new URL('/', address).href);
  check(answer.status() === 403, `without the secret it answers ${answer.status()}`);
  check(/secret/.test(await page.locator('body').innerText()), 'it says that the secret is missing');
  other.close();
  await context.close();
}

mkdirSync(pictures, { recursive: true });
const browser = await launch(executablePath);
const view = await serve(program, [kernels], cwd);
try {
  // The stream of events ends with the program, and the browser says so.
  const expected = ['ERR_CONNECTION_REFUSED', 'ERR_INCOMPLETE_CHUNKED_ENCODING'];
  const tabs = [];
  for (const [colorScheme, width] of [['light', 1400], ['dark', 1400], ['light', 500], ['dark', 500]]) {
    tabs.push(await open(browser, view.address, { colorScheme, width, expected }));
  }
  const both = (act) => Promise.all(tabs.map(act));
  await both((page) => says(page, '.live-status', UP_TO_DATE));
  await both(shows);
  for (const [at, page] of tabs.entries()) {
    await settled(page);
    check((await tooWide(page)) <= 0, `tab ${at} is ${await tooWide(page)} pixels too wide`);
    await page.screenshot({ path: join(pictures, `live-${at}.png`), fullPage: true });
  }
  await otherOrigins(browser, view.address);

  // What the reader chose and opened stays when files change, and findings come and go.
  const [first] = tabs;
  await first.locator('.overview-table a', { hasText: /^dot$/ }).click();
  await says(first, '.kernel-page h2', 'dot');
  await first.locator('.operation-table button[aria-expanded]').first().click();
  const dot = readFileSync(join(folder, 'dot_product.rs'), 'utf8');
  write('faulty.rs', '#[allow(tcp::no_such_rule)]\nfn f() {}\n');
  await both((page) => says(page, '.findings td', 'no_such_rule'));
  check((await first.title()).startsWith('1 error'), `the title is ${await first.title()}`);
  write('dot_product.rs', `// A line more.\n${dot}`);
  const line = Number(/dot_product\.rs:(\d+)/.exec(await first.locator('.kernel-page').innerText())?.[1]);
  await says(first, '.kernel-page > div > p', `dot_product.rs:${line + 1}`);
  check((await first.locator('.stage-row:visible').count()) === 1, 'the stages stay open');
  check((await first.locator('.kernel-page h2').first().innerText()) === 'dot', 'the kernel stays');
  rmSync(join(folder, 'faulty.rs'));
  await both((page) => says(page, '.findings p', /^No finding in 3 files\.$/));
  await first.screenshot({ path: join(pictures, 'live-changed.png'), fullPage: true });

  // The filter.
  await first.locator('.filter input').fill('rmsnorm');
  await says(first, '.filter [role=status]', /^\d+ of \d+$/);
  const left = await first.locator('.overview-table tbody tr:visible').allInnerTexts();
  check(left.length > 0 && left.every((row) => row.includes('rmsnorm')), `the filter leaves ${left}`);
  await first.locator('.filter input').fill('');

  // The file of the kernel that is looked at.
  rmSync(join(folder, 'dot_product.rs'));
  await says(first, '.gone', `dot is no longer in ${kernels}/dot_product.rs`);
  check(!(await first.locator('.kernel-page').isVisible()), 'a kernel that is gone is not shown');
  check((await listed(first)).every((row) => !row.endsWith(' dot')), 'a kernel that is gone is not listed');
  write('dot_product.rs', dot);
  await says(first, '.kernel-page h2', 'dot');
  await both((page) => says(page, '.live-status', UP_TO_DATE));
  await both(shows);

  await view.end();
  await both((page) => says(page, '.live-status.ended', 'visa-lint view has ended'));
  check((await first.locator('.kernel-page h2').first().innerText()) === 'dot', 'the last state stays');
  await first.screenshot({ path: join(pictures, 'live-ended.png') });
} finally {
  await view.end();
  await browser.close();
}
report('the live view: tabs, changes, a deleted file, other origins, the end');
