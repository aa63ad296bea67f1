// One page about the cost of kernels, for a browser: the views of the extension, and around them what an editor would show
// otherwise: the kernels to choose from, proposals, operations, the source.
//
// Everything comes from one object: written in the page, or brought up to date by the program that serves it. Words of sources only ever
// become text nodes.

import { readKernelCost, type KernelCost } from '../protocol';
import { thousands } from '../words';
import { Filter } from './filter';
import { colour, h } from './dom';
import { KernelPage } from './kernelPage';

/** What the program writes about a kernel. */
interface Given {
  /** As `visa/kernelCost` answers, with the number of its table in each operation. */
  readonly cost: { readonly operations?: readonly { readonly table?: number }[] };
  /** The engines and stages of operations. */
  readonly tables: readonly object[];
  /** As `visa/memoryMap` answers. */
  readonly map: unknown;
  /** Its total in words. */
  readonly words: string;
  readonly sources: readonly Source[];
  /** The unified diff of each proposal, and last that of the pair; `null` where there is none. */
  readonly changes: readonly (string | null)[];
  /** Places among the document's assumptions. */
  readonly assumes: readonly number[];
}

/** Some lines of a file. */
export interface Source {
  readonly file: string;
  readonly lines: readonly { readonly number: number; readonly text: string }[];
}

/** What the program writes. */
export interface Document {
  readonly program: string;
  readonly assumptions: readonly string[];
  readonly kernels: readonly Given[];
}

/** The answer to `visa/kernelCost`, its operations with their engines and stages. */
function whole({ cost, tables }: Given): object {
  const operations = (cost.operations ?? []).map((one) => ({ ...one, ...tables[one.table ?? -1] }));
  return { ...cost, operations };
}

/** A kernel with its cost read. */
export interface Known extends Given {
  /** As `visa/kernelCost` answers. */
  readonly answer: object;
  readonly number: number;
  /** What names it in every state of its file. */
  readonly key: string;
  readonly kernel: KernelCost;
  readonly assumptions: readonly string[];
}

function known(document: Document): Known[] {
  const all = document.kernels.flatMap((given, number): Known[] => {
    const answer = whole(given);
    const kernel = readKernelCost(answer);
    if (kernel === null) return [];
    const assumptions = given.assumes.flatMap((at) => document.assumptions[at] ?? []);
    return [{ ...given, answer, number, key: `${kernel.file}::${kernel.name}`, kernel, assumptions }];
  });
  // The dearest first; those of unknown cycles last.
  return all.sort((one, other) => (other.kernel.total ?? -1) - (one.kernel.total ?? -1));
}

export class Page {
  private kernels: readonly Known[] = [];
  /** The kernel that the reader looks at, by its key. */
  private chosen: string | null = null;
  private readonly title = h('h1');
  private readonly program = h('p', { class: 'faint' });
  private readonly filter = new Filter();
  private readonly nav = h('nav', { 'aria-label': 'Kernels' });
  private readonly gone = h('p', { class: 'gone', role: 'status' });
  private readonly kernel = new KernelPage();

