// A VS Code in a browser, as its reader uses it.

import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds for what takes long on a busy machine. */
export const PATIENCE = 60_000;

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
  'files.autoSave': 'off',
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
    const input = await this.quickInput('F1', `>${name}`);
    await this.page
      .locator('.quick-input-list .monaco-list-row', { hasText: name })
      .first()
      .waitFor({ timeout: PATIENCE });
    await input.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden', timeout: PATIENCE });
  }

  async quickInput(key, text) {
    await this.page.keyboard.press(key);
    const input = this.page.locator('.quick-input-widget input').first();
    await input.waitFor({ timeout: PATIENCE });
    await input.fill(text, { timeout: PATIENCE / 4 });
    return input;
  }

  /** Opens a file of the folder and waits for its text. The palette closes where something else takes the focus: once more, then. */
  async file(name) {
    const tab = this.page.locator(`.tab.active[data-resource-name="${name}"]`);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const input = await this.quickInput('Control+P', name);
        const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first();
        await row.waitFor({ timeout: PATIENCE / 4 });
        await input.press('Enter', { timeout: PATIENCE / 4 });
        await tab.waitFor({ timeout: PATIENCE / 4 });
        break;
      } catch (error) {
        if (attempt === 3) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
    await this.page.locator('.monaco-editor .view-line').first().waitFor({ timeout: PATIENCE });
  }

  /** Puts the cursor to a line and column, with the focus in the text. */
  async place(line, column = 1) {
    const input = await this.quickInput('Control+G', `:${line},${column}`);
    await input.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden', timeout: PATIENCE });
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

  /** Waits until something holds. */
  async until(words, holds, patience = PATIENCE) {
    const end = Date.now() + patience;
    while (Date.now() < end) {
      if (await holds()) return true;
      await this.page.waitForTimeout(100);
    }
    throw new Error(`in vain: ${words}`);
  }
}
