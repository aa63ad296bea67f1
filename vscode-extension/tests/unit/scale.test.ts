import assert from 'node:assert/strict';
import { test } from 'node:test';

import { addressTicks, moved, Scale, ticks, withinSight, zoomed } from '../../src/webview/scale';

const WHOLE = { from: 0, to: 1000 };

test('a scale goes there and back, upward too', () => {
  const across = new Scale(WHOLE, { start: 100, end: 600 });
  assert.equal(across.place(500), 350);
  assert.equal(across.value(350), 500);
  const upward = new Scale({ from: 0, to: 100 }, { start: 200, end: 0 });
  assert.equal(upward.place(25), 150);
  assert.deepEqual(upward.stretch(25, 50), { at: 100, size: 50 });
});

test('a stretch is cut to what is shown', () => {
  const scale = new Scale({ from: 100, to: 200 }, { start: 0, end: 100 });
  assert.deepEqual(scale.stretch(50, 150), { at: 0, size: 50 });
  assert.equal(scale.stretch(201, 300), null);
  assert.equal(scale.stretch(0, 99), null);
});

test('marks are round and no more than asked for', () => {
  assert.deepEqual(ticks(WHOLE, 4), [0, 500, 1000]);
  assert.deepEqual(ticks({ from: 130, to: 290 }, 5), [150, 200, 250]);
  assert.deepEqual(ticks({ from: 3, to: 6 }, 10), [3, 4, 5, 6]);
  assert.deepEqual(ticks({ from: 5, to: 5 }, 4), []);
  assert.deepEqual(addressTicks({ from: 0, to: 0x8000 }, 4), [0, 0x2000, 0x4000, 0x6000, 0x8000]);
  for (let most = 1; most < 20; most += 1) assert.ok(ticks({ from: 17, to: 98765 }, most).length <= most + 1);
});

test('what is under the pointer stays there when the picture is zoomed', () => {
  const closer = zoomed(WHOLE, WHOLE, 0.5, 400);
  assert.deepEqual(closer, { from: 200, to: 700 });
  assert.deepEqual(zoomed(closer, WHOLE, 10, 400), WHOLE);
});

test('no zoom leaves the kernel or comes closer than a few cycles', () => {
  const close = zoomed(WHOLE, WHOLE, 1e-6, 999);
  assert.equal(close.to - close.from, 16);
  assert.ok(close.from >= 0 && close.to <= 1000);
  assert.deepEqual(moved({ from: 900, to: 1000 }, WHOLE, 50), { from: 900, to: 1000 });
  assert.deepEqual(moved({ from: 100, to: 200 }, WHOLE, -500), { from: 0, to: 100 });
});

test('what is chosen comes into sight', () => {
  const shown = { from: 0, to: 100 };
  assert.equal(withinSight(shown, WHOLE, { from: 10, to: 90 }), shown);
  assert.deepEqual(withinSight(shown, WHOLE, { from: 500, to: 520 }), { from: 460, to: 560 });
  assert.deepEqual(withinSight(shown, WHOLE, { from: 0, to: 1000 }), WHOLE);
});