  /** A page in an element, with what else is to be at its top. */
  constructor(body: HTMLElement, ...beside: readonly HTMLElement[]) {
    body.classList.add('page');
    colour(document.documentElement);
    body.append(
      h('header', { class: 'top' }, this.title, this.program),
      ...beside.slice(0, 1),
      this.filter.root,
      this.nav,
      ...beside.slice(1),
      this.gone,
      this.kernel.root,
    );
    window.addEventListener('hashchange', () => {
      const number = Number(/^#kernel-(\d+)$/.exec(window.location.hash)?.[1] ?? Number.NaN);
      const kernel = this.kernels.find((one) => one.number === number);
      if (kernel !== undefined) this.choose(kernel);
    });
  }

  /** Shows what the program says now. The kernel that is looked at stays, wherever it is by now. */
  take(document: Document): void {
    this.kernels = known(document);
    const count = this.kernels.length === 1 ? 'a kernel' : `${this.kernels.length} kernels`;
    this.title.textContent = this.kernels.length === 0 ? 'No kernel' : `Cost of ${count}`;
    this.program.textContent =
      this.kernels.length === 0
        ? `${document.program} · no function has #[device]`
        : `${document.program} · every figure is a prediction`;
    this.nav.replaceChildren(...(this.kernels.length > 1 ? [this.overview()] : []));
    this.filter.apply();
    const number = Number(/^#kernel-(\d+)$/.exec(window.location.hash)?.[1] ?? Number.NaN);
    const wanted =
      this.chosen === null
        ? (this.kernels.find((one) => one.number === number) ?? this.kernels[0])
        : this.kernels.find((one) => one.key === this.chosen);
    if (wanted !== undefined) this.choose(wanted);
    else this.miss();
  }

  /** Brings a line into sight, where a kernel that is shown is in it, or in one that is not. */
  reveal(file: string, line: number): void {
    const has = ({ sources }: Known): boolean =>
      sources.some((one) => one.file === file && one.lines.some(({ number }) => number === line));
    const current = this.kernels.find((one) => one.key === this.chosen);
    const kernel = current !== undefined && has(current) ? current : this.kernels.find(has);
    if (kernel === undefined) return;
    this.choose(kernel);
    this.kernel.reveal(file, line);
  }

  /** What is filtered besides the kernels. */
  filtered(rows: () => Iterable<HTMLElement>): void {
    this.filter.also(rows);
  }

  /** Hides and shows rows again, where some are new. */
  refilter(): void {
    this.filter.apply();
  }

  private choose(known: Known): void {
    this.chosen = known.key;
    this.gone.replaceChildren();
    this.kernel.root.hidden = false;
    for (const row of this.nav.querySelectorAll<HTMLElement>('[data-kernel]')) {
      row.classList.toggle('current', Number(row.dataset.kernel) === known.number);
    }
    this.kernel.show(known);
  }

  /** The kernel that was looked at is no more. */
  private miss(): void {
    this.kernel.root.hidden = true;
    const [file, name] = this.chosen?.split(/::(?=[^:]*$)/) ?? [];
    this.gone.replaceChildren(
      ...(name === undefined ? [] : [`${name} is no longer in ${file ?? ''}. `]),
      ...(name !== undefined && this.kernels.length > 0 ? ['Choose another kernel above.'] : []),
    );
    // The only one that is left has no list to choose it from.
    const [only] = this.kernels;
    if (this.kernels.length === 1 && only !== undefined) {
      const words = this.gone.textContent;
      this.choose(only);
      this.gone.textContent = words.replace(/Choose.*/, '');
    }
  }

  private overview(): HTMLElement {
    const rows = this.kernels.map(({ kernel, number }) => {
      const place = `${kernel.file}:${kernel.range?.start.line ?? 1}`;
      const [best] = kernel.proposals;
      const least = kernel.searched?.stopped === true ? 'at least ' : '';
      const saves =
        best === undefined ? '' : best.saves === null ? 'not simulated' : `${least}${thousands(best.saves)}`;
      const [why] = kernel.unresolved;
      return h(
        'tr',
        { 'data-kernel': number },
        h('td', { class: 'number' }, kernel.total === null ? 'unknown' : thousands(kernel.total)),
        h('td', {}, h('a', { href: `#kernel-${number}` }, kernel.name)),
        h('td', { class: 'faint' }, place),
        h(
          'td',
          {},
          kernel.total === null
            ? `line ${why?.range.start.line ?? 1}: ${why?.reason ?? ''}`
            : (kernel.roofline?.bindsWords ?? ''),
        ),
        h('td', { class: 'number' }, saves),
      );
    });
    const head = ['cycles', 'kernel', 'place', 'binds', 'saves'].map((word) =>
      h('th', { scope: 'col' }, word),
    );
    return h(
      'div',
      { class: 'wide' },
      h('table', { class: 'overview-table' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...rows)),
    );
  }
}

/** Draws the page from the object that is written in it. */
export function draw(): void {
  const written = document.getElementById('cost')?.textContent ?? '{}';
  new Page(document.body).take(JSON.parse(written) as Document);
}
