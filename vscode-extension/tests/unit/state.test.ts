import assert from 'node:assert/strict';
import { test } from 'node:test';

import { initial, next, NO_KERNEL, type Answer, type Event, type State } from '../../src/views/state';

const A = 'file:///a.rs';
const B = 'file:///b.rs';

function after(...events: Event<string>[]): State<string> {
  return events.reduce((state, event) => next(state, event), initial<string>());
}

function answered(document: string, answer: Answer<string>): Event<string> {
  return { kind: 'answered', document, answer };
}

const WHOLE = answered(A, { kind: 'whole', kernel: 'dot', content: 'picture' });
const OBSTACLE = { reason: 'the type is not known', file: '/a.rs', line: 3, column: 1 };
const BROKEN = answered(A, { kind: 'unresolved', kernel: 'dot', obstacles: [OBSTACLE] });

test('a good answer is shown as it is', () => {
  const state = after(WHOLE);
  assert.deepEqual(state.picture, { document: A, kernel: 'dot', content: 'picture' });
  assert.equal(state.stale, null);
});

test('the picture outlives broken text, says so, and comes back', () => {
  const broken = after(WHOLE, BROKEN);
  assert.equal(broken.picture?.content, 'picture');
  assert.match(broken.stale ?? '', /^Last good picture/);
  assert.deepEqual(broken.obstacles, [OBSTACLE]);
  const mended = next(broken, answered(A, { kind: 'whole', kernel: 'dot', content: 'newer' }));
  assert.deepEqual([mended.picture?.content, mended.stale, mended.obstacles], ['newer', null, []]);
});

test('a kernel that was never whole shows its reasons', () => {
  const state = after(BROKEN);
  assert.equal(state.picture, null);
  assert.equal(state.stale, null);
  assert.deepEqual(state.obstacles, [OBSTACLE]);
  assert.match(state.notice, /cycles of dot are unknown/);
});

test("another kernel's picture does not be in for a broken one", () => {
  const state = after(WHOLE, answered(A, { kind: 'unresolved', kernel: 'other', obstacles: [OBSTACLE] }));
  assert.equal(state.picture, null);
});

test('between kernels the last picture stays, in another file it goes', () => {
  assert.equal(after(WHOLE, answered(A, { kind: 'outside' })).picture?.kernel, 'dot');
  const state = after(WHOLE, answered(B, { kind: 'outside' }));
  assert.equal(state.picture, null);
  assert.equal(state.notice, NO_KERNEL);
});

test('a question that fails leaves the picture', () => {
  const failed: Event<string> = { kind: 'failed', document: A, reason: 'no answer' };
  assert.match(after(WHOLE, failed).stale ?? '', /no answer/);
  assert.equal(after(failed).notice, 'no answer');
});

test('without a server there is no picture', () => {
  const gone = after(WHOLE, { kind: 'server', state: 'gone' });
  assert.equal(gone.picture, null);
  assert.match(gone.notice, /not running/);
  assert.equal(after(WHOLE, { kind: 'server', state: 'starting' }).picture?.kernel, 'dot');
});
