// The page that `visa-lint view --scratch` serves: a text editor with a language server behind a WebSocket, and the views beside it, which
// follow the cursor as those of VS Code do. The text is in the page alone.

import { LSPClient, languageServerExtensions, type Transport } from '@codemirror/lsp-client';
import { indentWithTab } from '@codemirror/commands';
import { rust } from '@codemirror/lang-rust';
import { HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorView, keymap, type ViewUpdate } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';

import example from '../../media/example.rs';
import { columnOf, operationsAt, unitOf } from '../positions';
import { readKernelCost, type KernelCost } from '../protocol';
import { memoryAnswer, timelineAnswer } from '../views/answers';
import { kernelsOf } from '../views/kernels';
import type { FromView, KernelChoice, MemoryContent, TimelineContent, ToView } from '../views/messages';
import { initial, next, type Event, type State } from '../views/state';
import { colour, h, link, prose } from './dom';
import { Frame } from './frame';
import type { Host, Kept } from './host';
import { MemoryPicture } from './memory';
import { Timeline } from './timeline';

/** The server reads no file of this name: it is an address of its own. */
const ADDRESS = 'untitled:scratch.rs';

/** Milliseconds of quiet before the server is asked. */
const AFTER_EDIT = 120;
const AFTER_MOVE = 40;

/** How long a question that was overtaken waits to be asked again, in milliseconds. */
const AGAIN = 250;

/** How long the server may take, in milliseconds. */
const PATIENCE = 120_000;

/** The protocol's codes for a question that an edit overtook or that the client took back. */
const OVERTAKEN: readonly unknown[] = [-32801, -32800, -32802];

const ENDED = 'visa-lint view has ended. The text stays here, and nothing checks it any more.';

interface Position {
  readonly line: number;
  readonly character: number;
}

interface Range {
  readonly start: Position;
  readonly end: Position;
}

interface Finding {
  readonly range: Range;
  readonly severity?: number;
  readonly code?: string;
  readonly message: string;
}

/** What the server answers to `textDocument/diagnostic`. */
interface Report {
  readonly items?: readonly Finding[];
}

/** What it answers to `textDocument/codeAction`. */
interface Action {
  readonly title: string;
  readonly isPreferred?: boolean;
  readonly edit?: WorkspaceEdit;
}

/** That the client takes actions with their edits. */
const ACTIONS = {
  clientCapabilities: {
    textDocument: {
      codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } } },
    },
  },
};

interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

interface WorkspaceEdit {
  readonly changes?: Readonly<Record<string, readonly TextEdit[]>>;
  readonly documentChanges?: readonly { readonly edits?: readonly TextEdit[] }[];
}

/** A view's host within the page. */
class Part<T> implements Host<T> {
  readonly edits = true;
  private listener: (message: ToView<T>) => void = () => undefined;
  private memory: Kept = {};

  constructor(readonly say: (message: FromView) => void) {}

  hear(listener: (message: ToView<T>) => void): void {
    this.listener = listener;
  }

  kept(): Kept {
    return this.memory;
  }

  keep(kept: Kept): void {
    this.memory = kept;
  }

  show(message: ToView<T>): void {
    this.listener(message);
  }
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.self], color: 'var(--code-keyword)' },
  { tag: [tags.typeName, tags.className], color: 'var(--code-type)' },
  { tag: [tags.string, tags.number, tags.bool], color: 'var(--code-literal)' },
  { tag: [tags.macroName, tags.attributeName, tags.meta], color: 'var(--code-macro)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--code-call)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
]);

