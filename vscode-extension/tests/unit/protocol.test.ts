import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readDialect, readKernelCost, readMemoryMap } from '../../src/protocol';
import { memoryAnswer, timelineAnswer } from '../../src/views/answers';
import { fromView } from '../../src/views/messages';
import { adviceOf, searchWords } from '../../src/webview/proposals';

const RANGE = { start: { line: 3, column: 5, byte: 40 }, end: { line: 3, column: 10, byte: 45 } };
const KERNEL = {
  name: 'dot',
  file: '/k.rs',
  range: RANGE,
  chips: 1,
  cycles: { total: 30, main: 10, sub: null, dma: 20, overlap: 0 },
  operations: [
    {
      id: 0,
      name: 'to_dm x',
      context: 'dma',
      file: '/k.rs',
      range: RANGE,
      start: 0,
      end: 20,
      cycles: 20,
      bottleneck: 'read',
      stages: [{ engine: 'read', cycles: 20, latency: 2, detail: '', formula: '' }],
      waits: [{ operation: 4, cause: 'context busy', tensor: null }, { cause: 'no number' }],
      reads: ['x'],
      writes: ['x', 7],
    },
    { id: 1, name: 'no place', context: 'main' },
    { id: 2, name: 'no such context', context: 'host', range: RANGE },
  ],
  memory: [{ tensor: 'x', tier: 'dm', address: 0, bytes: 64, from: 0, to: 30 }],
  peak: { dm_bytes: 64, trf_bytes: 0, vrf_bytes: 0, overfull: [] },
};

test('the document of the command line and a bare kernel are read alike', () => {
  const bare = readKernelCost(KERNEL);
  assert.deepEqual(readKernelCost({ version: 1, kernels: [KERNEL] }), bare);
  assert.equal(bare?.total, 30);
  assert.deepEqual(bare.busy, { main: 10, sub: null, dma: 20 });
});

test('what is not understood is left out', () => {
  const operations = readKernelCost(KERNEL)?.operations ?? [];
  assert.deepEqual(
    operations.map(({ id, waits, writes, loops, statement }) => ({
      id,
      waits: waits.length,
      writes,
      loops,
      line: statement.start.line,
    })),
    [{ id: 0, waits: 1, writes: ['x'], loops: [], line: 3 }],
  );
});

test('nothing, and nonsense, is no kernel', () => {
  for (const value of [null, undefined, 7, 'text', [], {}, { kernels: [] }]) {
    assert.equal(readKernelCost(value), null);
    assert.equal(readMemoryMap(value), null);
  }
});

test('a memory map has its capacities, said or not', () => {
  const map = readMemoryMap({
    kernel: 'dot',
    total: 30,
    memory: KERNEL.memory,
    peak: KERNEL.peak,
    capacity: [{ tier: 'dm', bytes: 1024 }],
    free: [{ tier: 'dm', address: 64, bytes: 960 }, { tier: 'dm' }],
  });
  assert.deepEqual(map?.capacity, { dm: 1024, trf: 65536, vrf: 8192 });
  assert.deepEqual(map.free, [{ tier: 'dm', address: 64, bytes: 960 }]);
});

test('a kernel without a total is unresolved, with the places', () => {
  const cycles = { ...KERNEL.cycles, total: null };
  const unresolved = [{ reason: 'no size', range: RANGE }];
  assert.deepEqual(timelineAnswer({ ...KERNEL, cycles, unresolved }), {
    kind: 'unresolved',
    kernel: 'dot',
    obstacles: [{ reason: 'no size', file: '/k.rs', line: 3, column: 5 }],
  });
  assert.equal(timelineAnswer(KERNEL).kind, 'whole');
  assert.equal(timelineAnswer(null).kind, 'outside');
  assert.equal(memoryAnswer({ memory: KERNEL.memory }, KERNEL).kind, 'whole');
  assert.equal(memoryAnswer(null, KERNEL).kind, 'outside');
});

test('the library of a document is read, and that the server does not say it', () => {
  const answer = {
    version: 1,
    crate: 'k',
    dialect: 'opt-std',
    release: '0.8.1',
    because: 'so',
    read_as: null,
  };
  assert.deepEqual(readDialect(answer), {
    library: 'opt-std',
    release: '0.8.1',
    readAs: null,
    because: 'so',
  });
  for (const value of [null, undefined, {}, { dialect: 1 }]) assert.equal(readDialect(value), null);
});

test('proposals that a search made are whole changes, with the best two as one', () => {
  const edits = [{ file: '/k.rs', start_byte: 1, end_byte: 2, text: 'x' }];
  const searched = { message: 'Gather', saves: 8, after: 22, certain: false, move: 'gather', edits };
  const words = { message: 'Load less', saves: null, edits: [] };
  const pair = { message: 'Gather; then split', saves: 12, after: 18, certain: true, edits };
  const cost = readKernelCost({
    ...KERNEL,
    proposals: [searched, words],
    searched: { tried: 40, limit: 40, stopped: true, pair },
  });
  assert.ok(cost !== null);
  assert.equal(readKernelCost(KERNEL)?.searched, null);
  const advice = adviceOf(cost);
  assert.deepEqual(
    advice.map(({ saves, change }) => [saves, change]),
    [
      ['saves 8 cycles, 22 left, within the bounds of both', 'Gather'],
      ['not simulated', null],
      ['saves 12 cycles, 18 left', 'Gather; then split'],
    ],
  );
  assert.match(advice[2]?.words ?? '', /^Savings do not add up; the best two together: Gather; then split$/);
  const none = { tried: 1, limit: 9, stopped: false, pair: null };
  assert.deepEqual(searchWords(none, 2), [
    'Savings do not add up, and no second change adds to the first.',
    'Searched 1 candidate.',
  ]);
});

test('a view asks for a change by its words', () => {
  assert.deepEqual(fromView({ type: 'apply', message: 'Gather' }), { type: 'apply', message: 'Gather' });
  assert.equal(fromView({ type: 'apply', message: 7 }), null);
});
