// The changes that would save most, as both views show them.

import type { KernelCost } from '../protocol';
import { cycles } from '../words';
import type { Advice } from './frame';

export function adviceOf(cost: KernelCost): Advice[] {
  return cost.proposals.map(({ message, saves, file, range }) => ({
    words: message,
    saves: saves === null ? 'not simulated' : `saves ${cycles(saves)}`,
    file,
    line: range.start.line,
    column: range.start.column,
  }));
}
