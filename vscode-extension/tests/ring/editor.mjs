// A VS Code in a browser, as its reader uses it.

import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds after which something is held to hang. Nothing else is decided by it: what is waited for is a state, and a key or a
 * pointer that the editor missed while it was busy is used again until the state is there. */
export const PATIENCE = 180_000;
/** Milliseconds after which a key or a pointer is used again, at first: each time in vain waits longer, as a busy machine needs. */
const AGAIN = 5_000;
/** Pictures in a row that show the same when nothing moves any more. */
const AT_REST = 3;

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'security.workspace.trust.enabled': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'chat.disableAIFeatures': true,
  'editor.hover.delay': 200,
  'editor.fontSize': 13,
  // So that a picture rests where the cursor does.
  'editor.cursorBlinking': 'solid',
  'files.autoSave': 'off',
  // Its text is in the page.
  'terminal.integrated.gpuAcceleration': 'off',
};

async function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** code-server with its own folders, and the extension installed in it. */
export class CodeServer {
  constructor({ node, program, home }) {
    Object.assign(this, { node, program, home });
    this.arguments = [
      this.program,
      '--user-data-dir',
      join(home, 'data'),
      '--extensions-dir',
      join(home, 'extensions'),
      '--config',
      join(home, 'config.yaml'),
    ];
    // Nothing is looked up in a marketplace.
    this.env = {
      ...process.env,
      HOME: home,
      EXTENSIONS_GALLERY: '{}',
      CS_DISABLE_GETTING_STARTED_OVERRIDE: '1',
    };
    for (const whose of ['User', 'Machine']) mkdirSync(join(home, 'data', whose), { recursive: true });
    writeFileSync(join(home, 'config.yaml'), 'auth: none\n');
  }

  /** The reader's settings; a running editor takes them over at once. */
  settings(more) {
    this.chosen = { ...this.chosen, ...more };
    const text = JSON.stringify({ ...SETTINGS, ...this.chosen }, null, 2);
    // Those of the reader, and those of the machine that the server runs on: paths of programs are taken from these.
    for (const whose of ['User', 'Machine'])
      writeFileSync(join(this.home, 'data', whose, 'settings.json'), text);
  }

  install(vsix) {
    const call = [...this.arguments, '--install-extension', vsix, '--force'];
    return execFileSync(this.node, call, { env: this.env, encoding: 'utf8', timeout: 2 * PATIENCE });
  }

  async start() {
    const port = await freePort();
    const call = [
      ...this.arguments,
      '--bind-addr',
      `127.0.0.1:${port}`,
      '--disable-telemetry',
      '--disable-update-check',
      '--disable-workspace-trust',
    ];
    this.child = spawn(this.node, call, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.log = '';
    const listening = new Promise((resolve, reject) => {
      const hear = (chunk) => {
        this.log += chunk;
        if (this.log.includes('HTTP server listening')) resolve();
      };
      this.child.stdout.on('data', hear);
      this.child.stderr.on('data', hear);
      this.child.on('exit', () => reject(new Error(`code-server ended:\n${this.log}`)));
      setTimeout(() => reject(new Error(`code-server does not listen:\n${this.log}`)), PATIENCE).unref();
    });
    await listening;
    this.url = `http://127.0.0.1:${port}/`;
  }

  stop() {
    try {
      // It and what it started: the group that was made for it.
      process.kill(-this.child.pid);
    } catch {
      // It has ended already.
    }
  }
}

/** A window with a folder. */
export class Editor {
  constructor(page, server, folder) {
    Object.assign(this, { page, server, folder });
  }

  async open() {
    const { page, server, folder } = this;
    await page.route('**/*', (route) => {
      const url = route.request().url();
      return url.startsWith(server.url) || /^(data|blob):/.test(url) ? route.continue() : route.abort();
    });
    await page.goto(`${server.url}?folder=${encodeURIComponent(folder)}`);
    await page.locator('.monaco-workbench').waitFor({ timeout: 2 * PATIENCE });
    await page.locator('.explorer-folders-view').waitFor({ timeout: 2 * PATIENCE });
  }

  /** Runs a command by its name in the palette. */
  async command(name) {
    await this.pick('F1', `>${name}`, name);
  }

