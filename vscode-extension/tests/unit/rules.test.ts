import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readKernelTotal, readRulePage } from '../../src/protocol';
import { explained, ruleOf } from '../../src/ruleAddress';
import type { Candidate } from '../../src/server/find';
import { checkArguments, linterOf } from '../../src/server/linter';
import { kernelWords } from '../../src/words';

test('an address names its rule', () => {
  assert.equal(ruleOf('/slice_size.md'), 'slice_size');
});

test('the command takes a rule and a document, and nothing else for a rule', () => {
  assert.deepEqual(explained(['slice_size']), { rule: 'slice_size' });
  assert.deepEqual(explained(['slice_size', 'file:///a.rs']), {
    rule: 'slice_size',
    document: 'file:///a.rs',
  });
  for (const given of [[], [3], ['../a'], ['a b']]) assert.equal(explained(given), null);
});

test('a page is its Markdown', () => {
  assert.equal(readRulePage({ version: 1, rule: 'a', markdown: '# a' }), '# a');
  for (const answer of [null, undefined, {}, { markdown: 3 }]) assert.equal(readRulePage(answer), null);
});

test('the status item tells the kernel at the cursor', () => {
  const answer = { version: 1, kernels: [{ name: 'dot', cycles: { total: 3440 } }] };
  const total = readKernelTotal(answer);
  assert.deepEqual(total, { name: 'dot', total: 3440 });
  assert.equal(kernelWords(total), 'dot 3,440 cycles');
  const unknown = readKernelTotal({ kernels: [{ name: 'dot', cycles: { total: null } }] });
  assert.equal(unknown === null ? '' : kernelWords(unknown), 'dot cycles unknown');
  for (const none of [null, undefined, {}, { kernels: [] }]) assert.equal(readKernelTotal(none), null);
});

test('a task runs the linter beside the server, else the server of the extension, else the search path', () => {
  const there = (path: string) => path === '/opt/visa/visa-lint' || path === 'C:\\visa\\visa-lint.exe';
  const at = (path: string, origin: Candidate['origin']) => ({ path, origin });
  assert.equal(linterOf(at('/opt/visa/visa-lsp', 'path'), 'linux', there), '/opt/visa/visa-lint');
  assert.equal(linterOf(at('C:\\visa\\visa-lsp.exe', 'setting'), 'win32', there), 'C:\\visa\\visa-lint.exe');
  assert.equal(linterOf(at('/ext/server/visa-lsp', 'bundle'), 'linux', there), '/ext/server/visa-lsp');
  // It may be older than the first server that checks.
  assert.equal(linterOf(at('/other/visa-lsp', 'path'), 'linux', there), 'visa-lint');
  assert.equal(linterOf(undefined, 'linux', there), 'visa-lint');
});

test('a task checks the folder where it names nothing else, in the format that the problem matcher reads', () => {
  assert.deepEqual(checkArguments(undefined), ['check', '--format', 'short', '.']);
  assert.deepEqual(checkArguments(['src', '--deny', 'performance']), [
    'check',
    '--format',
    'short',
    'src',
    '--deny',
    'performance',
  ]);
});
