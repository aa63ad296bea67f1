// Which texts are kernels in Python and MLIR, told as the server tells it: by one search of the text.

/** A module that an import names: NKI, under either of its names. */
const NKI = String.raw`(?:neuronxcc\.)?nki(?:\.[\w.]+)?`;

/** `import nki`, also behind other modules of the same import, behind `try:` and in functions. */
const IMPORT = new RegExp(
  String.raw`(?:^|[;:])[ \t]*import[ \t]+(?:[\w. \t]+,[ \t]*)*${NKI}(?=[\s,;#]|$)`,
  'm',
);

/** `from nki.isa import …`. */
const FROM = new RegExp(String.raw`(?:^|[;:])[ \t]*from[ \t]+${NKI}[ \t]+import\b`, 'm');

/** `from neuronxcc import nki`, the names perhaps in brackets over several lines. */
const MEMBER = /(?:^|[;:])[ \t]*from[ \t]+neuronxcc[ \t]+import[ \t]+(?:\([^)]*\bnki\b|[^\n(]*\bnki\b)/m;

/** Whether a Python text imports NKI. */
export function importsNki(text: string): boolean {
  if (!text.includes('nki')) return false;
  const own = text.startsWith('\u{feff}') ? text.slice(1) : text;
  return IMPORT.test(own) || FROM.test(own) || MEMBER.test(own);
}

/** Whether an MLIR text has operations of PTO. */
export function holdsPto(text: string): boolean {
  return /(?<!\w)pto\./.test(text);
}
