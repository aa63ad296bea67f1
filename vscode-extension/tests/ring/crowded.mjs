// A kernel with many operations, for a picture that no reader would wish for: loads, passes and stores in turn, each waiting
// for the one before.

const ROUND = [
  { name: 'to_dm block', context: 'dma', cycles: 7 },
  { name: 'to_trf weight', context: 'sub', cycles: 5 },
  { name: 'commit result', context: 'main', cycles: 11 },
];

/** A cost of so many operations, as the views are given it. */
export function crowded(count) {
  const operations = [];
  let cycle = 0;
  for (let id = 0; id < count; id += 1) {
    const { name, context, cycles } = ROUND[id % ROUND.length];
    const place = { line: 10 + (id % 60), column: 5 };
    const range = { start: place, end: place };
    const waits = id === 0 ? [] : [{ operation: id - 1, cause: 'read after write', tensor: 'block' }];
    operations.push({
      id,
      name,
      context,
      file: 'k.rs',
      range,
      statement: range,
      loops: [Math.floor(id / 3)],
      start: cycle,
      end: cycle + cycles,
      cycles,
      bottleneck: 'fetch',
      stages: [],
      waits,
      reads: [],
      writes: [],
      stream: [],
    });
    cycle += cycles;
  }
  const busy = { main: 0, sub: 0, dma: 0 };
  for (const one of operations) busy[one.context] += one.cycles;
  return {
    name: 'crowded',
    file: 'k.rs',
    range: null,
    chips: 1,
    total: cycle,
    busy,
    overlap: 0,
    operations,
    idle: [],
    criticalPath: operations.map(({ id }) => id),
    memory: [],
    peak: null,
    proposals: [],
    roofline: null,
    assumptions: [],
    unresolved: [],
  };
}