  /** Asks the palette and takes the row with some words, or the first. It closes where something else takes the focus: once more,
   * then, until the row was taken. */
  async pick(key, text, words) {
    const widget = this.page.locator('.quick-input-widget');
    await this.again(`the palette with ${text}`, async (timeout) => {
      if (!(await widget.isVisible())) await this.page.keyboard.press(key);
      const input = widget.locator('input').first();
      await input.fill(text, { timeout });
      const rows = widget.locator('.monaco-list-row', words === undefined ? {} : { hasText: words });
      await rows.first().waitFor({ timeout });
      await input.press('Enter', { timeout });
      await widget.waitFor({ state: 'hidden', timeout });
    });
  }

  /** Opens a file of the folder and waits for its text. */
  async file(name) {
    const tab = this.page.locator(`.tab.active[data-resource-name="${name}"]`);
    await this.again(`the file ${name}`, async (timeout) => {
      await this.pick('Control+P', name, name);
      await tab.waitFor({ timeout });
    });
    await this.page.locator('.monaco-editor .view-line').first().waitFor({ timeout: PATIENCE });
  }

  /** Writes down, in the page itself, when the text of a file is first shown and when first an error is underlined in it. */
  async watch(name) {
    await this.page.evaluate((wanted) => {
      const seen = (window.firstSeen = {});
      const look = () => {
        const text = document.querySelector(`.monaco-editor[data-uri$="/${wanted}"]`);
        if (text?.querySelector('.view-line span span')) seen.text ??= performance.now();
        if (text?.querySelector('.squiggly-error')) seen.underline ??= performance.now();
        else window.requestAnimationFrame(look);
      };
      look();
    }, name);
  }

  /** What was written down: milliseconds of the page. */
  async watched() {
    const seen = await this.page.waitForFunction(
      () => window.firstSeen?.underline !== undefined && window.firstSeen,
      null,
      { timeout: PATIENCE },
    );
    return seen.jsonValue();
  }

  /** Puts the cursor to a line and column, with the focus in the text. */
  async place(line, column = 1) {
    await this.again(`line ${line}`, async (timeout) => {
      await this.pick('Control+G', `:${line},${column}`);
      await this.until(`the cursor in line ${line}`, async () => (await this.line()) === line, timeout);
    });
  }

  /** Does something, and does it again as long as it fails, from where nothing is open. */
  async again(words, act) {
    const end = Date.now() + PATIENCE;
    for (let patience = AGAIN; ; patience *= 1.5) {
      try {
        return await act(patience);
      } catch (error) {
        if (Date.now() > end) throw new Error(`in vain: ${words}`, { cause: error });
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** Waits until nothing moves any more: some pictures in a row are the same. */
  async rests() {
    let [last, same] = [undefined, 0];
    await this.until('a window at rest', async () => {
      const picture = await this.page.screenshot();
      same = last?.equals(picture) ? same + 1 : 1;
      last = picture;
      return same === AT_REST;
    });
  }

  /** Waits until every view has the colours of a kind of theme. */
  async themed(kind) {
    await this.until(`views that are ${kind}`, async () => {
      const kinds = this.page.frames().map((frame) =>
        // A frame that goes away meanwhile has no theme.
        frame.evaluate(() => document.body?.dataset.vscodeThemeKind).catch(() => undefined),
      );
      return (await Promise.all(kinds)).every((found) => found === undefined || found === kind);
    });
  }

  /** Where the cursor is: the line that the status bar says. */
  async line() {
    const words = await this.page.locator('#status\\.editor\\.selection').innerText();
    return Number(/Ln (\d+)/.exec(words)?.[1] ?? 0);
  }

  /** The text that is shown, its blanks made plain. */
  async text() {
    const lines = this.page.locator('.monaco-editor .view-line');
    return (await lines.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
  }

  /** The frame of a view: the page in the page in the page. */
  async view(selector, patience = PATIENCE) {
    const end = Date.now() + patience;
    while (Date.now() < end) {
      for (const frame of this.page.frames()) {
        const found = await frame
          .locator(selector)
          .count()
          .catch(() => 0);
        if (found > 0) return frame;
      }
      await this.page.waitForTimeout(100);
    }
    throw new Error(`no view with ${selector}`);
  }

  /** Waits until something holds. What is drawn anew while it is looked at does not hold yet. */
  async until(words, holds, patience = PATIENCE) {
    const end = Date.now() + patience;
    let cause;
    while (Date.now() < end) {
      try {
        if (await holds()) return true;
      } catch (error) {
        cause = error;
      }
      await this.page.waitForTimeout(100);
    }
    throw new Error(`in vain: ${words}`, { cause });
  }
}
