// The kernels of a file, to choose from where the cursor is in none.

import type { KernelChoice } from './messages';

/** Kernels that are offered at most. */
const MOST = 200;

/** The functions behind `#[device(..)]`, in the order of the file. Reads the text alone, so that half-typed files have theirs. */
export function kernelsOf(text: string): KernelChoice[] {
  const kernels: KernelChoice[] = [];
  let line = 1;
  let marked = false;
  for (const written of text.split('\n')) {
    const code = written.replace(/\/\/.*$/, '');
    if (/^\s*#\[\s*device\b/.test(code)) marked = true;
    const name = /\bfn\s+([A-Za-z_]\w*)/.exec(code)?.[1];
    if (name !== undefined) {
      if (marked) kernels.push({ name, line });
      marked = false;
    }
    if (kernels.length >= MOST) break;
    line += 1;
  }
  return kernels;
}

/** Whether a text is one that the extension is for: it uses the macros of mappings, or names one of the libraries. */
export function holdsKernels(text: string): boolean {
  return /\b(?:axes|m)!\s*\[|\bfuriosa[_-](?:opt|visa)[_-]std\b/.test(text);
}
