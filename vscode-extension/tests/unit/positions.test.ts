import assert from 'node:assert/strict';
import { test } from 'node:test';

import { columnOf, operationsAt, serverPath, touches, unitOf } from '../../src/positions';
import { placeOf } from '../../src/arguments';
import { operation } from './samples';

test('columns count characters, units count halves of them', () => {
  const line = 'a𝔸ä.x';
  // a is 1 unit, 𝔸 is 2, ä is 1.
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 99].map((column) => unitOf(line, column)),
    [0, 1, 3, 4, 5, 6, 6],
  );
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((unit) => columnOf(line, unit)),
    [1, 2, 2, 3, 4, 5, 6],
  );
});

test('a range holds its ends', () => {
  const range = { start: { line: 2, column: 3 }, end: { line: 4, column: 1 } };
  assert.ok(touches(range, { line: 2, column: 3 }));
  assert.ok(touches(range, { line: 3, column: 80 }));
  assert.ok(touches(range, { line: 4, column: 1 }));
  assert.ok(!touches(range, { line: 2, column: 2 }));
  assert.ok(!touches(range, { line: 4, column: 2 }));
});

/** An operation of one statement over some lines, its first method on another. */
function of(
  id: number,
  from: number,
  method: number,
  to: number,
  file = '/k.rs',
): ReturnType<typeof operation> {
  const at = { line: method, column: 10 };
  return operation(id, 'main', 0, 1, {
    file,
    range: { start: at, end: at },
    statement: { start: { line: from, column: 5 }, end: { line: to, column: 20 } },
  });
}

test('the operation is that of the statement around the cursor', () => {
  const operations = [of(0, 3, 5, 8), of(1, 9, 9, 9), of(2, 9, 9, 9)];
  assert.deepEqual(operationsAt(operations, '/k.rs', { line: 3, column: 7 }), [0]);
  assert.deepEqual(operationsAt(operations, '/k.rs', { line: 7, column: 1 }), [0]);
  // Two runs of a loop are one statement.
  assert.deepEqual(operationsAt(operations, '/k.rs', { line: 9, column: 12 }), [1, 2]);
  assert.deepEqual(operationsAt(operations, '/k.rs', { line: 10, column: 1 }), []);
  assert.deepEqual(operationsAt(operations, '/other.rs', { line: 9, column: 12 }), []);
});

test('of two chains in a statement the one before the cursor is meant', () => {
  const operations = [of(0, 3, 4, 9), of(1, 3, 7, 9)];
  assert.deepEqual(operationsAt(operations, '/k.rs', { line: 3, column: 6 }), [0, 1]);
  assert.deepEqual(operationsAt(operations, '/k.rs', { line: 5, column: 6 }), [0]);
  assert.deepEqual(operationsAt(operations, '/k.rs', { line: 8, column: 6 }), [1]);
});

test('files are named as the server names them', () => {
  const windows = { scheme: 'file', fsPath: 'c:\\k\\a.rs', toString: () => '' };
  assert.equal(serverPath(windows), 'C:/k/a.rs');
  const untitled = { scheme: 'untitled', fsPath: 'Untitled-1', toString: () => 'untitled:Untitled-1' };
  assert.equal(serverPath(untitled), 'untitled:Untitled-1');
});

test('a command takes a document and a place, in any of the usual forms', () => {
  const position = { line: 11, character: 3 };
  const place = { uri: 'file:///k.rs', line: 12, column: 4 };
  assert.deepEqual(placeOf(['file:///k.rs', position]), place);
  assert.deepEqual(placeOf(['file:///k.rs', { start: position, end: position }]), place);
  assert.deepEqual(placeOf([{ textDocument: { uri: 'file:///k.rs' }, position }]), place);
  assert.equal(placeOf([]), null);
  assert.equal(placeOf([undefined, { line: 'x' }]), null);
});
