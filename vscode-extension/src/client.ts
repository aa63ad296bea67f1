// The language server's life: found, started, watched, started anew.

import { homedir } from 'node:os';

import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  State,
  type ErrorHandler,
  type LanguageClientOptions,
  type ServerOptions,
  type WorkspaceEdit,
} from 'vscode-languageclient/node';

import { beside } from './neighbours';
import { isOurs, Ours } from './ours';
import { explained as asked } from './ruleAddress';
import { EXPLAIN, rulePagesFeature, showRulePage } from './rulePages';
import { attempt } from './server/attempt';
import { explained, find, type Candidate } from './server/find';
import { mayRestart } from './server/restarts';
import { holdsKernels } from './views/kernels';

export type Status =
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready'; readonly version: string; readonly server: Candidate }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopped' };

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

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private ends: number[] = [];
  /** Starts and stops follow each other; the last wish wins. */
  private work: Promise<void> = Promise.resolve();
  private readonly changed = new vscode.EventEmitter<Status>();
  private now: Status = { kind: 'stopped' };
  /** Waits for a kernel to say what is wrong. */
  private waiting: vscode.Disposable | undefined;

  readonly onChange = this.changed.event;
  readonly log = vscode.window.createOutputChannel('VISA', { log: true });

  constructor(private readonly extension: vscode.ExtensionContext) {}

  get status(): Status {
    return this.now;
  }

  /** Starts the server anew, or for the first time. */
  restart(): Promise<void> {
    this.ends = [];
    this.work = this.work.then(
      () => this.replace(),
      () => this.replace(),
    );
    return this.work;
  }

  /** Asks the server. `undefined` if there is none that could answer. */
  async ask(method: string, parameters: unknown, token: vscode.CancellationToken): Promise<unknown> {
    if (this.client?.state !== State.Running) return undefined;
    return this.client.sendRequest<unknown>(method, parameters, token);
  }

  /** Makes the edit that the server answers with; whether there was one and the editor made it. */
  async edit(method: string, parameters: unknown, token: vscode.CancellationToken): Promise<boolean> {
    const { client } = this;
    const answer = (await this.ask(method, parameters, token)) as WorkspaceEdit | null | undefined;
    if (client === undefined || answer == null) return false;
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(answer, token);
    return vscode.workspace.applyEdit(edit, { isRefactoring: true });
  }

  /** A document as the protocol names it. */
  uriOf(document: vscode.TextDocument): string {
    return this.client?.code2ProtocolConverter.asUri(document.uri) ?? document.uri.toString();
  }

  async stop(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    // A server that hangs must not keep the editor open.
    await client?.dispose(2000).catch(() => undefined);
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
    await this.stop();
    const folders = vscode.workspace.workspaceFolders ?? [];
    const setting = vscode.workspace.getConfiguration(SECTION).get<string | null>('server.path', null);
    const found = await find(
      setting,
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
  }

  private async start(server: Candidate, version: string): Promise<void> {
    const run = { command: server.path, args: [], options: { env: process.env } };
    const program: ServerOptions = { run, debug: run };
    const ours = new Ours(() => client);
    const client: LanguageClient = new LanguageClient(SECTION, 'VISA', program, {
      ...this.options(),
      errorHandler: this.errors(() => client),
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
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.ended(client, `The language server does not start: ${String(error)}`);
      return;
    }
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

  /** What a broken connection means. The client's own restart is not used: a server that ends before it has answered the first
   * request leaves it between two states, from where it neither starts nor says so. */
  private errors(client: () => LanguageClient): ErrorHandler {
    return {
      error: (_error, _message, count) => ({
        action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
        handled: true,
      }),
      closed: () => {
        this.ended(client(), 'The language server ended.');
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  /** A server that ends by itself is started again, but not for ever. Said twice of one client, it counts once. */
  private ended(client: LanguageClient, reason: string): void {
    if (this.client !== client) return;
    this.client = undefined;
    const verdict = mayRestart(this.ends, Date.now());
    this.ends = verdict.ends;
    if (!verdict.restart) {
      this.fail(`${reason} It ended several times in a row and is not started again.`);
      return;
    }
    this.log.warn(`${reason} It is started again.`);
    this.work = this.work.then(async () => {
      // Started anew in the meantime, by a setting or a command.
      if (this.client === undefined) await this.replace();
    });
  }

  private fail(reason: string): void {
    this.log.error(reason);
    this.set({ kind: 'failed', reason });
    this.offerWhereWanted(reason);
  }

  /** Says what is wrong once there is a kernel: who writes other Rust is not to be bothered. */
  private offerWhereWanted(reason: string): void {
    this.waiting?.dispose();
    const wanted = (document: vscode.TextDocument): boolean =>
      vscode.languages.match(DOCUMENTS, document) > 0 &&
      (document.languageId === 'rust' ? holdsKernels(document.getText()) : isOurs(document));
    if (vscode.workspace.textDocuments.some(wanted)) {
      void this.offer(reason);
      return;
    }
    this.waiting = vscode.workspace.onDidOpenTextDocument((document) => {
      if (!wanted(document)) return;
      this.waiting?.dispose();
      if (this.now.kind === 'failed') void this.offer(reason);
    });
  }

  private async offer(reason: string): Promise<void> {
    const [settings, help, log] = ['Open Settings', 'How to Install', 'Show Log'];
    const chosen = await vscode.window.showErrorMessage(`VISA: ${reason}`, settings, help, log);
    if (chosen === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'visa.server.path');
    } else if (chosen === help) {
      await vscode.commands.executeCommand('visa.showInstallHelp');
    } else if (chosen === log) {
      this.log.show();
    }
  }
}
