// Elements made without markup: words only ever become text nodes.

import { CONTEXT_COLOURS } from '../lanes';

type Child = Node | string | null | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

const SVG = 'http://www.w3.org/2000/svg';

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** An element of HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** An element of SVG. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

/** A button with words for those who do not see its sign. */
export function button(
  sign: string,
  label: string,
  act: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const element = h('button', { type: 'button', 'aria-label': label, title: label, ...attributes }, sign);
  element.addEventListener('click', act);
  return element;
}

/** Words that lead to a place. */
export function link(words: string, act: () => void): HTMLButtonElement {
  const element = h('button', { type: 'button', class: 'link' }, words);
  element.addEventListener('click', act);
  return element;
}

/** Words of which those in backticks are code. */
export function prose(text: string): Node[] {
  const parts = text.split('`');
  // A backtick without a partner is one.
  if (parts.length % 2 === 0) return [document.createTextNode(text)];
  return parts.map((part, at) => (at % 2 === 0 ? document.createTextNode(part) : h('code', {}, part)));
}

/** Numbers of attributes with no more digits than a screen has use for. */
export function px(value: number): string {
  return (Math.round(value * 100) / 100).toString();
}

/** Gives a page of its own the colours that all documents have. TRF and VRF are as the contexts that read them, the main and the sub one. */
export function colour(root: HTMLElement): void {
  const { main, sub, dma } = CONTEXT_COLOURS;
  for (const [name, value] of Object.entries({ main, sub, dma, trf: main, vrf: sub })) {
    root.style.setProperty(`--${name}`, value);
  }
}
