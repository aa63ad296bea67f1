// The memory map of a kernel: what is where in DM, TRF and VRF, and when.

import type { Operation } from '../protocol';
import type { MemoryContent } from '../views/messages';
import { address, bytes, thousands } from '../words';
import { button, h, link, px, s } from './dom';
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
import { alarmHatching, hatching, line } from './marks';
import {
  HEAD_NAME,
  holeAt,
  layoutMemory,
  LEFT,
  neighbour,
  overlapsOf,
  placeWords,
  wholeOf,
  type MemoryLayout,
  type TierRow,
} from './memoryLayout';
import { adviceOf } from './proposals';
import type { Span } from './scale';

export class MemoryPicture implements Picture<MemoryContent> {
  readonly title = 'Memory map: tensors by address, or by life where the compiler places them, over cycles';
  readonly name = 'memory';
  readonly keys = 'Arrows move, Enter goes to the line, + and - zoom, 0 shows all';
  private layout: MemoryLayout | null = null;
  private all = false;

  constructor(private readonly frame: Frame<MemoryContent>) {}

  tools(redraw: () => void): readonly HTMLElement[] {
    const whole: HTMLButtonElement = button(
      '↕',
      'Whole memories',
      () => {
        this.all = !this.all;
        whole.setAttribute('aria-pressed', String(this.all));
        redraw();
      },
      { 'aria-pressed': false },
    );
    return [whole];
  }

  whole({ map }: MemoryContent): Span {
    return wholeOf(map);
  }

  draw(content: MemoryContent, view: Viewed): Drawing {
    const layout = layoutMemory(content.map, view.shown, view.width, view.height, this.all);
    this.layout = layout;
    const now = content.cost.operations.filter(({ id }) => view.here.has(id));
    const touched = touchedBy(content, now);
    return {
      marks: [
        hatching(),
        alarmHatching(),
        ...layout.tiers.flatMap((tier) => tierMarks(tier, view, touched)),
        ...bands(layout, now),
        ...axis(layout),
      ],
      width: layout.width,
      height: layout.height,
      scale: layout.scale,
    };
  }

  summary({ map }: MemoryContent): readonly Node[] {
    if (map.peak === null) return [];
    const { peak } = map;
    return (['dm', 'trf', 'vrf'] as const)
      .filter((tier) => peak[tier] > 0)
      .map((tier) => {
        const capacity = bytes(map.capacity[tier] ?? 0);
        const overfull = peak.overfull[tier];
        return h(
          'span',
          {
            class: 'part',
            title: overfull ?? `The most bytes of a slice that are occupied at once, of ${capacity}`,
          },
          `${tier.toUpperCase()} peak ${bytes(peak[tier])}`,
          overfull === undefined ? '' : `, more than its ${capacity}`,
        );
      });
  }

  advice({ cost }: MemoryContent): readonly Advice[] {
    return adviceOf(cost);
  }

  item({ map, cost }: MemoryContent, key: number): Item | null {
    const row = map.memory[key];
    if (row === undefined) return null;
    return {
      key,
      file: row.range === null ? null : (row.file ?? cost.file),
      line: row.range?.start.line ?? 1,
      column: row.range?.start.column ?? 1,
      cycles: { from: row.from, to: row.to },
    };
  }

  neighbour({ map }: MemoryContent, from: number | null, key: Arrow): number | null {
    return neighbour(map, from, key);
  }

  /** What the operation at the cursor writes, else what it reads. */
  first(content: MemoryContent, here: readonly number[]): number | null {
    const wanted = new Set(here);
    const now = content.cost.operations.filter(({ id }) => wanted.has(id));
    const touched = touchedBy(content, now);
    for (const mode of ['writes', 'reads'] as const) {
      for (const [row, how] of touched) if (how === mode) return row;
    }
    return null;
  }

