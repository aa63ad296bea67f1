// A field that leaves the rows with some words.

import { h } from './dom';

export class Filter {
  readonly root: HTMLElement;
  private readonly field = h('input', {
    type: 'search',
    'aria-label': 'Filter',
    placeholder: 'Filter by kernel, file, rule',
    spellcheck: 'false',
  });
  private readonly count = h('span', { class: 'faint', role: 'status' });
  private readonly others: (() => Iterable<HTMLElement>)[] = [];

  constructor() {
    this.root = h('p', { class: 'filter' }, this.field, ' ', this.count);
    this.field.addEventListener('input', () => {
      this.apply();
    });
  }

  /** Rows beside those of the kernels. */
  also(rows: () => Iterable<HTMLElement>): void {
    this.others.push(rows);
  }

  /** Hides the rows without all of the words. */
  apply(): void {
    const words = this.field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kernels = [...document.querySelectorAll<HTMLElement>('tr[data-kernel]')];
    const rows = [...kernels, ...this.others.flatMap((own) => [...own()])];
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const left = rows.filter((row) => !row.hidden).length;
    this.count.textContent = words.length === 0 ? '' : `${left} of ${rows.length}`;
    // With little to choose from there is nothing to filter.
    this.root.hidden = rows.length < 2 && words.length === 0;
  }
}
