import assert from 'node:assert/strict';
import { test } from 'node:test';

import { mayRestart, MOST, WINDOW } from '../../src/server/restarts';

test('a server that keeps ending is left alone', () => {
  let ends: number[] = [];
  const restarts: boolean[] = [];
  for (let at = 0; at < MOST; at += 1) {
    const verdict = mayRestart(ends, 1000 * at);
    ends = verdict.ends;
    restarts.push(verdict.restart);
  }
  assert.deepEqual(restarts, [true, true, true, false]);
});

test('ends long ago are forgotten', () => {
  const verdict = mayRestart([0, 1, 2], WINDOW + 2);
  assert.deepEqual(verdict, { restart: true, ends: [WINDOW + 2] });
});
