// From cycles and bytes to places in a picture: pure.

/** A stretch of cycles or bytes. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The part of a picture that a scale fills. */
export interface Room {
  readonly start: number;
  readonly end: number;
}

/** A linear scale. `start` may be behind `end`, for an axis that grows upward. */
export class Scale {
  private readonly factor: number;

  constructor(
    readonly shown: Span,
    readonly room: Room,
  ) {
    this.factor = (room.end - room.start) / Math.max(shown.to - shown.from, 1e-9);
  }

  place(value: number): number {
    return this.room.start + (value - this.shown.from) * this.factor;
  }

  /** The value at a place. */
  value(place: number): number {
    return this.shown.from + (place - this.room.start) / this.factor;
  }

  /** The places of a stretch, the smaller first, cut to the room; `null` if it is outside. */
  stretch(from: number, to: number): { at: number; size: number } | null {
    if (to < this.shown.from || from > this.shown.to) return null;
    const one = this.place(Math.max(from, this.shown.from));
    const other = this.place(Math.min(to, this.shown.to));
    return { at: Math.min(one, other), size: Math.abs(other - one) };
  }
}

/** Round values for the marks of an axis: at most `most` of them, at steps of 1, 2 or 5 times a power of ten. */
export function ticks(shown: Span, most: number): number[] {
  const extent = shown.to - shown.from;
  if (extent <= 0 || most < 1) return [];
  const rough = extent / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((by) => by * power).find((by) => by >= rough) ?? rough);
  const first = Math.ceil(shown.from / step);
  const count = Math.floor(shown.to / step) - first + 1;
  return Array.from({ length: Math.min(count, most + 1) }, (_, at) => (first + at) * step);
}

/** Round addresses for the marks of an axis: powers of two apart. */
export function addressTicks(shown: Span, most: number): number[] {
  const extent = shown.to - shown.from;
  if (extent <= 0 || most < 1) return [];
  let step = 1;
  while (extent / step > most) step *= 2;
  const first = Math.ceil(shown.from / step);
  const count = Math.floor(shown.to / step) - first + 1;
  return Array.from({ length: count }, (_, at) => (first + at) * step);
}

/** The smallest stretch that zooming in leads to. */
const LEAST = 16;

/** A stretch that is `factor` as long and has the same value at the same place, within the whole. */
export function zoomed(shown: Span, whole: Span, factor: number, around: number): Span {
  const extent = whole.to - whole.from;
  const length = Math.min(Math.max((shown.to - shown.from) * factor, Math.min(LEAST, extent)), extent);
  const share = (around - shown.from) / Math.max(shown.to - shown.from, 1e-9);
  return placed(around - share * length, length, whole);
}

/** A stretch moved by some cycles, within the whole. */
export function moved(shown: Span, whole: Span, by: number): Span {
  return placed(shown.from + by, shown.to - shown.from, whole);
}

/** The stretch moved, and widened if need be, so that another is in sight. */
export function withinSight(shown: Span, whole: Span, wanted: Span): Span {
  if (wanted.from >= shown.from && wanted.to <= shown.to) return shown;
  const length = Math.max(shown.to - shown.from, (wanted.to - wanted.from) * 1.2);
  return placed((wanted.from + wanted.to - length) / 2, Math.min(length, whole.to - whole.from), whole);
}

function placed(from: number, length: number, whole: Span): Span {
  const start = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: start, to: start + length };
}
