// Costs for tests.

import type { Context } from '../../src/lanes';
import type { KernelCost, MemoryMap, MemoryRow, Operation } from '../../src/protocol';

const PLACE = { line: 1, column: 1 };
const RANGE = { start: PLACE, end: PLACE };

export function operation(
  id: number,
  context: Context,
  start: number,
  end: number,
  more: Partial<Operation> = {},
): Operation {
  return {
    id,
    name: `operation ${id}`,
    context,
    file: '/k.rs',
    range: RANGE,
    statement: RANGE,
    loops: [],
    start,
    end,
    cycles: end - start,
    bottleneck: null,
    stages: [],
    waits: [],
    reads: [],
    writes: [],
    stream: [],
    ...more,
  };
}

export function cost(operations: readonly Operation[], more: Partial<KernelCost> = {}): KernelCost {
  const total = Math.max(...operations.map(({ end }) => end ?? 0));
  return {
    name: 'kernel',
    file: '/k.rs',
    range: RANGE,
    chips: 1,
    total,
    busy: { main: 0, sub: 0, dma: 0 },
    overlap: 0,
    operations,
    idle: [],
    criticalPath: [],
    memory: [],
    peak: null,
    proposals: [],
    searched: null,
    roofline: null,
    assumptions: [],
    unresolved: [],
    ...more,
  };
}

export function tensor(name: string, tier: string, at: [number, number], lives: [number, number]): MemoryRow {
  const [address, bytes] = at;
  const [from, to] = lives;
  return { tensor: name, tier, address, assumed: null, bytes, shape: '', from, to, file: null, range: null };
}

export function map(memory: readonly MemoryRow[], more: Partial<MemoryMap> = {}): MemoryMap {
  const capacity = { dm: 1600, trf: 64, vrf: 8 };
  return { kernel: 'kernel', total: 100, memory, peak: null, capacity, free: [], ...more };
}