class Scratch {
  private readonly status = h('p', { class: 'live-status checking', role: 'status' }, 'Starting …');
  private readonly findings = h('section', { class: 'findings', 'aria-label': 'Findings' });
  private readonly timelineHost = new Part<TimelineContent>((message) => {
    this.said(message);
  });
  private readonly memoryHost = new Part<MemoryContent>((message) => {
    this.said(message);
  });
  private readonly editor: EditorView;
  private readonly client: LSPClient;
  private timelineState: State<TimelineContent> = initial();
  private memoryState: State<MemoryContent> = initial();
  private kernels: readonly KernelChoice[] = [];
  private cost: KernelCost | null = null;
  /** Counts texts and questions: an answer to an older one is not shown. */
  private version = 0;
  private question = 0;
  private timer = 0;
  private checking = 0;
  private ended = false;

  constructor(body: HTMLElement) {
    body.classList.add('page', 'scratch');
    colour(document.documentElement);
    const timeline = h('div', { class: 'frame timeline-frame' });
    const memory = h('div', { class: 'frame memory-frame' });
    new Frame<TimelineContent>(timeline, this.timelineHost, (own) => new Timeline(own));
    new Frame<MemoryContent>(memory, this.memoryHost, (own) => new MemoryPicture(own));
    const text = h('div', { class: 'text-editor' });
    body.append(
      h('header', { class: 'top' }, h('h1', {}, 'Scratch'), this.status),
      h(
        'div',
        { class: 'halves' },
        h('div', { class: 'written' }, text, this.findings),
        h('div', { class: 'drawn' }, timeline, memory),
      ),
    );
    this.client = new LSPClient({
      timeout: PATIENCE,
      extensions: [...languageServerExtensions(), ACTIONS],
    });
    this.editor = new EditorView({
      parent: text,
      doc: example,
      // Into the first kernel, so that there is something to see.
      selection: { anchor: Math.max(example.search(/\bfn\b/), 0) },
      extensions: [
        EditorView.cspNonce.of(document.querySelector<HTMLMetaElement>('meta[name=nonce]')?.content ?? ''),
        basicSetup,
        keymap.of([indentWithTab]),
        rust(),
        indentUnit.of('    '),
        syntaxHighlighting(COLOURS),
        lintGutter(),
        EditorView.contentAttributes.of({ 'aria-label': 'Kernels' }),
        this.client.plugin(ADDRESS, 'rust'),
        EditorView.updateListener.of((update) => {
          this.updated(update);
        }),
      ],
    });
  }

  connect(): void {
    const socket = new WebSocket(
      new URL('language-server', window.location.href).href.replace(/^http/, 'ws'),
    );
    const listeners = new Map<(message: string) => void, (event: MessageEvent<string>) => void>();
    const transport: Transport = {
      send: (message) => {
        socket.send(message);
      },
      subscribe: (handler) => {
        const listener = ({ data }: MessageEvent<string>): void => {
          handler(data);
        };
        listeners.set(handler, listener);
        socket.addEventListener('message', listener);
      },
      unsubscribe: (handler) => {
        const listener = listeners.get(handler);
        if (listener !== undefined) socket.removeEventListener('message', listener);
      },
    };
    socket.addEventListener('open', () => {
      this.client.connect(transport);
      void this.client.initializing.then(() => {
        this.say('done', 'Checked as you type. The text is in this page alone.');
        void this.check();
        this.soon(0);
      });
    });
    socket.addEventListener('close', () => {
      this.ended = true;
      this.say('ended', ENDED);
      this.turn({ kind: 'server', state: 'gone' });
    });
    this.editor.focus();
  }

  private say(kind: string, words: string): void {
    this.status.className = `live-status ${kind}`;
    this.status.textContent = words;
  }

  private updated({ docChanged, selectionSet }: ViewUpdate): void {
    if (docChanged) {
      this.version += 1;
      this.checkSoon();
      this.soon(AFTER_EDIT);
    } else if (selectionSet) this.soon(AFTER_MOVE);
  }

  private soon(delay: number): void {
    window.clearTimeout(this.timer);
    if (this.ended) return;
    this.timer = window.setTimeout(() => void this.ask(), delay);
  }

