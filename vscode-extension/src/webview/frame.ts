// What both views have in common: a head with totals and buttons, the picture, what is known of the thing that is chosen; zoom,
// keyboard, pointer, and the talk with the extension.

import type { FromView, KernelChoice, ToView } from '../views/messages';
import type { State } from '../views/state';
import { thousands } from '../words';
import { button, h, link, prose, px, s } from './dom';
import type { Host } from './host';
import { moved, withinSight, zoomed, type Scale, type Span } from './scale';

/** A thing of the picture that can be chosen. */
export interface Item {
  readonly key: number;
  readonly file: string | null;
  readonly line: number;
  readonly column: number;
  readonly cycles: Span;
}

/** A picture and how cycles are in it. */
export interface Drawing {
  readonly marks: readonly SVGElement[];
  readonly width: number;
  readonly height: number;
  readonly scale: Scale;
}

/** A change that would save cycles, and where. */
export interface Advice {
  readonly words: string;
  readonly saves: string;
  /** What the change is asked for by; `null` where it is given in words alone. */
  readonly change: string | null;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What the picture is of, and how it is chosen from: all that makes one view differ from the other. */
export interface Picture<T> {
  /** `Timeline`, `Memory map`. */
  readonly title: string;
  /** What the marks of its things are called by: `timeline-3`. */
  readonly name: string;
  readonly keys: string;
  whole(content: T): Span;
  draw(content: T, view: Viewed): Drawing;
  summary(content: T): readonly Node[];
  details(content: T, item: Item | null): readonly Node[];
  item(content: T, key: number): Item | null;
  neighbour(content: T, from: number | null, key: Arrow): number | null;
  /** The thing that the cursor is in: what the keyboard starts from. */
  first(content: T, here: readonly number[]): number | null;
  /** What is said of a thing beside the pointer, or of a place in the picture where there is none. */
  hint(content: T, target: Element | null, x: number, y: number, drawing: Drawing): readonly Node[] | null;
  /** Changes that would save cycles, the best first. */
  advice(content: T): readonly Advice[];
  /** Buttons of its own. */
  tools?(redraw: () => void): readonly HTMLElement[];
}

export interface Viewed {
  readonly shown: Span;
  readonly width: number;
  readonly height: number;
  readonly here: ReadonlySet<number>;
  readonly chosen: number | null;
}

export type Arrow = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End';
const ARROWS: ReadonlySet<string> = new Set([
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
]);

const STEP = 1.4;
const MOST_OBSTACLES = 20;

/** Where details are beside or below the picture without taking its room. */
const ROOM = window.matchMedia('(min-width: 560px), (max-aspect-ratio: 4/3) and (min-height: 360px)');

export class Frame<T> {
  private state: State<T> | null = null;
  private kernels: readonly KernelChoice[] = [];
  private here: readonly number[] = [];
  private shown: Span = { from: 0, to: 1 };
  private whole: Span = { from: 0, to: 1 };
  private chosen: number | null = null;
  private drawing: Drawing | null = null;
  private frame = 0;

