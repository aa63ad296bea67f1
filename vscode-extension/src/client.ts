// The language server's life: found, started, watched, started again.

import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';

import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RenameRequest,
  State,
  type ErrorHandler,
  type LanguageClientOptions,
  type StaticFeature,
  type WorkspaceEdit,
} from 'vscode-languageclient/node';

import { beside } from './otherExtensions';
import { isOurs, Ours } from './ours';
import { explained as asked } from './ruleAddress';
import { readStatus } from './protocol';
import { EXPLAIN, rulePagesFeature, showRulePage } from './rulePages';
import { attempt } from './server/attempt';
import { explained, find, type Candidate } from './server/find';
import { GRACE, ServerProcess } from './server/process';
import { mayRestart } from './server/restarts';
import { holdsKernels } from './views/kernels';

export type Status =
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready'; readonly version: string; readonly server: Candidate }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopped' };

/** Why there is no server: none was found, or the one that was found ends again and again. */
type Failure = 'missing' | 'ended';

/** The documents that are asked about. */
export const DOCUMENTS = [
  { scheme: 'file', language: 'rust' },
  { scheme: 'untitled', language: 'rust' },
  { scheme: 'file', language: 'pto' },
  { scheme: 'file', language: 'mlir', pattern: '**/*.{pto,mlir}' },
  { scheme: 'file', language: 'python', pattern: '**/*.py' },
];

/** Those of them with kernels of the Virtual ISA, which have a library, a timeline and a memory map. */
export const IN_RUST = DOCUMENTS.filter(({ language }) => language === 'rust');

const SECTION = 'visa';

function pathOfSettings(): string | null {
  return vscode.workspace.getConfiguration(SECTION).get<string | null>('server.path', null);
}

/** What a broken connection means. The client's own restart is not used: a server that ends before it has answered the first
 * request leaves it between two states, from where it neither starts nor says so. */
function errors(running: ServerProcess): ErrorHandler {
  return {
    error: (_error, _message, count) => ({
      action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
      handled: true,
    }),
    closed: () => {
      running.end();
      return { action: CloseAction.DoNotRestart, handled: true };
    },
  };
}

/** The first open folder, if it is one on this machine: there the server runs. */
async function folderOfWorkspace(): Promise<string | undefined> {
  const uri = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (uri?.scheme !== 'file') return undefined;
  const there = await stat(uri.fsPath).catch(() => null);
  return there?.isDirectory() === true ? uri.fsPath : undefined;
}

