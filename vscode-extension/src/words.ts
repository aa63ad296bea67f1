// Numbers and names as the views write them.

import type { Dialect, Engine, KernelTotal, Wait } from './protocol';

/** A count with its thousands apart, the same in every locale: `70,214`. */
export function thousands(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 cycle`, `3,440 cycles`. */
export function cycles(value: number): string {
  return value === 1 ? '1 cycle' : `${thousands(value)} cycles`;
}

/** An address as kernels write it: `0x1000`. */
export function address(value: number): string {
  return value === 0 ? '0' : `0x${value.toString(16)}`;
}

/** Bytes in the largest unit that leaves no rest: `48 KiB`, `3,072 B`. */
export function bytes(value: number): string {
  for (const [unit, size] of [
    ['MiB', 1 << 20],
    ['KiB', 1 << 10],
  ] as const) {
    if (value >= size && value % size === 0) return `${thousands(value / size)} ${unit}`;
  }
  return `${thousands(value)} B`;
}

/** A share in whole percent; below one `<1 %`. */
export function share(part: number, whole: number): string {
  if (whole <= 0) return '0 %';
  const percent = (100 * part) / whole;
  if (part > 0 && percent < 1) return '<1 %';
  return `${Math.round(percent)} %`;
}

/** What a row of an operation's engines is called: of the Vector Engine, which has several stages, the stage: `fp_binary FpMul0`. */
export function engineName({ engine, method, detail }: Engine): string {
  if (engine !== 'vector' || method === null) return engine;
  const unit = detail.split(', ').find((part) => /^[A-Z][A-Za-z]*\d*$/.test(part));
  const stage = method.replace(/^vector_/, '');
  return unit === undefined ? stage : `${stage} ${unit}`;
}

/** What a memory is called. */
export function tierName(tier: string): string {
  return tier.toUpperCase();
}

/** `read after write of x`; just the cause where no tensor is the reason. */
export function cause(wait: Wait): string {
  return wait.tensor === null ? wait.cause : `${wait.cause} of ${wait.tensor}`;
}

/** Letters of which a text that is cut has at least so many, so that it is more than a stump. */
const STUMP = 9;

/** As much of a text as a width has room for, at a width a character; nothing where it would be a stump. */
export function fitted(text: string, room: number, character: number): string | null {
  const most = Math.floor(room / character);
  if (text.length <= most) return text;
  return most <= STUMP ? null : `${text.slice(0, most - 1)}…`;
}

/** An operation's name where there is room for it, else that of its tensor, which is its last word. */
export function fittedName(name: string, room: number, character: number): string | null {
  const most = Math.floor(room / character);
  if (name.length <= most) return name;
  const tensor = name.slice(name.lastIndexOf(' ') + 1);
  return tensor.length <= most ? tensor : null;
}

/** A library in its release as the status item names it, without a patch, which changes nothing: `opt-std 0.8`. */
export function dialectName(dialect: Dialect): string {
  const release = dialect.readAs ?? dialect.release;
  if (release === null) return dialect.library;
  return `${dialect.library} ${release.split('.').slice(0, 2).join('.')}`;
}

/** What a kernel costs, as the status item says it: `dot 3,440 cycles`. */
export function kernelWords(kernel: KernelTotal): string {
  return kernel.total === null ? `${kernel.name} cycles unknown` : `${kernel.name} ${cycles(kernel.total)}`;
}
