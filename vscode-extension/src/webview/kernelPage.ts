// What a page shows of one kernel: totals, bounds, proposals with their changes, timeline, memory map, operations, the source.
//
// Words of sources only ever become text nodes.

import { memoryAnswer, timelineAnswer } from '../views/answers';
import type { FromView, MemoryContent, TimelineContent, ToView } from '../views/messages';
import { initial, next, type Answer } from '../views/state';
import type { KernelCost, Operation, Proposal } from '../protocol';
import { CONTEXT_NAMES } from '../lanes';
import { cause, share, thousands } from '../words';
import { diff } from './diff';
import { h, link, prose, px, s } from './dom';
import { Frame } from './frame';
import type { Host, Kept } from './host';
import { MemoryPicture } from './memory';
import type { Known, Source } from './page';
import { savingOf, searchWords } from './proposals';
import { roofline } from './roofline';
import { engines, stages } from './tables';
import { Timeline } from './timeline';

/** Operations of a table that are listed at most. */
const MOST_OPERATIONS = 500;

/** A view's host within the page. */
class Part<T> implements Host<T> {
  readonly edits = false;
  private listener: (message: ToView<T>) => void = () => undefined;
  private memory: Kept = {};

  constructor(private readonly reveal: (file: string, line: number) => void) {}

  say(message: FromView): void {
    if (message.type === 'reveal') this.reveal(message.file, message.line);
  }

  hear(listener: (message: ToView<T>) => void): void {
    this.listener = listener;
  }

  kept(): Kept {
    return this.memory;
  }

  keep(kept: Kept): void {
    this.memory = kept;
  }

  show(document: string, answer: Answer<T>): void {
    const state = next(initial<T>(), { kind: 'answered', document, answer });
    this.listener({ type: 'state', state, here: [], kernels: [] });
  }
}

/** One kernel of a page; another one, or the same one with other figures, takes its place. */
export class KernelPage {
  readonly root = h('div', { class: 'kernel-page' });
  private readonly above = h('div');
  private readonly below = h('div');
  private readonly timeline: Frame<TimelineContent>;
  private readonly timelineBox = h('div', { class: 'frame' });
  private readonly timelineHost = new Part<TimelineContent>((file, line) => {
    this.reveal(file, line);
  });
  private readonly memoryHost = new Part<MemoryContent>((file, line) => {
    this.reveal(file, line);
  });
  /** What is shown, by its kernel's key and all that is said of it. */
  private shown = { key: '', said: '' };
  /** What the reader has opened of it: operations by number, changes by words. */
  private readonly opened = new Set<string>();

  constructor() {
    this.timeline = new Frame(this.timelineBox, this.timelineHost, (own) => new Timeline(own));
    const memoryBox = h('div', { class: 'frame' });
    new Frame<MemoryContent>(memoryBox, this.memoryHost, (own) => new MemoryPicture(own));
    this.root.append(
      this.above,
      section('timeline', 'Timeline', this.timelineBox),
      section('memory', 'Memory map', memoryBox),
      this.below,
    );
  }

  /** Shows a kernel. Where it is the one that is shown already, what the reader opened stays open, and what did not change stays. */
  show(known: Known): void {
    const said = JSON.stringify([known.answer, known.map, known.sources, known.changes]);
    if (this.shown.key === known.key && this.shown.said === said) return;
    if (this.shown.key !== known.key) this.opened.clear();
    this.shown = { key: known.key, said };
    const { kernel, assumptions } = known;
    this.above.replaceChildren(
      h('h2', {}, kernel.name),
      h('p', { class: 'faint' }, `${kernel.file}:${kernel.range?.start.line ?? 1}`),
      h('p', { class: 'total-words' }, known.words),
      h('div', { class: 'columns' }, ...this.bounds(kernel), this.proposals(known)),
    );
    this.timelineHost.show(known.key, timelineAnswer(known.answer));
    this.memoryHost.show(known.key, memoryAnswer(known.map, known.answer));
    this.below.replaceChildren(
      section('operations', 'Operations', this.operations(kernel)),
      section('source', 'Source', ...known.sources.map((source) => this.source(kernel, source))),
      ...(assumptions.length === 0
        ? []
        : [
            section(
              'assumes',
              'Assumes',
              h('ul', {}, ...assumptions.map((one) => h('li', {}, ...prose(one)))),
            ),
          ]),
    );
  }