/** Asks the server to say whether there is anything for it to do. */
const statusFeature: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const { experimental } = capabilities as { experimental?: object };
    capabilities.experimental = { ...experimental, visaStatus: true };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private process: ServerProcess | undefined;
  private ends: number[] = [];
  /** Starts and stops follow each other; the last wish wins. */
  private work: Promise<void> = Promise.resolve();
  /** How often a restart was asked for. */
  private wishes = 0;
  /** The setting with which a server was looked for last. */
  private path: string | null = null;
  private readonly changed = new vscode.EventEmitter<Status>();
  private now: Status = { kind: 'stopped' };
  /** Kernels of the workspace, as the server counts them; `null` where it has not said. */
  private counted: number | null = null;
  /** Waits for a kernel to say what is wrong. */
  private waiting: vscode.Disposable | undefined;

  readonly onChange = this.changed.event;
  readonly log = vscode.window.createOutputChannel('VISA', { log: true });

  constructor(private readonly extension: vscode.ExtensionContext) {}

  get status(): Status {
    return this.now;
  }

  get kernels(): number | null {
    return this.counted;
  }

  /** Starts the server again, or for the first time. */
  restart(): Promise<void> {
    this.ends = [];
    const wish = ++this.wishes;
    const act = async (): Promise<void> => {
      if (wish === this.wishes) await this.replace();
    };
    this.work = this.work.then(act, act);
    return this.work;
  }

  /** Whether the settings name another server than that which was looked for last. A file of settings that is written again, or the
   * same path in another scope, is no reason to start again. */
  isElsewhere(): boolean {
    return pathOfSettings() !== this.path;
  }

  /** Asks the server. `undefined` if there is none that could answer. */
  async ask(method: string, parameters: unknown, token: vscode.CancellationToken): Promise<unknown> {
    const { client, process } = this;
    if (client?.state !== State.Running) return undefined;
    const answer = client.sendRequest<unknown>(method, parameters, token);
    // A server that ends in the meantime never answers.
    return Promise.race([answer, process?.ended.then(() => undefined) ?? answer]);
  }

  /** Makes the edit that the server answers with; whether there was one and the editor made it. */
  async edit(method: string, parameters: unknown, token: vscode.CancellationToken): Promise<boolean> {
    const { client } = this;
    const answer = (await this.ask(method, parameters, token)) as WorkspaceEdit | null | undefined;
    if (client === undefined || answer == null) return false;
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(answer, token);
    return vscode.workspace.applyEdit(edit, { isRefactoring: true });
  }

  /** What renames in a document, as the client of the protocol registers it. */
  renames(document: vscode.TextDocument): vscode.RenameProvider | undefined {
    if (this.client?.state !== State.Running) return undefined;
    return this.client.getFeature(RenameRequest.method).getProvider(document);
  }

  /** A document as the protocol names it. */
  uriOf(document: vscode.TextDocument): string {
    return this.client?.code2ProtocolConverter.asUri(document.uri) ?? document.uri.toString();
  }

  async stop(): Promise<void> {
    const { client, process } = this;
    this.client = undefined;
    this.process = undefined;
    // A server that hangs must not keep the editor open.
    await client?.dispose(GRACE).catch(() => undefined);
    process?.end();
  }

  dispose(): void {
    this.waiting?.dispose();
    this.changed.dispose();
    this.log.dispose();
  }

  private set(status: Status): void {
    this.now = status;
    this.changed.fire(status);
  }

  private async replace(): Promise<void> {
    this.set({ kind: 'starting' });
    const began = performance.now();
    await this.stop();
    const folders = vscode.workspace.workspaceFolders ?? [];
    this.path = pathOfSettings();
    const found = await find(
      this.path,
      {
        platform: process.platform,
        home: homedir(),
        env: process.env,
        extension: this.extension.extensionUri.fsPath,
        folders: folders.map((folder) => folder.uri.fsPath),
      },
      attempt,
    );
    if (found.kind === 'none') {
      this.fail(explained(found));
      return;
    }
    const { server, version } = found;
    this.log.info(`${server.path} (${server.origin}), version ${version}`);
    await this.start(server, version);
    if (this.client?.initializeResult !== undefined)
      this.log.info(`ready after ${Math.round(performance.now() - began)} ms`);
  }

  private async start(server: Candidate, version: string): Promise<void> {
    const running = new ServerProcess(server.path, await folderOfWorkspace());
    const ours = new Ours(() => client);
    const client: LanguageClient = new LanguageClient(SECTION, 'VISA', () => running.start(), {
      ...this.options(),
      errorHandler: errors(running),
      middleware: {
        ...ours.middleware(beside),
        // The page is shown here, where it can be as it is meant to look.
        executeCommand: async (command, given, next) => {
          const page = command === EXPLAIN ? asked(given as unknown[]) : null;
          if (page === null) return next(command, given) as unknown;
          await showRulePage(page.rule, page.document);
          return undefined;
        },
        workspace: {
          // The change that ends this server cannot be sent to it any more.
          didChangeConfiguration: async (sections, tell) => {
            await tell(sections).catch((error: unknown) => {
              if (this.client === client) throw error;
            });
          },
        },
      },
    });
    client.registerFeature(rulePagesFeature);
    client.registerFeature(statusFeature);
    this.client = client;
    this.process = running;
    this.counted = null;
    client.onNotification('visa/status', (said: unknown) => {
      if (this.client !== client) return;
      this.counted = readStatus(said);
      this.changed.fire(this.now);
    });
    const ended = running.ended.then((how) => {
      this.ended(client, `The language server ended (${how}).`);
    });
    const started = client.start().catch((error: unknown) => {
      const words = error instanceof Error ? error.message : String(error);
      this.ended(client, `The language server does not start (${words}).`);
      running.end();
    });
    await Promise.race([started, ended]);
    if (this.client !== client) return;
    this.set({ kind: 'ready', version: client.initializeResult?.serverInfo?.version ?? version, server });
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: DOCUMENTS,
      outputChannel: this.log,
      diagnosticCollectionName: SECTION,
      initializationOptions: vscode.workspace.getConfiguration().get<unknown>(SECTION),
      initializationFailedHandler: () => false,
      markdown: { isTrusted: false, supportHtml: false },
    };
  }

  /** A server that ends by itself is started again, but not for ever. Said twice of one client, it counts once. */
  private ended(client: LanguageClient, reason: string): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.process = undefined;
    const verdict = mayRestart(this.ends, Date.now());
    this.ends = verdict.ends;
    if (!verdict.restart) {
      this.fail(`${reason} It ended several times in a row and is not started again.`, 'ended');
      return;
    }
    this.log.warn(`${reason} It is started again.`);
    this.work = this.work.then(async () => {
      // Started again in the meantime, by a setting or a command.
      if (this.client === undefined) await this.replace();
    });
  }

  private fail(reason: string, how: Failure = 'missing'): void {
    this.log.error(reason);
    this.set({ kind: 'failed', reason });
    this.offerWhereWanted(reason, how);
  }

  /** Says what is wrong once there is a kernel: who writes other Rust is not to be bothered. */
  private offerWhereWanted(reason: string, how: Failure): void {
    this.waiting?.dispose();
    const wanted = (document: vscode.TextDocument): boolean =>
      vscode.languages.match(DOCUMENTS, document) > 0 &&
      (document.languageId === 'rust' ? holdsKernels(document.getText()) : isOurs(document));
    if (vscode.workspace.textDocuments.some(wanted)) {
      void this.offer(reason, how);
      return;
    }
    this.waiting = vscode.workspace.onDidOpenTextDocument((document) => {
      if (!wanted(document)) return;
      this.waiting?.dispose();
      if (this.now.kind === 'failed') void this.offer(reason, how);
    });
  }

  private async offer(reason: string, how: Failure): Promise<void> {
    const [settings, help, restart, log] = ['Open Settings', 'How to Install', 'Restart', 'Show Log'];
    // What is installed and ends is not mended by installing it.
    const buttons = how === 'missing' ? [settings, help, log] : [restart, settings, log];
    const chosen = await vscode.window.showErrorMessage(`VISA: ${reason}`, ...buttons);
    if (chosen === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'visa.server.path');
    } else if (chosen === help) {
      await vscode.commands.executeCommand('visa.showInstallHelp');
    } else if (chosen === restart) {
      await this.restart();
    } else if (chosen === log) {
      this.log.show();
    }
  }
}
