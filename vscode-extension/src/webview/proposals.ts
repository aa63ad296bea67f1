// The changes that would save most, as both views and the page show them.

import type { KernelCost, Proposal, Searched } from '../protocol';
import { cycles, thousands } from '../words';
import type { Advice } from './frame';

/** `saves 8,000 cycles`, with what is left of the kernel where the change was tried. */
export function savingOf({ saves, after, certain }: Proposal): string {
  if (saves === null) return 'not simulated';
  const left = after === null ? '' : `, ${thousands(after)} left`;
  const unsure = after === null || certain ? '' : ', within the bounds of both';
  return `saves ${cycles(saves)}${left}${unsure}`;
}

/** How far a search went, and that its savings are alternatives. */
export function searchWords(searched: Searched, proposals: number): string[] {
  const { tried, limit, stopped, pair } = searched;
  const alone = proposals > 1 && pair === null;
  const words = alone ? ['Savings do not add up, and no second change adds to the first.'] : [];
  const candidates = tried === 1 ? 'candidate' : 'candidates';
  const end = stopped ? `, stopped at the limit of ${thousands(limit)}` : '';
  return [...words, `Searched ${thousands(tried)} ${candidates}${end}.`];
}

function entry(proposal: Proposal, words: string): Advice {
  const { message, file, range, applicable } = proposal;
  return {
    words,
    saves: savingOf(proposal),
    change: applicable ? message : null,
    file,
    line: range.start.line,
    column: range.start.column,
  };
}

export function adviceOf(cost: KernelCost): Advice[] {
  const pair = cost.searched?.pair ?? null;
  const entries = cost.proposals.map((one) => entry(one, one.message));
  if (pair !== null)
    entries.push(entry(pair, `Savings do not add up; the best two together: ${pair.message}`));
  return entries;
}
