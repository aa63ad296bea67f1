// The timeline of a kernel: what each context does when, what it waits for, and what of it decides the total.

import type { KernelCost, Operation, Wait } from '../protocol';
import type { TimelineContent } from '../views/messages';
import { CONTEXTS, CONTEXT_NAMES } from '../lanes';
import { cause, cycles, share, thousands } from '../words';
import { h, link, prose, px, s } from './dom';
import {
  cycleWords,
  itemOf,
  type Advice,
  type Arrow,
  type Drawing,
  type Frame,
  type Item,
  type Picture,
  type Viewed,
} from './frame';
import { hatching, line } from './marks';
import { adviceOf } from './proposals';
import { roofline } from './roofline';
import type { Span } from './scale';
import { engines, stages } from './tables';
import { LEFT, layoutTimeline, neighbour, wholeOf, type Block, type TimelineLayout } from './timelineLayout';

export class Timeline implements Picture<TimelineContent> {
  readonly title = 'Timeline: operations by context over cycles';
  readonly name = 'timeline';
  readonly keys = 'Arrows move, Enter goes to the line, + and - zoom, 0 shows all';
  private layout: TimelineLayout | null = null;

  constructor(private readonly frame: Frame<TimelineContent>) {}

  whole(cost: TimelineContent): Span {
    return wholeOf(cost);
  }

  draw(cost: TimelineContent, view: Viewed): Drawing {
    const near = new Set(view.here);
    if (view.chosen !== null) near.add(view.chosen);
    const layout = layoutTimeline(cost, view.shown, view.width, view.height, near);
    this.layout = layout;
    return {
      marks: [
        hatching(),
        ...grid(layout),
        ...layout.lanes.flatMap((lane) => [
          s('rect', {
            class: 'lane',
            x: LEFT,
            y: px(lane.y),
            width: px(layout.scale.room.end - LEFT),
            height: px(lane.height),
          }),
          s('text', { class: 'lane-name', x: 10, y: px(lane.y + lane.height / 2 - 1) }, lane.name),
          s('text', { class: 'lane-busy', x: 10, y: px(lane.y + lane.height / 2 + 12) }, `${lane.busy} busy`),
        ]),
        ...layout.pauses.flatMap((pause, at) => [
          s('rect', { class: 'idle', 'data-pause': at, ...box(pause) }),
          pause.label !== null &&
            s(
              'text',
              {
                class: 'idle-label',
                x: px(pause.x + pause.width / 2),
                y: px(pause.y + pause.height / 2 + 4),
              },
              pause.label,
            ),
        ]),
        ...layout.blocks.map((block) => operationMark(block, view)),
        ...layout.waits.map((line) => {
          const near = view.chosen === line.from || view.chosen === line.to;
          const touched = near || view.here.has(line.to) || view.here.has(line.from);
          return s(
            'g',
            { class: `wait ${touched ? 'near' : ''}`, 'data-from': line.from, 'data-to': line.to },
            s('path', { class: 'shaft', d: line.path }),
            s('path', { class: 'head', d: line.head }),
          );
        }),
      ].filter((mark) => mark !== false),
      width: layout.width,
      height: layout.height,
      scale: layout.scale,
    };
  }

  summary(cost: TimelineContent): readonly Node[] {
    const total = cost.total ?? 0;
    const parts = CONTEXTS.filter((context) => (cost.busy[context] ?? 0) > 0).map((context) => {
      const busy = cost.busy[context] ?? 0;
      return h(
        'span',
        {
          class: 'part',
          title: `The ${CONTEXT_NAMES[context]} context is busy for ${cycles(busy)}, ${share(busy, total)} of all`,
        },
        h('i', { class: `swatch ${context}` }),
        `${CONTEXT_NAMES[context]} ${thousands(busy)}`,
      );
    });
    const chips =
      cost.chips !== null && cost.chips > 1 ? [h('span', { class: 'part' }, `${cost.chips} chips`)] : [];
    return [h('span', { class: 'total' }, cycles(total)), ...parts, ...chips];
  }

  advice(cost: TimelineContent): readonly Advice[] {
    return adviceOf(cost);
  }

