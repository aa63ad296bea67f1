// What the extension and its views say to each other.

import type { KernelCost, MemoryMap } from '../protocol';
import type { State } from './state';

/** What the timeline draws. */
export type TimelineContent = KernelCost;

/** What the memory map draws: the tensors, and the operations that touch them. */
export interface MemoryContent {
  readonly map: MemoryMap;
  readonly cost: KernelCost;
}

/** A kernel of the file, to choose from. */
export interface KernelChoice {
  readonly name: string;
  readonly line: number;
}

export type ToView<T> =
  | {
      readonly type: 'state';
      readonly state: State<T>;
      /** The operations that the cursor is in. */
      readonly here: readonly number[];
      readonly kernels: readonly KernelChoice[];
    }
  | { readonly type: 'here'; readonly here: readonly number[] };

export type FromView =
  | { readonly type: 'ready' }
  /** The reader wants to see a place in the text. */
  | { readonly type: 'reveal'; readonly file: string; readonly line: number; readonly column: number }
  /** The reader chose another kernel of the file, by its line. */
  | { readonly type: 'choose'; readonly line: number }
  /** The reader wants the change that says so. */
  | { readonly type: 'apply'; readonly message: string };

/** Reads what a view said; `null` if it is nothing of the kind. */
export function fromView(value: unknown): FromView | null {
  if (typeof value !== 'object' || value === null) return null;
  const { type, file, line, column, message } = value as Record<string, unknown>;
  const isLine = typeof line === 'number' && Number.isInteger(line) && line >= 1;
  if (type === 'ready') return { type };
  if (type === 'apply' && typeof message === 'string') return { type, message };
  if (type === 'choose' && isLine) return { type, line };
  if (type === 'reveal' && typeof file === 'string' && isLine && typeof column === 'number') {
    return { type, file, line, column };
  }
  return null;
}