  private bounds(kernel: KernelCost): Node[] {
    if (kernel.roofline === null) return [];
    return [section('roofline', 'Roofline', roofline(kernel.roofline))];
  }

  private proposals({ kernel, changes }: Known): HTMLElement {
    const entries = kernel.proposals.map((one, at) =>
      h('li', {}, ...this.proposal(one, changes[at] ?? null)),
    );
    if (kernel.total === null) {
      const reasons = kernel.unresolved.map(({ reason, range }) =>
        h(
          'li',
          {},
          link(`line ${range.start.line}`, () => {
            this.reveal(kernel.file, range.start.line);
          }),
          ' ',
          ...prose(reason),
        ),
      );
      return section('proposals', 'No total, because', h('ul', {}, ...reasons));
    }
    return section(
      'proposals',
      'What would save most',
      entries.length === 0
        ? h('p', { class: 'faint' }, 'No change is known that would save cycles.')
        : h('ol', {}, ...entries),
      ...this.together(kernel, changes.at(-1) ?? null),
    );
  }

  private proposal(proposal: Proposal, change: string | null): Node[] {
    const { message, help, rule, file, range } = proposal;
    const words = [
      h('b', {}, savingOf(proposal)),
      ', ',
      link(`line ${range.start.line}`, () => {
        this.reveal(file, range.start.line);
      }),
      h('span', { class: 'faint' }, ` · ${rule}`),
      h('br'),
      ...prose(message),
      help !== null && h('p', { class: 'help' }, ...prose(help)),
      change !== null && this.change(message, change),
    ];
    return [h('div', {}, ...words)];
  }

  /** What a proposal changes, where it is asked for. */
  private change(message: string, change: string): HTMLElement {
    const key = `change ${message}`;
    const details = h(
      'details',
      { class: 'change', open: this.opened.has(key) },
      h('summary', {}, 'the change'),
      diff(change),
    );
    details.addEventListener('toggle', () => {
      this.keep(key, details.open);
    });
    return details;
  }

  private keep(key: string, open: boolean): void {
    if (open) this.opened.add(key);
    else this.opened.delete(key);
  }

  /** That savings are alternatives, the best two of them as one with their change, and how far the search went. */
  private together({ searched, proposals: all }: KernelCost, change: string | null): Node[] {
    const proposals = all.length;
    if (searched === null) {
      return proposals > 1 ? [h('p', { class: 'faint' }, 'Savings do not add up.')] : [];
    }
    const { pair } = searched;
    const words = searchWords(searched, proposals);
    return [
      ...(pair === null
        ? []
        : [
            h('p', { class: 'faint' }, 'Savings do not add up. The best two together:'),
            h('ul', { class: 'pair' }, h('li', {}, ...this.proposal(pair, change))),
          ]),
      ...words.map((one) => h('p', { class: 'faint' }, one)),
    ];
  }

  private operations(kernel: KernelCost): HTMLElement {
    const head = ['', '', 'operation', 'context', 'cycles', 'share', 'bottleneck', 'waits for', 'line'];
    const body = h('tbody');
    for (const operation of kernel.operations.slice(0, MOST_OPERATIONS)) {
      body.append(...this.operation(kernel, operation));
    }
    const more = kernel.operations.length - MOST_OPERATIONS;
    return h(
      'div',
      { class: 'wide' },
      h(
        'table',
        { class: 'operation-table' },
        h('thead', {}, h('tr', {}, ...head.map((word) => h('th', { scope: 'col' }, word)))),
        body,
      ),
      more > 0 && h('p', { class: 'faint' }, `and ${thousands(more)} more`),
    );
  }