  item(cost: TimelineContent, key: number): Item | null {
    const operation = cost.operations.find(({ id }) => id === key);
    if (operation === undefined) return null;
    const { file, range, start, end } = operation;
    return {
      key,
      file,
      line: range.start.line,
      column: range.start.column,
      cycles: { from: start ?? 0, to: end ?? start ?? 0 },
    };
  }

  neighbour(cost: TimelineContent, from: number | null, key: Arrow): number | null {
    return neighbour(cost, from, key);
  }

  first(_cost: TimelineContent, here: readonly number[]): number | null {
    return here[0] ?? null;
  }

  details(cost: TimelineContent, item: Item | null): readonly Node[] {
    const operation = item === null ? undefined : cost.operations.find(({ id }) => id === item.key);
    return operation === undefined ? this.ofKernel(cost) : this.ofOperation(cost, operation);
  }

  hint(
    cost: TimelineContent,
    target: Element | null,
    x: number,
    y: number,
    drawing: Drawing,
  ): readonly Node[] | null {
    const mark = itemOf(target);
    if (mark !== null) {
      const block = this.layout?.blocks.find(
        ({ operations }) => operations[0]?.id === Number(mark.dataset.key),
      );
      const [operation, ...more] = block?.operations ?? [];
      if (operation === undefined) return null;
      return more.length > 0 ? bundleHint(block?.operations ?? []) : operationHint(cost, operation);
    }
    const pause = target?.getAttribute('data-pause');
    const idle = pause == null ? undefined : this.layout?.pauses[Number(pause)]?.pause;
    if (idle !== undefined) {
      const until = cost.operations.find(({ id }) => id === idle.until);
      return [
        h('strong', {}, `${CONTEXT_NAMES[idle.context]} is idle for ${cycles(idle.end - idle.start)}`),
        line(`${thousands(idle.start)} to ${thousands(idle.end)}`),
        ...(until === undefined ? [line('nothing more to do')] : [line(`until ${until.name}`)]),
        ...(idle.wait === null ? [] : [line(waitWords(cost, idle.wait))]),
      ];
    }
    const { room } = drawing.scale;
    if (x < room.start || x > room.end || y > drawing.height) return null;
    return [line(cycleWords(drawing.scale.value(x)))];
  }

  private ofKernel(cost: TimelineContent): Node[] {
    const nodes: Node[] = [];
    if (cost.roofline !== null) nodes.push(h('h2', {}, 'Roofline'), roofline(cost.roofline));
    if (cost.proposals.length === 0)
      nodes.push(h('p', { class: 'faint no-advice' }, 'No change is known that would save cycles.'));
    if (cost.overlap !== null) {
      nodes.push(h('h2', {}, 'Overlap'));
      nodes.push(
        h(
          'p',
          {},
          `Two contexts or more work at once in ${cycles(cost.overlap)} of ${thousands(cost.total ?? 0)}.`,
        ),
      );
    }
    if (cost.assumptions.length > 0) {
      nodes.push(h('h2', {}, 'Assumes'));
      nodes.push(h('ul', {}, ...cost.assumptions.map((one) => h('li', {}, ...prose(one)))));
    }
    return nodes;
  }

  private ofOperation(cost: TimelineContent, operation: Operation): Node[] {
    const { file, range, start, end } = operation;
    const nodes: Node[] = [
      h('h2', {}, h('i', { class: `swatch ${operation.context}` }), operation.name),
      h(
        'p',
        {},
        link(`line ${range.start.line}`, () => {
          this.frame.reveal({ file, line: range.start.line, column: range.start.column });
        }),
        ` · ${CONTEXT_NAMES[operation.context]}`,
        operation.loops.length > 0 && ` · run ${operation.loops.map((run) => run + 1).join('.')}`,
        cost.criticalPath.includes(operation.id) &&
          h('span', { class: 'critical-word' }, ' · decides the total'),
      ),
    ];
    if (start !== null && end !== null) {
      nodes.push(h('p', {}, h('b', {}, cycles(end - start)), `, ${thousands(start)} to ${thousands(end)}`));
    }
    nodes.push(engines(operation));
    for (const wait of operation.waits) {
      nodes.push(
        h(
          'p',
          {},
          'waits for ',
          link(nameOf(cost, wait.operation), () => {
            this.frame.choose(wait.operation);
          }),
          `: ${cause(wait)}`,
        ),
      );
    }
    if (operation.stream.length > 0) nodes.push(stages(operation));
    return nodes;
  }
}

