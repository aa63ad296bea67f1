// Small marks and words that both views draw.

import { h, s } from './dom';

/** Slanted lines, for idle time and free bytes; one pattern for the page. */
export function hatching(): SVGElement {
  return pattern('hatch', 45);
}

/** Lines that slant the other way, for bytes that two tensors share. */
export function alarmHatching(): SVGElement {
  return pattern('alarm-hatch', -45);
}

function pattern(id: string, angle: number): SVGElement {
  const attributes = {
    id,
    width: 7,
    height: 7,
    patternUnits: 'userSpaceOnUse',
    patternTransform: `rotate(${angle})`,
  };
  return s('defs', {}, s('pattern', attributes, s('line', { class: id, x1: 0, y1: 0, x2: 0, y2: 7 })));
}

/** A line of a hint. */
export function line(words: string): HTMLElement {
  return h('div', {}, words);
}
