// From the server's answers to what the views show.

import { readKernelCost, readMemoryMap, type KernelCost } from '../protocol';
import type { MemoryContent, TimelineContent } from './messages';
import type { Answer, Obstacle } from './state';

function obstacles(cost: KernelCost): Obstacle[] {
  return cost.unresolved.map(({ reason, range }) => ({
    reason,
    file: cost.file,
    line: range.start.line,
    column: range.start.column,
  }));
}

function unresolved<T>(cost: KernelCost): Answer<T> {
  return { kind: 'unresolved', kernel: cost.name, obstacles: obstacles(cost) };
}

/** What the timeline shows for an answer to `visa/kernelCost`. */
export function timelineAnswer(value: unknown): Answer<TimelineContent> {
  const cost = readKernelCost(value);
  if (cost === null) return { kind: 'outside' };
  if (cost.total === null) return unresolved(cost);
  return { kind: 'whole', kernel: cost.name, content: cost };
}

/** What the memory map shows for the answers to `visa/memoryMap` and `visa/kernelCost`. */
export function memoryAnswer(map: unknown, value: unknown): Answer<MemoryContent> {
  const cost = readKernelCost(value);
  const read = readMemoryMap(map);
  if (cost === null || read === null) return { kind: 'outside' };
  if (cost.total === null) return unresolved(cost);
  return { kind: 'whole', kernel: cost.name, content: { map: read, cost } };
}
