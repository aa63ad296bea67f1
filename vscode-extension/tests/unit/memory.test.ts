import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  extent,
  holeAt,
  layoutMemory,
  LEFT,
  neighbour,
  overlapsOf,
  peakCycle,
  placeWords,
  RIGHT,
} from '../../src/webview/memoryLayout';
import { map, tensor } from './samples';

const ALL = { from: 0, to: 100 };
const WIDTH = LEFT + RIGHT + 100;

const MAP = map([
  tensor('input', 'hbm', [0, 64], [0, 100]),
  tensor('x', 'dm', [0, 100], [0, 60]),
  tensor('y', 'dm', [100, 100], [40, 100]),
  tensor('w', 'trf', [32, 32], [20, 50]),
]);

test('tensors are to scale by address and cycle, higher addresses higher', () => {
  const layout = layoutMemory(MAP, ALL, WIDTH, 400, false);
  assert.deepEqual(
    layout.tiers.map(({ tier }) => tier),
    ['dm', 'trf'],
  );
  const [dm] = layout.tiers;
  assert.ok(dm !== undefined);
  const tall = (dm.box.height * 100) / 224;
  // 200 bytes are in use; 224 are drawn, seven steps of 256 / 8.
  const [x, y] = dm.tensors;
  assert.deepEqual([x?.row, (x?.x ?? 0) - LEFT, x?.width], [1, 0, 60]);
  assert.deepEqual([y?.row, (y?.x ?? 0) - LEFT, y?.width], [2, 40, 60]);
  const near = (one: number | undefined, other: number): void => {
    assert.ok(Math.abs((one ?? NaN) - other) < 1e-6, `${one ?? 'nothing'}, not ${other}`);
  };
  near(x?.y, dm.box.y + dm.box.height - tall);
  near(y?.y, dm.box.y + dm.box.height - 2 * tall);
  near(x?.height, tall);
});

test('the addresses that are drawn end a little above the last byte, or with the memory', () => {
  // 2048 / 8 = 256: five of them hold 1088.
  assert.equal(extent(1088, 524288, false), 1280);
  assert.equal(extent(1024, 524288, false), 1024);
  assert.equal(extent(1, 524288, false), 16);
  assert.equal(extent(1088, 524288, true), 524288);
  assert.equal(extent(2000, 1600, true), 2000);
});

test('the peak is where so many bytes are occupied for the first time', () => {
  const rows = MAP.memory.slice(1, 3).map((row) => ({ tensor: row, bytes: row.bytes ?? 0 }));
  assert.equal(peakCycle(rows, 200), 40);
  assert.equal(peakCycle(rows, 100), 0);
  assert.equal(peakCycle(rows, 300), null);
  // What ends in the cycle in which the next begins never is beside it.
  const after = [tensor('a', 'dm', [0, 10], [0, 5]), tensor('b', 'dm', [0, 10], [5, 9])];
  assert.equal(
    peakCycle(
      after.map((row) => ({ tensor: row, bytes: 10 })),
      20,
    ),
    null,
  );
});

test('holes are between what is there in the cycle', () => {
  assert.deepEqual(holeAt(MAP, 'dm', 10, 150), { from: 100, to: 1600 });
  assert.deepEqual(holeAt(MAP, 'dm', 50, 250), { from: 200, to: 1600 });
  assert.deepEqual(holeAt(MAP, 'dm', 70, 50), { from: 0, to: 100 });
  assert.equal(holeAt(MAP, 'dm', 10, 50), null);
  assert.equal(holeAt(MAP, 'dm', 10, 1600), null);
  // A tensor is gone in the cycle in which it ends.
  assert.deepEqual(holeAt(MAP, 'dm', 60, 50), { from: 0, to: 100 });
});

test('tensors without an address are no part of the picture', () => {
  const lost = { ...tensor('z', 'dm', [0, 4], [0, 10]), address: null };
  assert.deepEqual(layoutMemory(map([lost]), ALL, WIDTH, 400, false).tiers, []);
});

test('tensors that the compiler places are drawn by their lives', () => {
  const placed = { ...tensor('z', 'dm', [0, 64], [0, 10]), address: null, assumed: 32 };
  const [tier] = layoutMemory(map([placed]), ALL, WIDTH, 400, false).tiers;
  assert.equal(tier?.assumed, true);
  assert.equal(tier.tensors.length, 1);
  // The marks count bytes, since no byte has an address.
  assert.ok(tier.marks.every(({ label }) => !label.startsWith('0x')));
  assert.equal(placeWords(placed), '64 B, placed by the compiler');
  assert.equal(placeWords({ ...placed, address: 0 }), '64 B at 0 to 0x40');
});

test('the keyboard goes by time and by address', () => {
  assert.equal(neighbour(MAP, null, 'ArrowRight'), 1);
  assert.equal(neighbour(MAP, 1, 'ArrowRight'), 2);
  assert.equal(neighbour(MAP, 2, 'ArrowRight'), 3);
  assert.equal(neighbour(MAP, 3, 'ArrowRight'), 3);
  assert.equal(neighbour(MAP, 1, 'ArrowUp'), 2);
  assert.equal(neighbour(MAP, 2, 'ArrowDown'), 1);
  assert.equal(neighbour(MAP, 1, 'ArrowDown'), 3);
  assert.equal(neighbour(MAP, 3, 'Home'), 1);
  assert.equal(neighbour(MAP, 1, 'End'), 3);
});

test('bytes that two tensors need at once are marked', () => {
  const shared = map([
    tensor('a', 'dm', [0, 100], [0, 50]),
    tensor('b', 'dm', [60, 100], [40, 80]),
    // Behind one in time, beside the other in bytes, in another memory: no overlap.
    tensor('c', 'dm', [0, 60], [50, 90]),
    tensor('d', 'trf', [0, 64], [0, 100]),
  ]);
  assert.deepEqual(
    overlapsOf(shared, 0).map(({ row, cycles, bytes }) => [row, cycles, bytes]),
    [[1, { from: 40, to: 50 }, { from: 60, to: 100 }]],
  );
  assert.deepEqual(
    overlapsOf(shared, 1).map(({ row }) => row),
    [0],
  );
  assert.deepEqual([...overlapsOf(shared, 2), ...overlapsOf(shared, 3)], []);
  const [dm, trf] = layoutMemory(shared, ALL, WIDTH, 400, false).tiers;
  const [box, ...more] = dm?.overlaps ?? [];
  assert.deepEqual([more.length, trf?.overlaps.length], [0, 0]);
  assert.deepEqual([(box?.x ?? 0) - LEFT, box?.width], [40, 10]);
  // 40 of the 160 bytes that are in use, of 160 that are drawn: eight steps of 256 / 8 hold them in five.
  const tall = ((dm?.box.height ?? 0) * 40) / 160;
  assert.ok(Math.abs((box?.height ?? 0) - tall) < 1e-6, `${box?.height ?? 0}, not ${tall}`);
});

test('what the compiler places shares no bytes', () => {
  const placed = ['a', 'b'].map((name) => ({
    ...tensor(name, 'dm', [0, 64], [0, 10]),
    address: null,
    assumed: 0,
  }));
  assert.deepEqual(overlapsOf(map(placed), 0), []);
  assert.deepEqual(layoutMemory(map(placed), ALL, WIDTH, 400, false).tiers[0]?.overlaps, []);
});