  private checkSoon(): void {
    window.clearTimeout(this.checking);
    if (!this.ended) this.checking = window.setTimeout(() => void this.check(), AFTER_EDIT);
  }

  /** Asks for the findings: the client says that it does, so that the server sends none by itself. */
  private async check(): Promise<void> {
    const { version } = this;
    this.client.sync();
    const parameters = { textDocument: { uri: ADDRESS } };
    try {
      const report = await this.client.request<object, Report>('textDocument/diagnostic', parameters);
      if (version === this.version) this.mark(report);
    } catch (error) {
      if (version !== this.version || this.ended) return;
      if (overtaken(error)) this.checkSoon();
      else this.findings.replaceChildren(h('p', {}, messageOf(error)));
    }
  }

  /** Asks about the kernel that the cursor is in, and then for what a search finds, which takes longer. */
  private async ask(): Promise<void> {
    this.question += 1;
    const { version, question } = this;
    const current = (): boolean => version === this.version && question === this.question;
    this.kernels = kernelsOf(this.editor.state.doc.toString());
    this.client.sync();
    const parameters = this.place();
    const ask = (method: string): Promise<unknown> =>
      this.client.request<object, unknown>(method, parameters);
    try {
      const [cost, map] = await Promise.all([ask('visa/kernelCost'), ask('visa/memoryMap')]);
      if (!current()) return;
      this.answered(cost, map);
      if (this.cost?.total == null || this.cost.searched !== null) return;
      const advised = await ask('visa/kernelAdvice');
      if (advised !== null && current()) this.answered(advised, map);
    } catch (error) {
      if (!current() || this.ended) return;
      if (overtaken(error)) this.soon(AGAIN);
      else this.turn({ kind: 'failed', document: ADDRESS, reason: messageOf(error) });
    }
  }

  private place(): { textDocument: { uri: string }; position: Position } {
    const { doc, selection } = this.editor.state;
    const line = doc.lineAt(selection.main.head);
    const position = { line: line.number - 1, character: selection.main.head - line.from };
    return { textDocument: { uri: ADDRESS }, position };
  }

  private answered(cost: unknown, map: unknown): void {
    const answer = timelineAnswer(cost);
    this.cost = answer.kind === 'whole' ? readKernelCost(cost) : null;
    this.timelineState = next(this.timelineState, { kind: 'answered', document: ADDRESS, answer });
    this.memoryState = next(this.memoryState, {
      kind: 'answered',
      document: ADDRESS,
      answer: memoryAnswer(map, cost),
    });
    this.show();
  }

  private turn(event: Extract<Event<never>, { kind: 'failed' | 'server' }>): void {
    this.timelineState = next(this.timelineState, event);
    this.memoryState = next(this.memoryState, event);
    this.show();
  }

  private show(): void {
    const { kernels } = this;
    const here = this.here();
    this.timelineHost.show({ type: 'state', state: this.timelineState, here, kernels });
    this.memoryHost.show({ type: 'state', state: this.memoryState, here, kernels });
  }

  private here(): number[] {
    const { doc, selection } = this.editor.state;
    const line = doc.lineAt(selection.main.head);
    const column = columnOf(line.text, selection.main.head - line.from);
    return operationsAt(this.cost?.operations ?? [], ADDRESS, { line: line.number, column });
  }

  private said(message: FromView): void {
    if (message.type === 'choose') this.reveal(message.line, 1);
    else if (message.type === 'reveal') this.reveal(message.line, message.column);
    else if (message.type === 'apply') void this.apply(message.message);
  }

  private reveal(line: number, column: number): void {
    const { doc } = this.editor.state;
    const row = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.editor.dispatch({
      selection: { anchor: row.from + unitOf(row.text, column) },
      scrollIntoView: true,
    });
    this.editor.focus();
  }

  /** Makes a change that a view proposes, if the text is still the one that it is about. */
  private async apply(message: string): Promise<void> {
    const { version } = this;
    const edit = await this.client
      .request<object, WorkspaceEdit | null>('visa/proposalEdit', { ...this.place(), message })
      .catch(() => null);
    if (version === this.version) this.edit(edit);
  }

