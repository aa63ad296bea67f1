// What a trace says in its own words: slices by track and counters, in its microseconds.
const named = (trace, kind, key) =>
  new Map(
    trace.traceEvents
      .filter((event) => event.ph === 'M' && event.name === kind)
      .map((event) => [key(event), event.args.name]),
  );

// The slices, each with its process and thread by name and by number.
export function slices(trace) {
  const processes = named(trace, 'process_name', ({ pid }) => pid);
  const threads = named(trace, 'thread_name', ({ pid, tid }) => `${pid} ${tid}`);
  return trace.traceEvents
    .filter((event) => event.ph === 'X')
    .map(({ pid, tid, name, ts, dur }) => ({
      pid,
      tid,
      process: processes.get(pid),
      thread: threads.get(`${pid} ${tid}`),
      name,
      begin: ts,
      end: ts + dur,
    }));
}

// The values of the counters, each with its process and what is counted.
export function counters(trace) {
  const processes = named(trace, 'process_name', ({ pid }) => pid);
  return trace.traceEvents
    .filter((event) => event.ph === 'C')
    .flatMap(({ pid, name, ts, args }) =>
      Object.entries(args).map(([unit, value]) => ({ process: processes.get(pid), name, unit, at: ts, value })),
    );
}
