// Whether a server that ended is started again.

/** Ends within [`WINDOW`] after which the server is left alone. */
export const MOST = 4;

/** Milliseconds after which an end is forgotten. */
export const WINDOW = 3 * 60_000;

/** Takes the times of the ends before and that of this one. */
export function mayRestart(before: readonly number[], now: number): { restart: boolean; ends: number[] } {
  const ends = [...before.filter((time) => now - time < WINDOW), now];
  return { restart: ends.length < MOST, ends };
}
