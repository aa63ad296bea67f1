// Printed by `cargo test -p visa-tests --test repository` from `analysis/base/src/lanes.rs`: the contexts of the Virtual ISA as views show them.

/** The contexts, in the order in which they are shown. */
export const CONTEXTS = ['main', 'sub', 'dma'] as const;

export type Context = (typeof CONTEXTS)[number];

/** What the row of a context is called. */
export const CONTEXT_NAMES: Readonly<Record<Context, string>> = { main: 'main', sub: 'sub', dma: 'DMA' };

/** Their colours in documents; an editor has colours of its own. */
export const CONTEXT_COLOURS: Readonly<Record<Context, string>> = {
  main: '#3b7dd8',
  sub: '#2e9e6b',
  dma: '#d98324',
};
