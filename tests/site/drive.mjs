// Opens the site and uses it: `node drive.mjs CHROMIUM PICTURES SITE`.
//
// The site is served from this process, as a web server would: the search of mdbook does not work from files. Nothing may be asked of
// another host, every picture and every link of the pages that are opened has to be there, and no page may be wider than the window.
import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve } from 'node:path';
import { chromium } from 'playwright-core';

const [executablePath, pictures, folder] = process.argv.slice(2);
const root = resolve(folder);
/** Milliseconds after which something is held to hang; nothing else is decided by it. */
const PATIENCE = 120_000;
const THEMES = ['light', 'navy'];
const WIDTHS = [420, 1280];
const PAGES = [
  'index.html',
  'machine.html',
  'compiler-errors.html',
  'commands.html',
  'ci.html',
  'rules/index.html',
  'rules/releases.html',
  'rules/group-hardware.html',
  'rules/alu_reuse.html',
];
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml', '.json': 'application/json' };
let failures = 0;

function check(holds, words) {
  if (holds) return;
  failures += 1;
  console.error(`  FAILED: ${words}`);
}

/** The file that an address of the site means, or nothing. */
function fileOf(path) {
  const file = join(root, normalize(decodeURIComponent(path)));
  const index = existsSync(file) && statSync(file).isDirectory() ? join(file, 'index.html') : file;
  return index.startsWith(root) && existsSync(index) ? index : undefined;
}

const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://site').pathname;
  const file = fileOf(path);
  if (!file) {
    if (!path.endsWith('favicon.ico')) check(false, `there is no ${path}`);
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
  createReadStream(file).pipe(response);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const host = `http://127.0.0.1:${server.address().port}`;

/** What is broken on a page: pictures without a size, links of the site that lead nowhere. */
const onPage = (page) =>
  page.evaluate(() => ({
    pictures: [...document.querySelectorAll('main img')].map((image) => [image.getAttribute('src'), image.naturalWidth]),
    links: [...document.querySelectorAll('main a[href]')].map((link) => link.href),
    wide: document.documentElement.scrollWidth - window.innerWidth,
    ground: getComputedStyle(document.documentElement).backgroundColor,
  }));

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
mkdirSync(pictures, { recursive: true });
const grounds = new Set();
for (const theme of THEMES) {
  for (const width of WIDTHS) {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    context.setDefaultTimeout(PATIENCE);
    await context.addInitScript((name) => localStorage.setItem('mdbook-theme', name), theme);
    const page = await context.newPage();
    page.on('request', (request) => check(request.url().startsWith(host) || request.url().startsWith('data:'), `it asks for ${request.url()}`));
    page.on('pageerror', (error) => check(false, `the page fails: ${error.message}`));
    for (const path of PAGES) {
      await page.goto(`${host}/${path}`, { waitUntil: 'load' });
      const found = await onPage(page);
      for (const [source, size] of found.pictures) check(size > 0, `${path}: ${source} is no picture`);
      for (const link of found.links.filter((link) => link.startsWith(host))) {
        check(fileOf(new URL(link).pathname), `${path}: ${link} leads nowhere`);
      }
      check(found.wide <= 0, `${path} is ${found.wide} pixels wider than ${width} in ${theme}`);
      grounds.add(found.ground);
      await page.screenshot({ path: join(pictures, `${path.replaceAll('/', '-')}-${theme}-${width}.png`) });
    }
    await page.goto(`${host}/machine.html`);
    check((await page.locator('main img').count()) >= 12, 'the machine has fewer than twelve pictures');
    await page.goto(`${host}/rules/alu_reuse.html`);
    await page.locator('main a[href*="machine.html#vector-engine"]').click();
    await page.waitForURL('**/machine.html#vector-engine');
    await page.close();
    await context.close();
  }
}
check(grounds.size === THEMES.length, `${grounds.size} grounds in ${THEMES.length} themes`);

const page = await browser.newPage();
page.setDefaultTimeout(PATIENCE);
await page.goto(`${host}/index.html`);
const bar = page.locator('#mdbook-searchbar, #searchbar').first();
// The key is missed by a page whose script of the search has not run yet.
for (const end = Date.now() + PATIENCE; !(await bar.isVisible()) && Date.now() < end;) {
  await page.keyboard.press('s');
  await bar.waitFor({ timeout: 1000 }).catch(() => undefined);
}
// The page listens for keys that go up, and looks at the field once more when its index has come: text without keys would be searched only
// if it were there before the index.
await bar.pressSequentially('alu_reuse');
const hit = page.locator('#mdbook-searchresults a[href*="alu_reuse.html"], #searchresults a[href*="alu_reuse.html"]').first();
await hit.waitFor().catch(() => check(false, 'the search does not find alu_reuse'));
await page.screenshot({ path: join(pictures, 'search.png') });
await browser.close();
server.close();
if (failures > 0) {
  console.error(`${failures} failures`);
  process.exit(1);
}
console.log(`ok: ${PAGES.length} pages of the site in ${THEMES.length} themes and ${WIDTHS.length} widths, and its search`);
