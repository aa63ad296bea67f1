// The item in the status bar: what the server is doing, and what can be done about it.

import * as vscode from 'vscode';

import { DOCUMENTS, type Server, type Status } from './client';

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'visa.status',
    vscode.StatusBarAlignment.Right,
    90,
  );
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.item.name = 'VISA';
    this.item.command = 'visa.showMenu';
    this.subscriptions = [
      server.onChange(() => {
        this.draw();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.draw();
      }),
    ];
    this.draw();
  }

  dispose(): void {
    this.item.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private draw(): void {
    const { status } = this.server;
    const { text, tooltip, color } = worded(status);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `VISA: ${tooltip}` };
    this.item.backgroundColor = color === undefined ? undefined : new vscode.ThemeColor(color);
    const document = vscode.window.activeTextEditor?.document;
    const fitting = document !== undefined && vscode.languages.match(DOCUMENTS, document) > 0;
    // What is broken is shown everywhere, what works only where it matters.
    if (fitting || status.kind === 'failed') this.item.show();
    else this.item.hide();
  }
}

function worded(status: Status): { text: string; tooltip: string; color?: string } {
  switch (status.kind) {
    case 'starting':
      return { text: '$(loading~spin) VISA', tooltip: 'The language server is starting' };
    case 'ready':
      return {
        text: '$(circuit-board) VISA',
        tooltip: `visa-lsp ${status.version}, from ${ORIGINS[status.server.origin]}`,
      };
    case 'failed':
      return {
        text: '$(error) VISA',
        tooltip: status.reason,
        color: 'statusBarItem.errorBackground',
      };
    case 'stopped':
      return { text: '$(circle-slash) VISA', tooltip: 'The language server is stopped' };
  }
}

const ORIGINS = {
  setting: 'the setting visa.server.path',
  path: 'the search path',
  cargo: "Cargo's folder",
  bundle: 'the extension',
} as const;

/** The menu behind the item. */
export async function showMenu(server: Server): Promise<void> {
  const { status } = server;
  const entries = [
    { label: '$(graph) Show Timeline', command: 'visa.showTimeline' },
    { label: '$(layers) Show Memory Map', command: 'visa.showMemoryMap' },
    { label: '$(debug-restart) Restart Language Server', command: 'visa.restartServer' },
    { label: '$(output) Show Log', command: 'visa.showLog' },
    {
      label: '$(gear) Open Settings',
      command: 'workbench.action.openSettings',
      argument: '@ext:visa-lint.visa-lint',
    },
  ];
  const placeHolder = worded(status).tooltip;
  const chosen = await vscode.window.showQuickPick(entries, { title: 'VISA', placeHolder });
  if (chosen === undefined) return;
  await vscode.commands.executeCommand(chosen.command, ...('argument' in chosen ? [chosen.argument] : []));
}