  private readonly name = h('span', { class: 'kernel' });
  private readonly picker = h('select', {
    'aria-label': 'Kernel',
    title: 'Go to another kernel of the file',
  });
  private readonly summary = h('div', { class: 'summary' });
  private readonly toolbar = h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'View' });
  private readonly head = h('header', {}, this.name, this.picker, this.summary, this.toolbar);
  private readonly advice = h('div', { class: 'advice', 'aria-label': 'What would save most' });
  private readonly banner = h('div', { class: 'banner', role: 'status' });
  private readonly svg = s('svg');
  private readonly stage: HTMLElement;
  private readonly details = h('aside', { class: 'details', 'aria-live': 'polite', 'aria-label': 'Details' });
  private readonly notice = h('div', { class: 'notice' });
  private readonly tooltip = h('div', { class: 'tooltip', role: 'tooltip' });
  private readonly overview = h('div', { class: 'overview', 'aria-hidden': 'true' }, h('div'));
  private readonly detailsButton: HTMLButtonElement;
  private readonly picture: Picture<T>;

  constructor(
    private readonly root: HTMLElement,
    private readonly host: Host<T>,
    make: (frame: Frame<T>) => Picture<T>,
  ) {
    const picture = make(this);
    this.picture = picture;
    root.classList.add('view');
    this.stage = h(
      'div',
      {
        class: 'stage',
        tabindex: 0,
        role: 'listbox',
        'aria-label': picture.title,
        'aria-description': picture.keys,
      },
      this.svg,
    );
    this.detailsButton = button('☰', 'Details of what is chosen (D)', () => {
      this.toggleDetails();
    });
    this.toolbar.append(
      ...(picture.tools?.(() => {
        this.redraw();
      }) ?? []),
      button('−', 'Zoom out (-)', () => {
        this.zoom(STEP);
      }),
      button('+', 'Zoom in (+)', () => {
        this.zoom(1 / STEP);
      }),
      button('⤢', 'All cycles (0)', () => {
        this.show(this.whole);
      }),
      this.detailsButton,
    );
    const body = h('main', {}, h('div', { class: 'plot' }, this.stage, this.overview), this.details);
    root.append(this.head, this.advice, this.banner, this.notice, body, this.tooltip);
    this.listen();
    this.setDetails(this.host.kept().details);
    ROOM.addEventListener('change', () => {
      this.setDetails(this.host.kept().details);
    });
    this.redraw();
    this.say({ type: 'ready' });
  }

  /** Goes to a place in the text. */
  reveal(item: { file: string | null; line: number; column: number }): void {
    if (item.file !== null)
      this.say({ type: 'reveal', file: item.file, line: item.line, column: item.column });
  }

  /** Chooses a thing and brings it into sight. */
  choose(key: number | null): void {
    this.chosen = key;
    const content = this.content();
    const item = content === null || key === null ? null : this.picture.item(content, key);
    if (item !== null) this.shown = withinSight(this.shown, this.whole, item.cycles);
    this.redraw();
  }

  private content(): T | null {
    return this.state?.picture?.content ?? null;
  }

  private say(message: FromView): void {
    this.host.say(message);
  }

  private listen(): void {
    this.host.hear((message) => {
      this.hear(message);
    });
    new ResizeObserver(() => {
      this.redraw();
    }).observe(this.stage);
    this.picker.addEventListener('change', () => {
      this.say({ type: 'choose', line: Number(this.picker.value) });
    });
    // A view that is all of its page has all of its keys.
    const keys: GlobalEventHandlers = this.root === document.body ? document : this.root;
    keys.addEventListener('keydown', (event) => {
      if (this.key(event)) event.preventDefault();
    });
    this.stage.addEventListener('wheel', (event) => {
      this.wheel(event);
    });
    this.stage.addEventListener('pointerdown', (event) => {
      this.press(event);
    });
    this.stage.addEventListener('pointermove', (event) => {
      this.hover(event);
    });
    this.stage.addEventListener('pointerleave', () => {
      this.tooltip.classList.remove('shown');
    });
    this.stage.addEventListener('focus', () => {
      const content = this.content();
      if (this.chosen === null && content !== null) this.choose(this.picture.first(content, this.here));
    });
  }

  private hear(message: ToView<T>): void {
    this.follow(message.here);
    if (message.type === 'here') {
      this.redraw();
      return;
    }
    const before = this.state?.picture ?? null;
    this.state = message.state;
    this.kernels = message.kernels;
    const { picture } = message.state;
    if (picture !== null)
      this.take(picture.content, picture.kernel === before?.kernel && picture.document === before.document);
    this.redraw();
  }

  /** A cursor that went elsewhere is followed, whatever was chosen before. */
  private follow(here: readonly number[]): void {
    if (here.join() !== this.here.join()) this.chosen = null;
    this.here = here;
  }

  /** A new picture keeps its zoom where it is of the same kernel. */
  private take(content: T, same: boolean): void {
    const all = this.whole;
    const full = this.shown.from === all.from && this.shown.to === all.to;
    this.whole = this.picture.whole(content);
    if (same && !full) {
      this.shown = zoomed(this.shown, this.whole, 1, (this.shown.from + this.shown.to) / 2);
    } else {
      this.shown = this.whole;
    }
    if (!same) this.chosen = null;
    if (this.chosen !== null && this.picture.item(content, this.chosen) === null) this.chosen = null;
  }

  private redraw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      this.draw();
    });
  }

  private draw(): void {
    const content = this.content();
    this.root.classList.toggle('empty', content === null);
    this.root.classList.toggle('stale', this.state?.stale !== null && this.state?.stale !== undefined);
    this.drawWords();
    if (content === null) {
      this.svg.replaceChildren();
      this.drawing = null;
      return;
    }
    const { clientWidth: width, clientHeight: height } = this.stage;
    const view: Viewed = {
      shown: this.shown,
      width,
      height,
      here: new Set(this.here),
      chosen: this.chosen,
    };
    const drawing = this.picture.draw(content, view);
    this.drawing = drawing;
    this.svg.setAttribute('width', px(drawing.width));
    this.svg.setAttribute('height', px(drawing.height));
    this.svg.replaceChildren(...drawing.marks);
    const active = this.chosen === null ? null : `${this.picture.name}-${this.chosen}`;
    if (active !== null && this.svg.querySelector(`#${active}`) !== null) {
      this.stage.setAttribute('aria-activedescendant', active);
    } else {
      this.stage.removeAttribute('aria-activedescendant');
    }
    const key = this.chosen ?? this.picture.first(content, this.here);
    this.details.replaceChildren(
      ...this.picture.details(content, key === null ? null : this.picture.item(content, key)),
    );
    this.drawOverview();
  }

  private drawWords(): void {
    const { state } = this;
    const content = this.content();
    const kernel = state?.picture?.kernel ?? '';
    this.name.textContent = kernel;
    this.summary.replaceChildren(...(content === null ? [] : this.picture.summary(content)));
    this.drawPicker(kernel);
    this.drawAdvice(content === null ? [] : this.picture.advice(content));
    const obstacles = state?.obstacles ?? [];
    const places = obstacles.slice(0, MOST_OBSTACLES).map((obstacle) => [
      link(`line ${obstacle.line}`, () => {
        this.reveal(obstacle);
      }),
      ` ${obstacle.reason}`,
    ]);
    const more = obstacles.length > 1 ? ` (and ${obstacles.length - 1} more)` : '';
    this.banner.replaceChildren(
      ...(state?.stale == null ? [] : [`${state.stale} `, ...(places[0] ?? []), more]),
    );
    this.notice.replaceChildren(
      ...(content === null
        ? [
            h('p', {}, state?.notice ?? ''),
            obstacles.length > 0 && h('ul', {}, ...places.map((words) => h('li', {}, ...words))),
            obstacles.length === 0 && this.kernels.length > 0 && this.choices(),
          ].filter((node) => node !== false)
        : []),
    );
  }

  /** The changes that would save most, in sight whatever is chosen: the best, and the others where they are asked for. */
  private drawAdvice(advice: readonly Advice[]): void {
    const entries = advice.map((one) => {
      const place = link(`line ${one.line}`, () => {
        this.reveal(one);
      });
      const words = h(
        'span',
        { class: 'words' },
        h('b', {}, one.saves),
        ' ',
        place,
        ' ',
        ...prose(one.words),
      );
      return h('li', { title: one.words }, words, this.applying(one));
    });
    const others = advice.length - 1;
    const open = this.root.classList.contains('all-advice');
    const more =
      others > 0 &&
      h(
        'button',
        { type: 'button', class: 'link more', 'aria-expanded': String(open) },
        open ? 'fewer' : `${others} more`,
      );
    if (more !== false) {
      more.addEventListener('click', () => {
        this.root.classList.toggle('all-advice');
        this.redraw();
      });
    }
    if (more !== false) entries[0]?.append(more);
    this.advice.replaceChildren(...(entries.length === 0 ? [] : [h('ul', {}, ...entries)]));
  }

  /** The button that makes a change, where the text can be changed from here. */
  private applying({ change, words }: Advice): HTMLElement | null {
    if (change === null || !this.host.edits) return null;
    const make = h('button', { type: 'button', class: 'apply', 'aria-label': `Apply: ${words}` }, 'Apply');
    make.addEventListener('click', () => {
      this.say({ type: 'apply', message: change });
    });
    return make;
  }

  private choices(): HTMLElement {
    const entries = this.kernels.map(({ name, line }) =>
      h(
        'li',
        {},
        link(name, () => {
          this.say({ type: 'choose', line });
        }),
      ),
    );
    return h('ul', { class: 'kernels', 'aria-label': 'Kernels of this file' }, ...entries);
  }

  private drawPicker(kernel: string): void {
    const own = this.kernels.some(({ name }) => name === kernel);
    this.picker.hidden = !own || this.kernels.length < 2;
    this.name.hidden = !this.picker.hidden;
    const wanted = this.kernels.map(({ name, line }) => `${name}\n${line}`).join('\n');
    if (this.picker.dataset.kernels !== wanted) {
      this.picker.dataset.kernels = wanted;
      this.picker.replaceChildren(
        ...this.kernels.map(({ name, line }) => h('option', { value: line }, name)),
      );
    }
    const line = this.kernels.find(({ name }) => name === kernel)?.line;
    if (line !== undefined) this.picker.value = String(line);
  }

  private drawOverview(): void {
    const extent = this.whole.to - this.whole.from;
    const bar = this.overview.firstElementChild as HTMLElement;
    this.overview.classList.toggle('zoomed', this.shown.to - this.shown.from < extent);
    bar.style.marginLeft = `${(100 * (this.shown.from - this.whole.from)) / extent}%`;
    bar.style.width = `${(100 * (this.shown.to - this.shown.from)) / extent}%`;
  }

  private show(span: Span): void {
    this.shown = span;
    this.redraw();
  }

  private zoom(factor: number, around = this.middle()): void {
    this.show(zoomed(this.shown, this.whole, factor, around));
  }

  /** What stays in its place when the picture is zoomed without a pointer. */
  private middle(): number {
    const content = this.content();
    const item = content === null || this.chosen === null ? null : this.picture.item(content, this.chosen);
    const span = item?.cycles ?? this.shown;
    return (span.from + span.to) / 2;
  }

  private key(event: KeyboardEvent): boolean {
    const content = this.content();
    if (content === null || event.ctrlKey || event.metaKey || event.altKey) return false;
    const inside = document.activeElement === this.stage;
    if (ARROWS.has(event.key)) {
      if (!inside) return false;
      const from = this.chosen ?? this.picture.first(content, this.here);
      this.choose(this.picture.neighbour(content, from, event.key as Arrow));
      return true;
    }
    switch (event.key) {
      case 'Enter':
        return inside && this.open(content);
      case '+':
      case '=':
        this.zoom(1 / STEP);
        return true;
      case '-':
        this.zoom(STEP);
        return true;
      case '0':
        this.show(this.whole);
        return true;
      case 'd':
      case 'D':
        if (document.activeElement === this.picker) return false;
        this.toggleDetails();
        return true;
      case 'Escape':
        this.tooltip.classList.remove('shown');
        this.choose(null);
        return true;
      default:
        return false;
    }
  }

  private open(content: T): boolean {
    const key = this.chosen ?? this.picture.first(content, this.here);
    const item = key === null ? null : this.picture.item(content, key);
    if (item === null) return false;
    this.reveal(item);
    return true;
  }

  private wheel(event: WheelEvent): void {
    if (this.drawing === null) return;
    const { scale } = this.drawing;
    if (event.ctrlKey || event.metaKey) {
      this.zoom(Math.exp(event.deltaY / 300), scale.value(event.offsetX));
    } else {
      const by = event.shiftKey ? event.deltaY : event.deltaX;
      if (by === 0) return;
      const { shown, room } = scale;
      this.show(moved(this.shown, this.whole, (by * (shown.to - shown.from)) / (room.end - room.start)));
    }
    event.preventDefault();
  }

  /** A press on a thing goes to its line; a drag moves the cycles. */
  private press(event: PointerEvent): void {
    const { drawing } = this;
    const content = this.content();
    if (drawing === null || content === null || event.button !== 0) return;
    const { shown } = this;
    const { room } = drawing.scale;
    const start = event.clientX;
    this.tooltip.classList.remove('shown');
    const target = itemOf(event.target);
    let dragged = false;
    const move = (now: PointerEvent): void => {
      if (Math.abs(now.clientX - start) > 4) dragged = true;
      if (!dragged) return;
      const by = ((start - now.clientX) * (shown.to - shown.from)) / (room.end - room.start);
      this.show(moved(shown, this.whole, by));
    };
    const up = (): void => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', up);
      if (dragged) return;
      const key = target === null ? null : Number(target.dataset.key);
      this.choose(key);
      const item = key === null ? null : this.picture.item(content, key);
      if (item !== null) this.reveal(item);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', up);
  }

  private hover(event: PointerEvent): void {
    const content = this.content();
    const { drawing } = this;
    if (content === null || drawing === null || event.buttons !== 0) {
      this.tooltip.classList.remove('shown');
      return;
    }
    const bounds = this.svg.getBoundingClientRect();
    const target = event.target instanceof Element ? event.target : null;
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top;
    const words = this.picture.hint(content, target, x, y, drawing);
    this.tooltip.classList.toggle('shown', words !== null);
    if (words === null) return;
    this.tooltip.replaceChildren(...words);
    const { offsetWidth, offsetHeight } = this.tooltip;
    const left = Math.min(event.clientX + 14, window.innerWidth - offsetWidth - 6);
    const below = event.clientY + 16;
    const top = below + offsetHeight > window.innerHeight ? event.clientY - offsetHeight - 10 : below;
    this.tooltip.style.transform = `translate(${px(Math.max(left, 4))}px, ${px(Math.max(top, 4))}px)`;
  }

  private toggleDetails(): void {
    const details = !this.root.classList.contains('with-details');
    this.host.keep({ details });
    this.setDetails(details);
  }

  private setDetails(wanted: boolean | undefined): void {
    const shown = wanted ?? ROOM.matches;
    this.root.classList.toggle('with-details', shown);
    this.detailsButton.setAttribute('aria-pressed', String(shown));
    this.redraw();
  }
}

/** The thing of the picture that an element belongs to. */
export function itemOf(target: EventTarget | null): SVGElement | null {
  return target instanceof Element ? target.closest<SVGElement>('[data-key]') : null;
}

/** `cycle 1,512`. */
export function cycleWords(cycle: number): string {
  return `cycle ${thousands(Math.max(0, cycle))}`;
}