  /** Makes the change that mends a finding best. */
  private async fix(finding: Finding): Promise<void> {
    const { version } = this;
    const actions = await this.client
      .request<object, readonly Action[] | null>('textDocument/codeAction', {
        textDocument: { uri: ADDRESS },
        range: finding.range,
        context: { diagnostics: [finding], only: ['quickfix'] },
      })
      .catch(() => null);
    if (version !== this.version) return;
    const [best] = [...(actions ?? [])].sort((one, other) => preference(other) - preference(one));
    this.edit(best?.edit ?? null);
  }

  private edit(edit: WorkspaceEdit | null): void {
    const edits = edit === null ? [] : editsOf(edit);
    const changes = edits.map(({ range, newText }) => ({
      from: this.offset(range.start),
      to: this.offset(range.end),
      insert: newText,
    }));
    if (changes.length > 0) this.editor.dispatch({ changes });
  }

  private offset({ line, character }: Position): number {
    const { doc } = this.editor.state;
    if (line >= doc.lines) return doc.length;
    const row = doc.line(line + 1);
    return Math.min(row.from + character, row.to);
  }

  /** Underlines what the server finds, and lists it below the text. */
  private mark({ items = [] }: Report): void {
    const found = items.map((one): Diagnostic => {
      const { range, severity, code, message } = one;
      const source = code === undefined ? {} : { source: code };
      const fix = { name: 'Fix', apply: () => void this.fix(one) };
      const [from, to] = [this.offset(range.start), this.offset(range.end)];
      return { from, to, severity: level(severity), message, actions: [fix], ...source };
    });
    this.editor.dispatch(setDiagnostics(this.editor.state, found));
    const rows = items.filter(({ severity }) => level(severity) !== 'hint').map((one) => this.row(one));
    this.findings.replaceChildren(
      h('h3', {}, rows.length === 0 ? 'No finding' : `Findings: ${rows.length}`),
      ...(rows.length === 0 ? [] : [h('table', {}, h('tbody', {}, ...rows))]),
    );
  }

  private row(finding: Finding): HTMLElement {
    const { range, severity, code, message } = finding;
    const fix = link('fix', () => void this.fix(finding));
    const word = level(severity);
    return h(
      'tr',
      { class: word === 'error' ? 'deny' : 'warn' },
      h('td', { class: 'level' }, word),
      h('td', { class: 'where' }, this.lineOf(this.offset(range.start)), ' · ', fix),
      h('td', {}, ...prose(message.split('\n')[0] ?? ''), h('span', { class: 'faint' }, ` · ${code ?? ''}`)),
    );
  }

  private lineOf(offset: number): HTMLElement {
    const line = this.editor.state.doc.lineAt(offset);
    return link(`line ${line.number}`, () => {
      this.reveal(line.number, columnOf(line.text, offset - line.from));
    });
  }
}

function preference({ isPreferred, edit }: Action): number {
  return (edit === undefined ? 0 : 1) + (isPreferred === true ? 1 : 0);
}

function overtaken(error: unknown): boolean {
  return OVERTAKEN.includes((error as { code?: unknown }).code);
}

function messageOf(error: unknown): string {
  const { message } = error as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}

function editsOf({ changes, documentChanges }: WorkspaceEdit): readonly TextEdit[] {
  return changes?.[ADDRESS] ?? (documentChanges ?? []).flatMap(({ edits }) => edits ?? []);
}

/** The protocol's severities as the editor has them. */
function level(severity: number | undefined): Diagnostic['severity'] {
  return ({ 1: 'error', 2: 'warning', 3: 'info', 4: 'hint' } as const)[severity ?? 1] ?? 'error';
}

/** Draws the page and starts its language server. */
export function scratch(): void {
  new Scratch(document.body).connect();
}