  hint(
    content: MemoryContent,
    target: Element | null,
    x: number,
    y: number,
    drawing: Drawing,
  ): readonly Node[] | null {
    const key = itemOf(target)?.dataset.key;
    const row = key === undefined ? undefined : content.map.memory[Number(key)];
    if (row !== undefined) {
      return [
        h('strong', {}, row.tensor),
        line(`${row.tier.toUpperCase()} ${placeWords(row)}`),
        line(`cycles ${thousands(row.from)} to ${thousands(row.to)}`),
        line(row.shape),
        ...overlapWords(content, Number(key)).map(line),
      ];
    }
    const tier = this.layout?.tiers.find(({ box }) => y >= box.y && y <= box.y + box.height);
    const { room } = drawing.scale;
    if (tier === undefined || x < room.start || x > room.end) return null;
    const [cycle, place] = [drawing.scale.value(x), tier.scale.value(y)];
    const hole = holeAt(content.map, tier.tier, cycle, place);
    if (tier.assumed) return [line(`${cycleWords(cycle)}, ${tier.name}: places are assumed`)];
    const words = [line(`${cycleWords(cycle)}, ${tier.name} ${address(Math.floor(Math.max(place, 0)))}`)];
    if (hole !== null)
      words.push(line(`free: ${address(hole.from)} to ${address(hole.to)}, ${bytes(hole.to - hole.from)}`));
    return words;
  }

  details(content: MemoryContent, item: Item | null): readonly Node[] {
    const row = item === null ? undefined : content.map.memory[item.key];
    if (item === null || row === undefined) return this.ofKernel(content);
    const users = content.cost.operations.filter((operation) => touches(operation, row) !== null);
    return [
      h('h2', {}, h('i', { class: `swatch ${row.tier}` }), row.tensor),
      h(
        'p',
        {},
        item.file !== null &&
          link(`line ${item.line}`, () => {
            this.frame.reveal(item);
          }),
        ` · ${row.tier.toUpperCase()}`,
      ),
      h('p', {}, placeWords(row)),
      h(
        'p',
        {},
        `lives ${thousands(row.from)} to ${thousands(row.to)}, ${thousands(row.to - row.from)} cycles`,
      ),
      h('p', { class: 'code' }, row.shape),
      ...overlapWords(content, item.key).map((words) => h('p', { class: 'critical-word' }, words)),
      ...(users.length === 0 ? [] : [h('h2', {}, 'Used by')]),
      h('ul', {}, ...users.slice(0, 40).map((operation) => this.user(operation, touches(operation, row)))),
    ];
  }

  private user(operation: Operation, how: string | null): HTMLElement {
    const { file, range } = operation;
    return h(
      'li',
      {},
      link(operation.name, () => {
        this.frame.reveal({ file, line: range.start.line, column: range.start.column });
      }),
      ` ${how ?? ''}, ${thousands(operation.start ?? 0)} to ${thousands(operation.end ?? 0)}`,
    );
  }

  private ofKernel({ map }: MemoryContent): Node[] {
    const assumed = map.memory.some((row) => row.assumed !== null);
    if (assumed)
      return [
        h('h2', {}, 'Lives of the tensors'),
        h(
          'p',
          {},
          'The compiler chooses the addresses. Each tensor is drawn at the first bytes that are free while it lives.',
        ),
      ];
    const nodes: Node[] = [h('h2', {}, 'Free all the while')];
    if (map.free.length === 0) nodes.push(h('p', { class: 'faint' }, 'Not known.'));
    const entries = map.free
      .slice(0, 60)
      .map((free) =>
        h(
          'li',
          {},
          `${free.tier.toUpperCase()} ${address(free.address)} to ${address(free.address + free.bytes)}: ${bytes(free.bytes)}`,
        ),
      );
    nodes.push(h('ul', {}, ...entries));
    return nodes;
  }
}

/** Which tensors share bytes with one while both are needed. */
function overlapWords({ map }: MemoryContent, key: number): string[] {
  return overlapsOf(map, key).map(
    ({ tensor, bytes: shared }) =>
      `shares ${address(shared.from)} to ${address(shared.to)} with ${tensor.tensor} meanwhile`,
  );
}

/** Whether and how an operation touches a tensor: by its name, while it lives. */
function touches(
  operation: Operation,
  row: MemoryContent['map']['memory'][number],
): 'writes' | 'reads' | null {
  const { start, end } = operation;
  if (start === null || end === null || end <= row.from || start >= row.to) return null;
  // What an operation makes begins to live with it; what has the same name lives from earlier on.
  if (operation.writes.includes(row.tensor) && (row.from === start || !operation.reads.includes(row.tensor)))
    return 'writes';
  return operation.reads.includes(row.tensor) && row.from < end ? 'reads' : null;
}

