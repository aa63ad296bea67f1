// Follows the cursor and the text with the two views.
//
// A keystroke asks the server again, a little later, and drops the question before. A move of the cursor inside the kernel that
// is shown asks nothing: which operations it is in is known already.

import * as vscode from 'vscode';

import { IN_RUST, type Server } from '../client';
import { columnOf, operationsAt, serverPath, unitOf } from '../positions';
import type { KernelCost, Operation, Point } from '../protocol';
import { memoryAnswer, timelineAnswer } from './answers';
import { kernelsOf } from './kernels';
import type { FromView, KernelChoice, MemoryContent, TimelineContent } from './messages';
import type { View } from './provider';
import { initial, next, type Answer, type Event, type State } from './state';

/** Milliseconds of quiet before the server is asked. */
const AFTER_EDIT = 120;
const AFTER_MOVE = 40;

/** How long a question that was overtaken waits to be asked again, in milliseconds. */
const AGAIN = 250;

/** The answer's place in time: what it was asked about. */
interface Asked {
  readonly document: vscode.TextDocument;
  readonly version: number;
  /** The document and the place that the server was asked about. */
  readonly parameters: object;
}

export class Follower implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[] = [];
  private timer: NodeJS.Timeout | undefined;
  private question: vscode.CancellationTokenSource | undefined;
  private editor: vscode.TextEditor | undefined;
  /** What the pictures were drawn from. */
  private drawn: (Asked & { readonly cost: KernelCost }) | undefined;
  private kernels: KernelChoice[] = [];
  private timelineState: State<TimelineContent> = initial();
  private memoryState: State<MemoryContent> = initial();

  constructor(
    private readonly server: Server,
    private readonly timeline: View<TimelineContent>,
    private readonly memory: View<MemoryContent>,
  ) {
    this.subscriptions.push(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        this.follow(editor);
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) this.moved(textEditor);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === this.editor?.document) this.soon(AFTER_EDIT);
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('visa')) this.soon(AGAIN);
      }),
      server.onChange((status) => {
        if (status.kind === 'ready') this.soon(0);
        else if (status.kind === 'starting') this.turn({ kind: 'server', state: 'starting' });
        else this.turn({ kind: 'server', state: 'gone' });
      }),
      timeline.onShown(() => {
        this.soon(0);
      }),
      memory.onShown(() => {
        this.soon(0);
      }),
      timeline.onSaid((message) => void this.said(message)),
      memory.onSaid((message) => void this.said(message)),
    );
    this.follow(vscode.window.activeTextEditor);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.question?.cancel();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** The editor with the focus; none while a view has it, and then the one before is still followed. */
  private follow(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || vscode.languages.match(IN_RUST, editor.document) === 0) return;
    this.editor = editor;
    this.moved(editor);
  }

  private moved(editor: vscode.TextEditor): void {
    if (vscode.languages.match(IN_RUST, editor.document) === 0) return;
    this.editor = editor;
    const place = cursorOf(editor);
    const { drawn } = this;
    const current = drawn?.document === editor.document && drawn.version === editor.document.version;
    if (current && inside(drawn.cost, serverPath(editor.document.uri), place)) this.mark();
    else this.soon(AFTER_MOVE);
  }

  private soon(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), delay);
  }

  private async ask(): Promise<void> {
    const { editor } = this;
    if (editor === undefined) {
      this.turn({ kind: 'elsewhere' });
      return;
    }
    if ((!this.timeline.visible && !this.memory.visible) || this.server.status.kind !== 'ready') return;
    this.question?.cancel();
    const source = new vscode.CancellationTokenSource();
    this.question = source;
    const { document } = editor;
    this.kernels = kernelsOf(document.getText());
    const parameters = {
      textDocument: { uri: this.server.uriOf(document) },
      position: { line: editor.selection.active.line, character: editor.selection.active.character },
    };
    const asked: Asked = { document, version: document.version, parameters };
    const withMap = this.memory.visible;
    try {
      const [cost, map] = await Promise.all([
        this.server.ask('visa/kernelCost', parameters, source.token),
        withMap ? this.server.ask('visa/memoryMap', parameters, source.token) : undefined,
      ]);
      if (source.token.isCancellationRequested || document.version !== asked.version) return;
      this.answered(asked, cost, withMap ? memoryAnswer(map, cost) : null);
      await this.search(asked, map, source.token);
    } catch (error) {
      if (source.token.isCancellationRequested || document.version !== asked.version) return;
      // An edit elsewhere overtook the question; the answer comes with the next one.
      if (overtaken(error)) this.soon(AGAIN);
      else this.turn({ kind: 'failed', document: document.uri.toString(), reason: String(error) });
    }
  }

  /** Asks for what a search finds, once the picture is drawn: it takes longer, and the next edit ends it. */
  private async search(asked: Asked, map: unknown, token: vscode.CancellationToken): Promise<void> {
    const cost = this.drawn?.cost;
    if (cost?.total == null || cost.searched !== null) return;
    const answer = await this.server
      .ask('visa/kernelAdvice', asked.parameters, token)
      .catch((error: unknown) => {
        if (overtaken(error)) throw error;
        // A server that knows no searches.
        return undefined;
      });
    if (answer == null || token.isCancellationRequested || asked.document.version !== asked.version) return;
    this.answered(asked, answer, map === undefined ? null : memoryAnswer(map, answer));
  }

  private answered(asked: Asked, cost: unknown, map: Answer<MemoryContent> | null): void {
    const document = asked.document.uri.toString();
    const answer = timelineAnswer(cost);
    this.drawn = answer.kind === 'whole' ? { ...asked, cost: answer.content } : undefined;
    this.timelineState = next(this.timelineState, { kind: 'answered', document, answer });
    if (map !== null) {
      this.memoryState = next(this.memoryState, {
        kind: 'answered',
        document,
        answer: map,
      });
    }
    this.show();
  }

  private turn(event: Extract<Event<never>, { kind: 'failed' | 'elsewhere' | 'server' }>): void {
    this.timelineState = next(this.timelineState, event);
    this.memoryState = next(this.memoryState, event);
    if (event.kind === 'server') this.drawn = undefined;
    this.show();
  }

  private show(): void {
    const { kernels } = this;
    const here = this.here();
    this.timeline.show({ type: 'state', state: this.timelineState, here, kernels });
    this.memory.show({ type: 'state', state: this.memoryState, here, kernels });
  }

  private mark(): void {
    const here = this.here();
    this.timeline.mark(here);
    this.memory.mark(here);
  }

  private here(): number[] {
    const { editor, drawn } = this;
    if (editor === undefined || drawn?.document !== editor.document) return [];
    return operationsAt(drawn.cost.operations, serverPath(editor.document.uri), cursorOf(editor));
  }

  private async said(message: FromView): Promise<void> {
    if (message.type === 'apply') await this.apply(message.message);
    else if (message.type === 'choose') await this.reveal(this.editor?.document.uri, message.line, 1);
    else if (message.type === 'reveal') await this.reveal(uriOf(message.file), message.line, message.column);
  }

  /** Makes a change that a view proposes, if the text is still the one that it is about. */
  private async apply(message: string): Promise<void> {
    const { drawn } = this;
    if (drawn === undefined) return;
    const parameters = { ...drawn.parameters, message };
    const token = new vscode.CancellationTokenSource().token;
    const current = drawn.document.version === drawn.version;
    const made =
      current && (await this.server.edit('visa/proposalEdit', parameters, token).catch(() => false));
    if (!made)
      void vscode.window.showInformationMessage(
        'VISA: nothing was changed, because the text is another one by now.',
      );
  }

  /** Puts the cursor to a place, in the editor that shows the file already if there is one. */
  async reveal(uri: vscode.Uri | undefined, line: number, column: number): Promise<void> {
    if (uri === undefined) return;
    const document = await vscode.workspace.openTextDocument(uri);
    const row = Math.min(line, document.lineCount) - 1;
    const place = new vscode.Position(row, unitOf(document.lineAt(row).text, column));
    const open = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
    const selection = new vscode.Range(place, place);
    const viewColumn = open?.viewColumn ?? vscode.ViewColumn.Active;
    await vscode.window.showTextDocument(document, { selection, viewColumn });
  }
}

function cursorOf(editor: vscode.TextEditor): Point {
  const { line, character } = editor.selection.active;
  return { line: line + 1, column: columnOf(editor.document.lineAt(line).text, character) };
}

/** Whether a line is between a kernel's name and its last statement. */
function inside(cost: KernelCost, file: string, place: Point): boolean {
  if (cost.file !== file) return false;
  const own = cost.operations.filter((operation: Operation) => operation.file === file);
  const last = own.reduce((line, { statement }) => Math.max(line, statement.end.line), 0);
  return place.line >= (cost.range?.start.line ?? Infinity) && place.line <= last;
}

/** The server names files by their paths, and other documents by their addresses. */
function uriOf(file: string): vscode.Uri {
  return /^[a-z][a-z0-9+.-]+:/i.test(file) ? vscode.Uri.parse(file) : vscode.Uri.file(file);
}

/** The protocol's codes for a question that an edit overtook or the client took back. */
function overtaken(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === -32801 || code === -32800 || code === -32802;
}
