// What the editor calls: wires the server, the status item, the views and the commands together.

import * as vscode from 'vscode';

import { Server } from './client';
import { placeOf } from './arguments';
import { openExample } from './example';
import { RULE_SCHEME } from './ruleAddress';
import { Renames } from './renames';
import { RulePages } from './rulePages';
import { showMenu, StatusItem } from './status';
import { Tasks } from './tasks';
import { Follower } from './views/follower';
import type { MemoryContent, TimelineContent } from './views/messages';
import { View } from './views/provider';

/** The kind of the code action that makes every safe fix of a file. */
const FIX_ALL = 'source.fixAll.visa';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const own = new Server(context);
  server = own;
  const root = context.extensionUri;
  const timeline = new View<TimelineContent>(
    { id: 'visa.timeline', script: 'timeline.js', title: 'VISA timeline' },
    root,
  );
  const memory = new View<MemoryContent>(
    { id: 'visa.memory', script: 'memory.js', title: 'VISA memory map' },
    root,
  );
  const follower = new Follower(own, timeline, memory);
  const { registerCommand } = vscode.commands;
  const { registerWebviewViewProvider } = vscode.window;

  /** Brings a view into sight, at the place that a code lens gives if it gives one. */
  const show = async (view: string, given: readonly unknown[]): Promise<void> => {
    const place = placeOf(given);
    if (place !== null) await follower.reveal(vscode.Uri.parse(place.uri), place.line, place.column);
    await vscode.commands.executeCommand(`${view}.focus`);
  };

  context.subscriptions.push(
    own,
    timeline,
    memory,
    follower,
    new StatusItem(own),
    new Renames(own),
    registerWebviewViewProvider('visa.timeline', timeline),
    registerWebviewViewProvider('visa.memory', memory),
    registerCommand('visa.restartServer', () => own.restart()),
    registerCommand('visa.showLog', () => {
      own.log.show();
    }),
    registerCommand('visa.showMenu', () => showMenu(own)),
    registerCommand('visa.showTimeline', (...given: unknown[]) => show('visa.timeline', given)),
    registerCommand('visa.showMemoryMap', (...given: unknown[]) => show('visa.memory', given)),
    // What a code lens of unknown cycles calls; nothing goes nowhere from the palette.
    registerCommand('visa.goTo', async (...given: unknown[]) => {
      const place = placeOf(given);
      if (place !== null) await follower.reveal(vscode.Uri.parse(place.uri), place.line, place.column);
    }),
    // The editor asks for the action, makes its edit, and says so where nothing is to be mended.
    registerCommand('visa.fixAll', () =>
      vscode.commands.executeCommand('editor.action.codeAction', { kind: FIX_ALL, apply: 'first' }),
    ),
    registerCommand('visa.openExample', () => openExample(root)),
    registerCommand('visa.showWalkthrough', () =>
      vscode.commands.executeCommand(
        'workbench.action.openWalkthrough',
        `${context.extension.id}#visa.start`,
      ),
    ),
    vscode.workspace.registerTextDocumentContentProvider(RULE_SCHEME, new RulePages(own)),
    vscode.tasks.registerTaskProvider('visa-lint', new Tasks(own, root)),
    registerCommand('visa.showInstallHelp', () =>
      vscode.commands.executeCommand(
        'markdown.showPreview',
        vscode.Uri.joinPath(root, 'media', 'install.md'),
      ),
    ),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('visa.server.path') && own.isElsewhere()) void own.restart();
    }),
  );
  await own.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
  server = undefined;
}