function touchedBy(
  { map }: MemoryContent,
  operations: readonly Operation[],
): Map<number, 'writes' | 'reads'> {
  const found = new Map<number, 'writes' | 'reads'>();
  for (const [number, row] of map.memory.entries()) {
    if (!['dm', 'trf', 'vrf'].includes(row.tier)) continue;
    for (const operation of operations) {
      const how = touches(operation, row);
      if (how !== null && found.get(number) !== 'writes') found.set(number, how);
    }
  }
  return found;
}

function tierMarks(tier: TierRow, view: Viewed, touched: ReadonlyMap<number, string>): SVGElement[] {
  const { box } = tier;
  const bottom = box.y + box.height;
  const marks: (SVGElement | false)[] = [
    s('text', { class: 'lane-name', x: LEFT, y: px(tier.headY + 13) }, tier.name),
    s('text', { class: 'lane-busy', x: LEFT + HEAD_NAME, y: px(tier.headY + 13) }, tier.words),
    s('rect', { class: 'lane', x: px(box.x), y: px(box.y), width: px(box.width), height: px(box.height) }),
    ...tier.free.flatMap((free) => [
      s('rect', {
        class: 'idle',
        x: px(free.x),
        y: px(free.y),
        width: px(free.width),
        height: px(free.height),
      }),
      free.label !== null &&
        s(
          'text',
          { class: 'idle-label', x: px(free.labelX), y: px(free.y + free.height / 2 + 4) },
          free.label,
        ),
    ]),
    ...tier.marks.flatMap(({ y, label }) => [
      s('line', { class: 'grid', x1: px(box.x - 4), x2: px(box.x), y1: px(y), y2: px(y) }),
      s(
        'text',
        { class: 'tick address', x: px(box.x - 8), y: px(Math.min(Math.max(y + 4, box.y + 9), bottom)) },
        label,
      ),
    ]),
    ...tier.tensors.map((one) => {
      const how = touched.get(one.row);
      const chosen = one.row === view.chosen;
      const classes = ['tensor', tier.tier, how !== undefined && 'here', chosen && 'chosen'];
      const { tensor } = one;
      return s(
        'g',
        {
          class: classes.filter((name) => name !== false).join(' '),
          id: `memory-${one.row}`,
          role: 'option',
          'data-key': one.row,
          'aria-selected': chosen,
          'aria-label': `${tensor.tensor}, ${tier.name}, ${placeWords(tensor)}, cycles ${thousands(tensor.from)} to ${thousands(tensor.to)}${how === undefined ? '' : `, ${how === 'writes' ? 'written' : 'read'} at the cursor`}`,
        },
        s('rect', {
          class: 'body',
          rx: one.height > 6 ? 3 : 0,
          x: px(one.x),
          y: px(one.y),
          width: px(one.width),
          height: px(one.height),
        }),
        one.label !== null && s('text', { x: px(one.labelX), y: px(one.labelY) }, one.label),
      );
    }),
    ...tier.overlaps.map((one) =>
      s('rect', {
        class: 'overlap',
        'data-tier': tier.tier,
        x: px(one.x),
        y: px(one.y),
        width: px(one.width),
        height: px(one.height),
      }),
    ),
    tier.peakX !== null &&
      s('line', { class: 'peak', x1: px(tier.peakX), x2: px(tier.peakX), y1: px(box.y), y2: px(bottom) }),
  ];
  return marks.filter((mark) => mark !== false);
}

/** The time of the operations at the cursor, across all memories. */
function bands(layout: MemoryLayout, now: readonly Operation[]): SVGElement[] {
  const first = layout.tiers[0]?.box;
  const last = layout.tiers.at(-1)?.box;
  if (first === undefined || last === undefined) return [];
  return now.slice(0, 100).flatMap(({ start, end }) => {
    const stretch = start === null || end === null ? null : layout.scale.stretch(start, end);
    if (stretch === null) return [];
    const height = last.y + last.height - first.y;
    return [
      s('rect', {
        class: 'now',
        x: px(stretch.at),
        y: px(first.y),
        width: px(Math.max(stretch.size, 1)),
        height: px(height),
      }),
    ];
  });
}

function axis(layout: MemoryLayout): SVGElement[] {
  return layout.ticks.flatMap(({ x, labelX, label }) => [
    s('line', {
      class: 'grid',
      x1: px(x),
      x2: px(x),
      y1: px(layout.height - 22),
      y2: px(layout.height - 17),
    }),
    s('text', { class: 'tick', x: px(labelX), y: px(layout.height - 5) }, label),
  ]);
}
