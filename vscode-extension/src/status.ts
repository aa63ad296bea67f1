// The item in the status bar: what the server is doing, the cycles of the kernel at the cursor, and what can be done about it.

import * as vscode from 'vscode';

import { DOCUMENTS, type Server, type Status } from './client';
import { isOurs } from './ours';
import { readDialect, readKernelTotal, type Dialect, type KernelTotal } from './protocol';
import { dialectName, kernelWords } from './words';

/** Milliseconds that the cursor rests before the server is asked for the kernel there. */
const REST = 200;

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'visa.status',
    vscode.StatusBarAlignment.Right,
    90,
  );
  private readonly subscriptions: vscode.Disposable[];
  /** The library of the document that is shown, and which document that is. */
  private known: { readonly document: vscode.TextDocument; readonly dialect: Dialect | null } | undefined;
  private asking: vscode.CancellationTokenSource | undefined;
  /** The kernel at the cursor, of the document that it is in. */
  private kernel: { readonly document: vscode.TextDocument; readonly total: KernelTotal | null } | undefined;
  private measuring: vscode.CancellationTokenSource | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.item.name = 'VISA';
    this.item.command = 'visa.showMenu';
    const update = (): void => {
      this.draw();
      void this.ask();
      this.soon();
    };
    this.subscriptions = [
      server.onChange(update),
      vscode.window.onDidChangeActiveTextEditor(update),
      // A manifest or an import decides again, and findings follow from it.
      vscode.workspace.onDidSaveTextDocument(update),
      vscode.languages.onDidChangeDiagnostics(update),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) this.soon();
      }),
    ];
    update();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asking?.cancel();
    this.measuring?.cancel();
    this.item.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private draw(): void {
    const { status } = this.server;
    const document = shown();
    const dialect = this.known?.document === document ? this.known?.dialect : undefined;
    const kernel = this.kernel?.document === document ? this.kernel?.total : undefined;
    const language = document === undefined ? undefined : LANGUAGES[document.languageId];
    const { text, tooltip, color } = worded(
      status,
      dialect ?? null,
      kernel ?? null,
      language,
      this.server.kernels,
    );
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `VISA: ${tooltip}` };
    this.item.backgroundColor = color === undefined ? undefined : new vscode.ThemeColor(color);
    // What is broken is shown everywhere, what works only where it matters.
    if (document !== undefined || status.kind === 'failed') this.item.show();
    else this.item.hide();
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.measure(), REST);
  }

  /** Asks for the kernel at the cursor. */
  private async measure(): Promise<void> {
    this.measuring?.cancel();
    const document = shown();
    const place = vscode.window.activeTextEditor?.selection.active;
    if (document === undefined || place === undefined || this.server.status.kind !== 'ready') return;
    const source = new vscode.CancellationTokenSource();
    this.measuring = source;
    const parameters = {
      textDocument: { uri: this.server.uriOf(document) },
      position: { line: place.line, character: place.character },
    };
    // What an edit overtakes is asked again: the findings that follow it come here.
    const answer = await this.server.ask('visa/kernelCost', parameters, source.token).catch(() => null);
    if (source.token.isCancellationRequested) return;
    this.kernel = { document, total: readKernelTotal(answer) };
    this.draw();
  }

  /** Asks for the library of the document that is shown. */
  private async ask(): Promise<void> {
    this.asking?.cancel();
    const document = shown();
    if (document?.languageId !== 'rust' || this.server.status.kind !== 'ready') return;
    const source = new vscode.CancellationTokenSource();
    this.asking = source;
    const parameters = { uri: this.server.uriOf(document) };
    const answer = await this.server
      .ask('visa/dialect', parameters, source.token)
      // A server of another version does not know the request.
      .catch(() => undefined);
    if (source.token.isCancellationRequested) return;
    this.known = { document, dialect: readDialect(answer) };
    this.draw();
  }
}

/** The document that is shown, if it is one that the server is asked about. */
function shown(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || vscode.languages.match(DOCUMENTS, document) === 0) return undefined;
  return isOurs(document) ? document : undefined;
}

/** What kernels of other languages than Rust are written in, by the editor's name of the language. */
const LANGUAGES: Readonly<Record<string, string | undefined>> = { pto: 'PTO', mlir: 'PTO', python: 'NKI' };

function worded(
  status: Status,
  dialect: Dialect | null,
  kernel: KernelTotal | null,
  language?: string,
  kernels: number | null = null,
): { text: string; tooltip: string; color?: string } {
  switch (status.kind) {
    case 'starting':
      return { text: '$(loading~spin) VISA', tooltip: 'The language server is starting' };
    case 'ready': {
      const program = `visa-lsp ${status.version}, from ${ORIGINS[status.server.origin]}`;
      if (language !== undefined) {
        return {
          text: `$(circuit-board) ${language}`,
          tooltip: `This file is read as ${language}\n${program}`,
        };
      }
      if (kernels === 0 && kernel === null) {
        return {
          text: '$(circle-slash) VISA: no kernels',
          tooltip: `No kernels in this workspace: the server waits for one\n${program}`,
        };
      }
      const cost = kernel === null ? null : kernelWords(kernel);
      const suffix = cost === null ? '' : `: ${cost}`;
      const above = cost === null ? '' : `${cost}, as predicted\n`;
      if (dialect === null) return { text: `$(circuit-board) VISA${suffix}`, tooltip: above + program };
      const name = dialectName(dialect);
      return {
        text: `$(circuit-board) ${name}${suffix}`,
        tooltip: `${above}This file is read as for ${name}: ${dialect.because}\n${program}`,
      };
    }
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
    { label: '$(wand) Fix All Safe Problems in This File', command: 'visa.fixAll' },
    { label: '$(graph) Show Timeline', command: 'visa.showTimeline' },
    { label: '$(layers) Show Memory Map', command: 'visa.showMemoryMap' },
    { label: '$(debug-restart) Restart Language Server', command: 'visa.restartServer' },
    { label: '$(output) Show Log', command: 'visa.showLog' },
    { label: '$(mortar-board) Show Walkthrough', command: 'visa.showWalkthrough' },
    {
      label: '$(gear) Open Settings',
      command: 'workbench.action.openSettings',
      argument: '@ext:visa-lint.visa-lint',
    },
  ];
  const placeHolder = worded(status, null, null, undefined, server.kernels).tooltip;
  const chosen = await vscode.window.showQuickPick(entries, { title: 'VISA', placeHolder });
  if (chosen === undefined) return;
  await vscode.commands.executeCommand(chosen.command, ...('argument' in chosen ? [chosen.argument] : []));
}
