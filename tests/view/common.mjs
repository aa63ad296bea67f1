// What the two tests of `visa-lint view` share: a running program, pages that are watched for faults, waits for conditions.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

/** Milliseconds after which something is held to hang; nothing else is decided by it. */
export const PATIENCE = 120_000;

let failures = 0;

export function check(holds, words) {
  if (holds) return;
  failures += 1;
  console.error(`  FAILED: ${words}`);
}

/** Ends the process with how it went. */
export function report(words) {
  console.log(failures === 0 ? words : `${failures} failures`);
  process.exitCode = failures === 0 ? 0 : 1;
}

export function launch(executablePath) {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/** A running view: its address, and how it is ended. */
export async function serve(program, args, cwd) {
  const child = spawn(program, ['view', ...args], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => child.once('exit', done));
  const [address] = await Promise.race([
    new Promise((done) => createInterface(child.stdout).once('line', (line) => done([line]))),
    ended.then((code) => Promise.reject(new Error(`the view ended with ${code}`))),
  ]);
  return {
    address,
    async end() {
      child.kill('SIGINT');
      await ended;
    },
  };
}

/** A page of the view. Whatever fails in it, and whatever it asks of others, is a failure of the test. */
export async function open(browser, address, { colorScheme = 'light', width = 1400, expected = [] } = {}) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 1000 } });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.on('request', (request) => {
    const url = request.url();
    check(url.startsWith(address) || url.startsWith('data:'), `it asks for ${url}`);
  });
  page.on('pageerror', (error) => check(false, `the page fails: ${error.message}`));
  page.on('console', (message) => {
    const meant = expected.some((words) => message.text().includes(words));
    check(message.type() !== 'error' || meant, `the browser says: ${message.text()}`);
  });
  await page.goto(address);
  return page;
}

/** Waits for words in an element. */
export const says = (page, selector, words) => page.locator(selector, { hasText: words }).first().waitFor();

/** Returns when what was caused before is on the screen. */
export const settled = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        window.requestAnimationFrame(() => window.requestAnimationFrame(() => window.setTimeout(done, 0)));
      }),
  );

/** The number of pixels that anything but a scroll box of its own is wider than the page. */
export const tooWide = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
