import assert from 'node:assert/strict';
import { test } from 'node:test';

import { holdsKernels, kernelsOf } from '../../src/views/kernels';
import { fromView } from '../../src/views/messages';
import {
  address,
  bytes,
  cause,
  cycles,
  dialectName,
  engineName,
  fitted,
  fittedName,
  share,
  thousands,
} from '../../src/words';

test('numbers', () => {
  assert.deepEqual([0, 999, 1000, 1234567].map(thousands), ['0', '999', '1,000', '1,234,567']);
  assert.deepEqual([1, 3440].map(cycles), ['1 cycle', '3,440 cycles']);
  assert.deepEqual([0, 4096].map(address), ['0', '0x1000']);
  assert.deepEqual([3000, 1024, 49152, 2 << 20].map(bytes), ['3,000 B', '1 KiB', '48 KiB', '2 MiB']);
  assert.deepEqual([share(0, 10), share(1, 1000), share(1, 3), share(1, 0)], ['0 %', '<1 %', '33 %', '0 %']);
});

test('words', () => {
  assert.equal(cause({ operation: 0, cause: 'read after write', tensor: 'x' }), 'read after write of x');
  assert.equal(cause({ operation: 0, cause: 'context busy', tensor: null }), 'context busy');
  assert.equal(fitted('commit result', 130, 10), 'commit result');
  assert.equal(fitted('commit result', 100, 10), 'commit re…');
  assert.equal(fitted('commit result', 90, 10), null);
  assert.equal(fittedName('commit result', 130, 10), 'commit result');
  assert.equal(fittedName('commit result', 100, 10), 'result');
  assert.equal(fittedName('commit result', 50, 10), null);
});

test('kernels are found in half-typed text', () => {
  const text = [
    '// #[device(chip = 1)] fn no() {}',
    'fn helper() {}',
    '#[device(chip = 1)]',
    '#[allow(tcp::alu_reuse)]',
    'pub fn first(ctx: &mut Context,',
    '  fn inner() {',
    '#[device(chip = 2)] fn second<T>() {}',
    '#[device(',
    '    chip = 4)]',
    'async fn third(',
  ].join('\n');
  assert.deepEqual(kernelsOf(text), [
    { name: 'first', line: 5 },
    { name: 'second', line: 7 },
    { name: 'third', line: 10 },
  ]);
});

test('only what a view may say is heard', () => {
  assert.deepEqual(fromView({ type: 'reveal', file: '/k.rs', line: 3, column: 1, more: 1 }), {
    type: 'reveal',
    file: '/k.rs',
    line: 3,
    column: 1,
  });
  for (const value of [
    null,
    'ready',
    {},
    { type: 'reveal', file: 1, line: 1 },
    { type: 'choose', line: 0 },
  ]) {
    assert.equal(fromView(value), null);
  }
});

test('libraries are named with their release and without its patch', () => {
  const name = (library: string, release: string | null, readAs: string | null = null): string =>
    dialectName({ library, release, readAs, because: '' });
  assert.equal(name('opt-std', '0.8.1'), 'opt-std 0.8');
  assert.equal(name('opt-std', '0.10'), 'opt-std 0.10');
  assert.equal(name('opt-std', '0.11.0', '0.10'), 'opt-std 0.10');
  assert.equal(name('visa-std', null), 'visa-std');
});

test('stages of the Vector Engine have names of their own', () => {
  const row = (engine: string, method: string | null, detail: string) =>
    engineName({ engine, method, detail, cycles: 1, slowest: false, latency: 0, formula: '' });
  assert.equal(row('vector', 'vector_fp_binary', 'vector_fp_binary, 4 lanes, FpMul0'), 'fp_binary FpMul0');
  assert.equal(row('vector', 'vector_trim_way4', 'vector_trim_way4, 8 lanes'), 'trim_way4');
  assert.equal(
    row('vector', 'vector_intra_slice_reduce', 'vector_intra_slice_reduce, 4 lanes, 256 into one'),
    'intra_slice_reduce',
  );
  assert.equal(row('fetch', 'fetch', '[1024:1], 8 bytes an access'), 'fetch');
  // A server of another version does not say.
  assert.equal(row('vector', null, ''), 'vector');
});

test('files of other people are told from kernels', () => {
  for (const text of ['axes![A = 8];', 'let x: T<m![A]>;', 'use furiosa_opt_std::prelude::*;'])
    assert.ok(holdsKernels(text), text);
  for (const text of ['', 'fn main() { item![a]; }', 'vec![1]', 'use furiosa_client::x;'])
    assert.ok(!holdsKernels(text), text);
});
