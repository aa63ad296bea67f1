// A unified diff with its lines in colours.

import { h } from './dom';

/** The class of a line of a diff, by its first letters. */
function kind(line: string): string {
  if (line.startsWith('---') || line.startsWith('+++')) return 'file';
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return 'kept';
}

export function diff(text: string): HTMLElement {
  const lines = text.replace(/\n$/, '').split('\n');
  return h(
    'pre',
    { class: 'diff', tabindex: 0, 'aria-label': 'The change as a diff' },
    ...lines.map((line) => h('span', { class: kind(line) }, `${line}\n`)),
  );
}