  /** An operation's row, and below it, where it is asked for, its engines and stages. */
  private operation(kernel: KernelCost, operation: Operation): HTMLElement[] {
    const { id, name, context, waits, file, range } = operation;
    const [wait] = waits;
    const waited = kernel.operations.find((other) => other.id === wait?.operation);
    const toggle = h(
      'button',
      { type: 'button', class: 'link', 'aria-expanded': 'false', 'aria-label': `Stages of ${name}` },
      '▸',
    );
    const inner = h('td', { colspan: 9 });
    const details = h('tr', { class: 'stage-row', hidden: true }, inner);
    const key = `operation ${id}`;
    const open = (wanted: boolean): void => {
      details.hidden = !wanted;
      toggle.setAttribute('aria-expanded', String(wanted));
      toggle.textContent = wanted ? '▾' : '▸';
      this.keep(key, wanted);
      if (!wanted || inner.childElementCount > 0) return;
      inner.append(engines(operation));
      if (operation.stream.length > 0) inner.append(stages(operation));
    };
    toggle.addEventListener('click', () => {
      open(toggle.getAttribute('aria-expanded') !== 'true');
    });
    if (this.opened.has(key)) open(true);
    const row = h(
      'tr',
      { class: kernel.criticalPath.includes(id) ? 'critical' : '' },
      h('td', {}, toggle),
      h('td', { class: 'number faint' }, `${id}`),
      h('td', {}, h('i', { class: `swatch ${context}` }), name),
      h('td', {}, CONTEXT_NAMES[context]),
      h('td', { class: 'number' }, operation.cycles === null ? 'unknown' : thousands(operation.cycles)),
      h(
        'td',
        { class: 'number' },
        operation.cycles === null || kernel.total === null ? '' : share(operation.cycles, kernel.total),
      ),
      h('td', {}, operation.bottleneck ?? ''),
      h(
        'td',
        {},
        wait === undefined ? '' : `${waited?.name ?? `operation ${wait.operation}`} (${cause(wait)})`,
      ),
      h(
        'td',
        { class: 'number' },
        link(`${range.start.line}`, () => {
          this.reveal(file, range.start.line);
        }),
      ),
    );
    return [row, details];
  }

  /** The lines of a file that a kernel is in, with the cycles of the operations that begin in each. */
  private source(kernel: KernelCost, source: Source): HTMLElement {
    const spent = new Map<number, Operation[]>();
    for (const operation of kernel.operations) {
      if (operation.file !== source.file) continue;
      const { line } = operation.range.start;
      const before = spent.get(line);
      if (before === undefined) spent.set(line, [operation]);
      else before.push(operation);
    }
    const sum = (operations: readonly Operation[]): number =>
      operations.reduce((total, one) => total + (one.cycles ?? 0), 0);
    const most = [...spent.values()].reduce((largest, one) => Math.max(largest, sum(one)), 1);
    const body = h('tbody');
    let last: number | null = null;
    for (const { number, text } of source.lines) {
      if (last !== null && number > last + 1) {
        body.append(
          h('tr', { class: 'faint' }, h('td', { class: 'number' }, '⋮'), h('td'), h('td'), h('td')),
        );
      }
      last = number;
      const operations = spent.get(number) ?? [];
      const taken = sum(operations);
      const known = operations.every((one) => one.cycles !== null);
      const bar = s(
        'svg',
        { class: 'bar', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': true },
        s('rect', { class: 'busy', width: px((100 * taken) / most), height: 8 }),
      );
      const [first] = operations;
      body.append(
        h(
          'tr',
          {
            'data-file': source.file,
            'data-line': number,
            class: operations.length > 0 ? 'spends' : '',
            title: operations.length > 0 ? operations.map((one) => one.name).join('\n') : null,
          },
          h('td', { class: 'number faint' }, `${number}`),
          h(
            'td',
            { class: 'number' },
            first !== undefined &&
              link(known ? thousands(taken) : 'unknown', () => {
                this.timeline.choose(first.id);
                this.timelineBox.scrollIntoView({ block: 'center' });
              }),
          ),
          h('td', { class: 'line-bar' }, operations.length > 0 && bar),
          h('td', { class: 'text' }, text),
        ),
      );
    }
    return h('div', { class: 'wide' }, h('h4', {}, source.file), h('table', { class: 'source-lines' }, body));
  }

  /** Brings a line of the source into sight and marks it. */
  reveal(file: string, line: number): void {
    for (const row of document.querySelectorAll<HTMLElement>('tr[data-line]')) {
      const meant = row.dataset.file === file && Number(row.dataset.line) === line;
      row.classList.toggle('revealed', meant);
      if (meant) row.scrollIntoView({ block: 'center' });
    }
  }
}

/** A part of a page with a heading. */
export function section(name: string, title: string, ...children: (Node | false)[]): HTMLElement {
  return h('section', { class: name, 'aria-label': title }, h('h3', {}, title), ...children);
}
