// What bounds a kernel from below: a bar for each bound on one scale, and the sentence which of them binds.

import type { Roofline } from '../protocol';
import { thousands } from '../words';
import { h, px, s } from './dom';

export function roofline(bounds: Roofline): HTMLElement {
  const most = bounds.bars.reduce((sum, { cycles }) => Math.max(sum, cycles ?? 0), 1);
  const rows = bounds.bars.map(({ bound, name, cycles, detail }) => {
    const width = px((100 * (cycles ?? 0)) / most);
    const bar = s(
      'svg',
      { class: 'bar', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': true },
      s('rect', { class: 'busy', width, height: 8 }),
    );
    const binds = bound === bounds.binds;
    return h(
      'tr',
      { class: binds ? 'bottleneck' : '', title: detail },
      h('th', { scope: 'row' }, name, binds && h('span', { class: 'unseen' }, ', which binds')),
      h('td', { class: 'number' }, cycles === null ? 'unknown' : thousands(cycles)),
      h('td', { class: 'bar' }, bar),
    );
  });
  return h(
    'div',
    { class: 'roofline' },
    h('table', { class: 'engines', 'aria-label': 'Roofline, in cycles' }, h('tbody', {}, ...rows)),
    h('p', {}, `${bounds.sentence}.`),
  );
}
