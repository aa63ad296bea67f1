// Small marks and words that both views draw.

import { h, s } from './dom';

/** Slanted lines, for idle time and free bytes; one pattern for the page. */
export function hatching(): SVGElement {
  const attributes = {
    id: 'hatch',
    width: 7,
    height: 7,
    patternUnits: 'userSpaceOnUse',
    patternTransform: 'rotate(45)',
  };
  return s('defs', {}, s('pattern', attributes, s('line', { class: 'hatch', x1: 0, y1: 0, x2: 0, y2: 7 })));
}

/** A line of a hint. */
export function line(words: string): HTMLElement {
  return h('div', {}, words);
}
