// The page that `visa-lint view` serves: the page of costs with findings, brought up to date whenever a file is saved.

import { thousands } from '../words';
import { h, link, prose } from './dom';
import { Page, type Document } from './page';

/** Findings that are listed before the reader asks for all. */
const FIRST = 20;

interface Place {
  readonly file: string;
  readonly range: { readonly start: { readonly line: number } };
}

/** As in `visa-lint --format json`. */
interface Finding extends Place {
  readonly rule: string;
  readonly level: 'deny' | 'warn';
  readonly message: string;
  readonly notes: readonly string[];
  readonly help: string | null;
  readonly fixes: readonly { readonly title: string }[];
}

interface Unresolved extends Place {
  readonly what: string;
  readonly reason: string;
}

interface LiveDocument extends Document {
  readonly files: number;
  readonly findings: readonly Finding[];
  readonly unresolved: readonly Unresolved[];
  /** What could not be read or checked. */
  readonly errors: readonly string[];
  /** Why nothing could be looked at; then all else is empty. */
  readonly stuck: readonly string[];
}

/** What the program tells of itself. */
interface State {
  readonly number: number;
  readonly work: 'checking' | 'searching' | 'done';
}

const WORDS = {
  checking: 'Checking …',
  searching: 'Up to date. Searching for changes that save cycles …',
  done: 'Up to date.',
} as const;

const ENDED = 'visa-lint view has ended. This is its last state.';

function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? '' : 's'}`;
}

class Live {
  private readonly status = h('p', { class: 'live-status', role: 'status' });
  private readonly problems = h('ul', { class: 'problems', role: 'alert' });
  private readonly findings = h('section', { class: 'findings', 'aria-label': 'Findings' });
  private readonly page: Page;
  /** The document that is shown, and the one that is asked for. */
  private shown = 0;
  private asked = 0;
  private all = false;

  constructor() {
    const top = h('div', {}, this.status, this.problems);
    this.page = new Page(document.body, top, this.findings);
    this.page.filtered(() => this.findings.querySelectorAll<HTMLElement>('tbody tr'));
  }

  listen(): void {
    const events = new EventSource('events');
    events.addEventListener('message', ({ data }: MessageEvent<string>) => {
      void this.hear(JSON.parse(data) as State);
    });
    events.addEventListener('error', () => {
      this.say('ended', ENDED);
    });
    this.say('checking', WORDS.checking);
  }

  private say(kind: string, words: string): void {
    this.status.className = `live-status ${kind}`;
    this.status.textContent = words;
  }

  private async hear({ number, work }: State): Promise<void> {
    if (number > this.asked) {
      this.asked = number;
      try {
        const answer = await fetch('data');
        const document = (await answer.json()) as LiveDocument;
        // A newer one may have come first.
        if (number < this.asked) return;
        this.take(document);
        this.shown = number;
      } catch {
        this.say('ended', ENDED);
        return;
      }
    }
    if (number === this.shown || number === 0) this.say(work, WORDS[work]);
  }

  private take(given: LiveDocument): void {
    const { stuck, errors } = given;
    const words = [...stuck, ...errors];
    this.problems.replaceChildren(...words.map((one) => h('li', {}, ...prose(one))));
    // What was shown before is better than nothing.
    if (stuck.length > 0) return;
    this.drawFindings(given);
    this.page.take(given);
    const errorCount = given.findings.filter(({ level }) => level === 'deny').length;
    const rest = given.findings.length - errorCount;
    document.title = `${counted(errorCount, 'error')}, ${counted(rest, 'warning')} · visa-lint view`;
  }

  private drawFindings(given: LiveDocument): void {
    const { findings, unresolved, files } = given;
    // Errors first, in the order of files and places.
    const sorted = [...findings].sort((one, other) => rank(one) - rank(other));
    const rows = sorted.map((one) => this.row(one));
    const body = h('tbody', {}, ...(this.all ? rows : rows.slice(0, FIRST)));
    const more = rows.length - FIRST;
    const rest =
      more > 0 &&
      !this.all &&
      link(`and ${thousands(more)} more`, () => {
        this.all = true;
        this.drawFindings(given);
        this.page.refilter();
      });
    const unseen = unresolved.length;
    const errorCount = sorted.filter(({ level }) => level === 'deny').length;
    const words =
      sorted.length === 0
        ? `No finding in ${counted(files, 'file')}.`
        : `${counted(errorCount, 'error')}, ${counted(sorted.length - errorCount, 'warning')} in ${counted(files, 'file')}.`;
    this.findings.replaceChildren(
      h('h3', {}, 'Findings'),
      h('p', { class: 'faint' }, words),
      ...(rows.length === 0 ? [] : [h('div', { class: 'wide' }, h('table', {}, body))]),
      ...(rest === false ? [] : [rest]),
      ...(unseen === 0 ? [] : [this.unseen(unresolved)]),
    );
  }

  private row(finding: Finding): HTMLElement {
    const { level, rule, message, notes, help, fixes } = finding;
    const about = [
      ...notes.map((note) => h('p', {}, ...prose(note))),
      ...(help === null ? [] : [h('p', {}, ...prose(`help: ${help}`))]),
      ...fixes.map(({ title }) => h('p', {}, ...prose(`fix: ${title}`))),
    ];
    return h(
      'tr',
      { class: level },
      h('td', { class: 'level' }, level === 'deny' ? 'error' : 'warning'),
      h('td', { class: 'where' }, this.place(finding)),
      h(
        'td',
        {},
        ...prose(message),
        h('span', { class: 'faint' }, ` · ${rule}`),
        about.length > 0 && h('details', {}, h('summary', {}, 'more'), ...about),
      ),
    );
  }

  private place({ file, range }: Place): HTMLElement {
    return link(`${file}:${range.start.line}`, () => {
      this.page.reveal(file, range.start.line);
    });
  }

  private unseen(unresolved: readonly Unresolved[]): HTMLElement {
    const were = unresolved.length === 1 ? 'was' : 'were';
    return h(
      'details',
      { class: 'unseen-operations' },
      h('summary', {}, `${counted(unresolved.length, 'operation')} ${were} not checked`),
      h(
        'ul',
        {},
        ...unresolved.map((one) =>
          h('li', {}, this.place(one), ' ', h('code', {}, one.what), ': ', ...prose(one.reason)),
        ),
      ),
    );
  }
}

function rank({ level }: Finding): number {
  return level === 'deny' ? 0 : 1;
}

/** Listens to the program. */
export function live(): void {
  new Live().listen();
}