function box({
  x,
  y,
  width,
  height,
}: {
  x: number;
  y: number;
  width: number;
  height: number;
}): Record<string, string> {
  return { x: px(x), y: px(y), width: px(width), height: px(height) };
}

function grid(layout: TimelineLayout): SVGElement[] {
  const bottom = layout.height - 18;
  return layout.ticks.flatMap(({ x, labelX, label }) => [
    s('line', { class: 'grid', x1: px(x), x2: px(x), y1: 0, y2: px(bottom) }),
    s('text', { class: 'tick', x: px(labelX), y: px(layout.height - 5) }, label),
  ]);
}

function operationMark(block: Block, view: Viewed): SVGElement {
  const [operation] = block.operations;
  const chosen = block.operations.find(({ id }) => id === view.chosen);
  const here = block.operations.some(({ id }) => view.here.has(id));
  const many = block.operations.length;
  const shown = chosen ?? operation;
  const classes = [
    'operation',
    operation?.context ?? '',
    many > 1 && 'bundle',
    chosen !== undefined && 'chosen',
    here && 'here',
  ];
  if (block.critical) classes.push('critical');
  const inset = block.width > 4 ? 0.5 : 0;
  const size = {
    x: px(block.x + inset),
    y: px(block.y + 0.5),
    width: px(block.width - 2 * inset),
    height: px(block.height - 1),
  };
  return s(
    'g',
    {
      class: classes.filter((one) => one !== false).join(' '),
      id: `timeline-${shown?.id ?? ''}`,
      role: 'option',
      'data-key': operation?.id,
      'data-count': many,
      'aria-selected': chosen !== undefined,
      'aria-label': many > 1 ? `${many} operations` : spoken(operation),
    },
    s('rect', { class: 'body', rx: block.width > 6 ? 3 : 0, ...size }),
    block.critical &&
      s('rect', {
        class: 'edge',
        x: size.x,
        y: px(block.y + block.height - 3),
        width: size.width,
        height: 2.5,
      }),
    block.label !== null &&
      s('text', { x: px(block.x + 6), y: px(block.y + block.height / 2 + 4) }, block.label),
    here && s('path', { class: 'caret', d: `M${px(block.x + block.width / 2)} ${px(block.y)}l-4 -5h8z` }),
  );
}

function spoken(operation: Operation | undefined): string {
  if (operation === undefined) return '';
  const { name, context, start, end, bottleneck, waits, range } = operation;
  const parts = [name, CONTEXT_NAMES[context]];
  if (start !== null && end !== null)
    parts.push(`${cycles(end - start)}, from ${thousands(start)} to ${thousands(end)}`);
  if (bottleneck !== null) parts.push(`bottleneck ${bottleneck}`);
  parts.push(...waits.map((wait) => `waits: ${cause(wait)}`), `line ${range.start.line}`);
  return parts.join(', ');
}

function nameOf(cost: KernelCost, id: number): string {
  return cost.operations.find((operation) => operation.id === id)?.name ?? `operation ${id}`;
}

function waitWords(cost: KernelCost, wait: Wait): string {
  return `waits for ${nameOf(cost, wait.operation)}: ${cause(wait)}`;
}

function operationHint(cost: KernelCost, operation: Operation): Node[] {
  const { start, end, bottleneck } = operation;
  const words = [h('strong', {}, operation.name)];
  if (start !== null && end !== null) {
    words.push(line(`${cycles(end - start)}, ${thousands(start)} to ${thousands(end)}`));
  }
  if (bottleneck !== null) words.push(line(`bottleneck: ${bottleneck}`));
  words.push(...operation.waits.slice(0, 4).map((wait) => line(waitWords(cost, wait))));
  words.push(h('div', { class: 'faint' }, `line ${operation.range.start.line}`));
  return words;
}

function bundleHint(operations: readonly Operation[]): Node[] {
  const [first, last] = [operations[0], operations.at(-1)];
  return [
    h('strong', {}, `${thousands(operations.length)} operations`),
    line(`${thousands(first?.start ?? 0)} to ${thousands(last?.end ?? 0)}`),
    h('div', { class: 'faint' }, 'zoom in to tell them apart'),
  ];
}
