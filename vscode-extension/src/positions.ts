// From the server's places, which count characters from 1, to the editor's, which count UTF-16 units from 0, and back.

import type { Operation, Point, Range } from './protocol';

/** The UTF-16 unit in a line before which a column is; the line's end for a column behind it. */
export function unitOf(line: string, column: number): number {
  let units = 0;
  let at = 1;
  for (const character of line) {
    if (at >= column) break;
    units += character.length;
    at += 1;
  }
  return units;
}

/** The column that a UTF-16 unit of a line is in. */
export function columnOf(line: string, unit: number): number {
  let units = 0;
  let column = 1;
  for (const character of line) {
    units += character.length;
    if (units > unit) break;
    column += 1;
  }
  return column;
}

function before(one: Point, other: Point): boolean {
  return one.line < other.line || (one.line === other.line && one.column < other.column);
}

/** Whether a place is in a range, its ends included. */
export function touches(range: Range, place: Point): boolean {
  return !before(place, range.start) && !before(range.end, place);
}

/** The operations whose statement a place is in: those of the innermost statement, all runs of its loops. */
export function operationsAt(operations: readonly Operation[], file: string, place: Point): number[] {
  let inner: Operation[] = [];
  for (const operation of operations) {
    if (operation.file !== file || !touches(operation.statement, place)) continue;
    const first = inner[0];
    if (first === undefined || before(first.statement.start, operation.statement.start)) inner = [operation];
    else if (!before(operation.statement.start, first.statement.start)) inner.push(operation);
  }
  // A statement may hold several chains: the one that the place is behind, if it is behind any.
  const places = inner.map((operation) => operation.range.start);
  const behind = places.filter((start) => !before(place, start));
  const last = behind.reduce<Point | null>(
    (most, one) => (most === null || before(most, one) ? one : most),
    null,
  );
  if (last === null) return inner.map((operation) => operation.id);
  return inner
    .filter(({ range }) => range.start.line === last.line && range.start.column === last.column)
    .map((operation) => operation.id);
}

/** A document as the server names its file: the path with `/` and one name a drive; the address where it is no file. */
export function serverPath(document: { scheme: string; fsPath: string; toString(): string }): string {
  if (document.scheme !== 'file') return document.toString();
  const path = document.fsPath.replaceAll('\\', '/');
  return path.replace(/^[a-z](?=:\/)/, (drive) => drive.toUpperCase());
}
