// The tables of an operation: its engines with their cycles, and the stream behind each of its stages.

import type { Operation } from '../protocol';
import { engineName, thousands } from '../words';
import { h, px, s } from './dom';

/** The engines of an operation, each with a bar for its cycles. */
export function engines(operation: Operation): HTMLElement {
  const most = operation.stages.reduce((sum, stage) => Math.max(sum, (stage.cycles ?? 0) + stage.latency), 1);
  const rows = operation.stages.map((stage) => {
    const busy = stage.cycles ?? 0;
    const bar = s(
      'svg',
      { class: 'bar', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': true },
      s('rect', { class: 'busy', width: px((100 * busy) / most), height: 8 }),
      s('rect', {
        class: 'latency',
        x: px((100 * busy) / most),
        width: px((100 * stage.latency) / most),
        height: 8,
      }),
    );
    const words = stage.latency > 0 ? `${thousands(busy)} + ${thousands(stage.latency)}` : thousands(busy);
    const title = [stage.formula, stage.detail].filter((one) => one !== '').join('\n');
    const bottleneck = stage.slowest;
    return h(
      'tr',
      { title, class: bottleneck ? 'bottleneck' : '' },
      h(
        'th',
        { scope: 'row' },
        engineName(stage),
        bottleneck && h('span', { class: 'unseen' }, ', the bottleneck'),
      ),
      h('td', { class: 'number' }, words),
      h('td', { class: 'bar' }, bar),
    );
  });
  return h(
    'table',
    { class: 'engines', 'aria-label': 'Cycles by engine, busy and latency' },
    h('tbody', {}, ...rows),
  );
}

/** The stream behind each stage of a pass. */
export function stages(operation: Operation): HTMLElement {
  const rows = operation.stream.map((stage) => {
    const size = stage.packetBytes === null ? '' : `${thousands(stage.packetBytes)} B`;
    const runs = stage.iterations === null ? '' : `${thousands(stage.iterations)} × `;
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, stage.method),
      h('td', {}, stage.elementType ?? ''),
      h('td', {}, stage.time ?? ''),
      h('td', {}, stage.packet ?? ''),
      h('td', { class: 'number' }, `${runs}${size}`),
    );
  });
  const head = ['stage', 'type', 'Time', 'Packet', 'stream'].map((word) => h('th', { scope: 'col' }, word));
  return h('table', { class: 'stages' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...rows));
}
