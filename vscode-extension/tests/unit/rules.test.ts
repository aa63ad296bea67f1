import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readKernelTotal, readRulePage, readStatus } from '../../src/protocol';
import { explained, ruleOf } from '../../src/ruleAddress';
import { bundled, type Candidate } from '../../src/server/find';
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

test('the server says how many kernels there are, or that it does not know', () => {
  assert.equal(readStatus({ kernels: 0 }), 0);
  assert.equal(readStatus({ kernels: 12 }), 12);
  for (const unknown of [{ kernels: null }, {}, null, undefined, { kernels: 'many' }])
    assert.equal(readStatus(unknown), null);
});

test('a task runs the linter beside the server, else the program of the extension, else the search path', () => {
  const at = (path: string, origin: Candidate['origin']) => ({ path, origin });
  const own = bundled({ platform: 'linux', extension: '/ext' });
  assert.equal(own, '/ext/server/visa-lsp');
  const chosen = (server: Candidate | undefined, ...files: string[]) =>
    linterOf(server, own, 'linux', (path) => files.includes(path));
  assert.equal(chosen(at('/opt/visa-lsp', 'path'), '/opt/visa-lint', own), '/opt/visa-lint');
  assert.equal(chosen(at(own, 'bundle'), own), own);
  // Another server alone may be older than the first that checks.
  assert.equal(chosen(at('/opt/visa-lsp', 'setting'), '/opt/visa-lsp', own), own);
  // A task can be run before a server is.
  assert.equal(chosen(undefined, own), own);
  // The universal package has no program.
  assert.equal(chosen(at('/opt/visa-lsp', 'path'), '/opt/visa-lsp'), 'visa-lint');
  assert.equal(chosen(undefined), 'visa-lint');
  const windows = bundled({ platform: 'win32', extension: 'C:\\ext' });
  assert.equal(windows, 'C:\\ext\\server\\visa-lsp.exe');
  const beside = (path: string) => path === 'C:\\visa\\visa-lint.exe';
  assert.equal(
    linterOf(at('C:\\visa\\visa-lsp.exe', 'path'), windows, 'win32', beside),
    'C:\\visa\\visa-lint.exe',
  );
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
