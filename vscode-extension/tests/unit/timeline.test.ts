import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LEFT, layoutTimeline, neighbour, RIGHT, wholeOf } from '../../src/webview/timelineLayout';
import { cost, operation } from './samples';

/** A width in which a cycle of 1000 is a pixel. */
const WIDTH = LEFT + RIGHT + 1000;
const ALL = { from: 0, to: 1000 };

const KERNEL = cost(
  [
    operation(0, 'dma', 0, 400),
    operation(1, 'sub', 400, 500, { waits: [{ operation: 0, cause: 'read after write', tensor: 'x' }] }),
    operation(2, 'main', 500, 600, { waits: [{ operation: 1, cause: 'read after write', tensor: 'w' }] }),
    operation(3, 'dma', 600, 1000, {
      waits: [
        { operation: 2, cause: 'read after write', tensor: 'y' },
        { operation: 0, cause: 'context busy', tensor: null },
      ],
    }),
  ],
  {
    criticalPath: [0, 3],
    idle: [
      {
        context: 'main',
        start: 0,
        end: 500,
        until: 2,
        wait: { operation: 1, cause: 'read after write', tensor: 'w' },
      },
      { context: 'main', start: 600, end: 1000, until: null, wait: null },
    ],
  },
);

test('operations are to scale in the row of their context', () => {
  const layout = layoutTimeline(KERNEL, ALL, WIDTH, 250);
  assert.deepEqual(
    layout.lanes.map(({ context }) => context),
    ['main', 'sub', 'dma'],
  );
  const boxes = layout.blocks.map(({ operations, x, width, y }) => [operations[0]?.id, x - LEFT, width, y]);
  const [main, sub, dma] = layout.lanes.map(({ y }) => y);
  assert.deepEqual(boxes, [
    [2, 500, 100, main],
    [1, 400, 100, sub],
    [0, 0, 400, dma],
    [3, 600, 400, dma],
  ]);
  assert.deepEqual(
    layout.blocks.filter(({ critical }) => critical).map(({ operations }) => operations[0]?.id),
    [0, 3],
  );
});

test('pauses say what they wait for', () => {
  const { pauses } = layoutTimeline(KERNEL, ALL, WIDTH, 250);
  assert.deepEqual(
    pauses.map(({ x, width, label }) => [x - LEFT, width, label]),
    [
      [0, 500, 'read after write of w'],
      [600, 400, null],
    ],
  );
});

test('waits are drawn between contexts, from an end to a start', () => {
  const { waits } = layoutTimeline(KERNEL, ALL, WIDTH, 250);
  assert.deepEqual(
    waits.map(({ from, to }) => [from, to]),
    [
      [0, 1],
      [1, 2],
      [2, 3],
    ],
  );
  assert.match(waits[0]?.path ?? '', new RegExp(`^M${LEFT + 400}\\.0 `));
});

test('what is not shown is not drawn', () => {
  const { blocks, waits } = layoutTimeline(KERNEL, { from: 450, to: 550 }, WIDTH, 250);
  assert.deepEqual(
    blocks.map(({ operations, x, width }) => [operations[0]?.id, x - LEFT, width]),
    [
      [2, 500, 500],
      [1, 0, 500],
    ],
  );
  assert.deepEqual(
    waits.map(({ from, to }) => [from, to]),
    [[1, 2]],
  );
});

test('many operations become few marks, and none is lost', () => {
  const many = cost(
    Array.from({ length: 20_000 }, (_, id) => operation(id, id % 2 === 0 ? 'main' : 'dma', id, id + 1)),
  );
  const { blocks } = layoutTimeline(many, wholeOf(many), WIDTH, 250);
  assert.ok(blocks.length <= 2 * 1000, `${blocks.length} marks`);
  const ids = new Set(blocks.flatMap(({ operations }) => operations.map(({ id }) => id)));
  assert.equal(ids.size, 20_000);
  // Ten cycles over the width: each stands for itself.
  const close = layoutTimeline(many, { from: 100, to: 110 }, WIDTH, 250);
  assert.ok(close.blocks.every(({ operations }) => operations.length === 1));
});

test('in a crowd only the waits that have room, or are meant, are drawn', () => {
  const crowd = cost(
    Array.from({ length: 1000 }, (_, id) =>
      operation(id, id % 2 === 0 ? 'main' : 'dma', id, id + 1, {
        waits: id === 0 ? [] : [{ operation: id - 1, cause: 'read after write', tensor: null }],
      }),
    ),
  );
  assert.deepEqual(layoutTimeline(crowd, ALL, WIDTH, 250).waits, []);
  const near = layoutTimeline(crowd, ALL, WIDTH, 250, new Set([7])).waits;
  assert.deepEqual(
    near.map(({ from, to }) => [from, to]),
    [
      [6, 7],
      [7, 8],
    ],
  );
  assert.equal(layoutTimeline(crowd, { from: 100, to: 110 }, WIDTH, 250).waits.length, 11);
});

test("the last mark's words stay in the picture", () => {
  const { ticks } = layoutTimeline(KERNEL, ALL, WIDTH, 250);
  const last = ticks.at(-1);
  assert.deepEqual([last?.label, last?.x], ['1,000', LEFT + 1000]);
  // Five characters of 5.6, half of them, and two more.
  assert.equal(last?.labelX, WIDTH - 16);
});

test('an operation without a schedule is not drawn', () => {
  const { blocks } = layoutTimeline(
    cost([operation(0, 'main', 0, 1, { start: null, end: null })]),
    ALL,
    WIDTH,
    250,
  );
  assert.deepEqual(blocks, []);
});

test('the keyboard goes along a context and across contexts', () => {
  assert.equal(neighbour(KERNEL, null, 'ArrowRight'), 0);
  assert.equal(neighbour(KERNEL, 0, 'ArrowRight'), 3);
  assert.equal(neighbour(KERNEL, 3, 'ArrowRight'), 3);
  assert.equal(neighbour(KERNEL, 3, 'ArrowLeft'), 0);
  assert.equal(neighbour(KERNEL, 0, 'ArrowUp'), 1);
  assert.equal(neighbour(KERNEL, 1, 'ArrowUp'), 2);
  assert.equal(neighbour(KERNEL, 2, 'ArrowUp'), 2);
  assert.equal(neighbour(KERNEL, 2, 'ArrowDown'), 1);
  assert.equal(neighbour(KERNEL, 0, 'End'), 3);
  assert.equal(neighbour(cost([operation(7, 'main', 0, 1)]), 99, 'Home'), 7);
});
