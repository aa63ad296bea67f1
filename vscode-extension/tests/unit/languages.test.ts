// Which Python and MLIR is ours, as the server's own table decides it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { holdsPto, importsNki } from '../../src/languages';

test('Python takes part by what it imports', () => {
  for (const text of [
    'import nki\n',
    '\u{feff}import nki.isa as nisa\r\n',
    'import os, nki.language as nl',
    'import neuronxcc.nki.isa as nisa',
    'from nki.isa import dge_mode, dma_copy',
    'x = 1; from neuronxcc.nki import isa',
    'def f():\n    try:\n\tfrom neuronxcc import nki as n\n',
    'try: import nki\nexcept ImportError: nki = None',
    'from neuronxcc import (\n    nki,\n)\n',
  ]) {
    assert.ok(importsNki(text), text);
  }
  for (const text of [
    '',
    'nki.isa.dma_copy()',
    '# import nki',
    'import nkipy',
    'import my.nki',
    'from .nki import isa',
    'from mine import nki',
    'import monkey',
    'from neuronxcc import compile',
  ]) {
    assert.ok(!importsNki(text), text);
  }
});

test('MLIR takes part by its operations', () => {
  assert.ok(holdsPto('func.func @f() { pto.barrier }'));
  assert.ok(!holdsPto('%0 = crypto.hash %1'));
});
