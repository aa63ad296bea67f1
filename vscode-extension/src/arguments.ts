// What a code lens hands to the command that it calls.

/** A place in a document, lines and columns from 1. */
export interface GivenPlace {
  readonly uri: string;
  readonly line: number;
  readonly column: number;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/**
 * The place that a command is called with: a text document position of the protocol, or its two parts one after the other;
 * `null` where it is called without, from the palette or a menu.
 */
export function placeOf(given: readonly unknown[]): GivenPlace | null {
  const [first, second] = given;
  const whole = record(first);
  const uri = typeof first === 'string' ? first : (record(whole.textDocument).uri ?? whole.uri);
  const position = record(whole.position ?? record(whole.range).start ?? record(second).start ?? second);
  const { line, character } = position;
  if (typeof uri !== 'string' || typeof line !== 'number' || typeof character !== 'number') return null;
  return { uri, line: line + 1, column: character + 1 };
}
