// The grammar that is put into Rust's own: a stand-in for that one has comments, strings and a keyword.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import { INITIAL, Registry, parseRawGrammar, type IGrammar, type IRawGrammar } from 'vscode-textmate';

const INJECTED = 'syntaxes/mappings.tmLanguage.json';
const RUST = {
  scopeName: 'source.rust',
  patterns: [
    { include: '#comments' },
    { include: '#block-comments' },
    { name: 'string.quoted.double.rust', begin: '"', end: '"' },
    { name: 'keyword.rust', match: '\\blet\\b' },
    { name: 'support.constant.rust', match: '\\b[A-Z]+\\b' },
  ],
  repository: {
    comments: { patterns: [{ name: 'comment.line.rust', match: '//.*' }] },
    'block-comments': { patterns: [{ name: 'comment.block.rust', begin: '/\\*', end: '\\*/' }] },
  },
};

async function grammar(): Promise<IGrammar> {
  await loadWASM(readFileSync('node_modules/vscode-oniguruma/release/onig.wasm'));
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    loadGrammar: (scope): Promise<IRawGrammar | null> => {
      const text = scope === 'source.rust' ? JSON.stringify(RUST) : readFileSync(INJECTED, 'utf8');
      return Promise.resolve(parseRawGrammar(text, 'grammar.json'));
    },
    getInjections: (scope) => (scope === 'source.rust' ? ['source.rust.visa'] : undefined),
  });
  const rust = await registry.loadGrammar('source.rust');
  assert.ok(rust);
  return rust;
}

/** The tokens of some lines: each word and sign with its innermost scope. */
function tokens(rust: IGrammar, text: string): [string, string][] {
  let state = INITIAL;
  const found: [string, string][] = [];
  for (const line of text.split('\n')) {
    const read = rust.tokenizeLine(line, state);
    state = read.ruleStack;
    for (const { startIndex, endIndex, scopes } of read.tokens) {
      const word = line.slice(startIndex, endIndex).trim();
      if (word !== '') found.push([word, scopes.at(-1) ?? '']);
    }
  }
  return found;
}

test('macros of mappings are coloured, and nothing else is', async () => {
  const rust = await grammar();
  const axis = 'entity.name.type.axis.visa';
  const operator = 'keyword.operator.mapping.visa';
  const number = 'constant.numeric.decimal.rust';
  const seen = tokens(rust, 'let x = f::<m![A / 8, [B, r#C] % 4 #{!} 16]>(); // m![A]\nlet y = "m![A]" / 8;');
  const inside = seen.filter(([, scope]) => scope !== 'meta.macro.mapping.visa');
  const scopeOf = (word: string) => inside.filter(([other]) => other === word).map(([, scope]) => scope);
  assert.deepEqual(scopeOf('A'), [axis]);
  assert.deepEqual(scopeOf('r#C'), [axis]);
  assert.deepEqual(scopeOf('#{!}'), ['keyword.operator.padding.visa']);
  assert.deepEqual(scopeOf('16'), [number]);
  assert.deepEqual(scopeOf('%'), [operator]);
  // Rust's own: behind the macro, in a comment, in a string.
  assert.deepEqual(scopeOf('let'), ['keyword.rust', 'keyword.rust']);
  assert.deepEqual(scopeOf('// m![A]'), ['comment.line.rust']);
  assert.deepEqual(scopeOf('m![A]'), ['string.quoted.double.rust']);
  assert.deepEqual(scopeOf('/ 8;'), ['source.rust']);
});

test('a macro of several lines ends where its bracket does', async () => {
  const rust = await grammar();
  const seen = tokens(rust, 'axes![\n    A = 8, // a size\n    B = { SIZE },\n];\nlet A');
  assert.deepEqual(
    seen.filter(([word]) => word === 'A').map(([, scope]) => scope),
    ['entity.name.type.axis.visa', 'support.constant.rust'],
  );
  // In braces there is ordinary Rust.
  assert.ok(seen.some(([word, scope]) => word === 'SIZE' && scope === 'support.constant.rust'));
  assert.ok(seen.some(([word, scope]) => word === '// a size' && scope === 'comment.line.rust'));
  // Names that only end like one of the macros.
  for (const [word, scope] of tokens(rust, 'item![A] vec![A] xi![A]'))
    assert.ok(word !== 'A' || scope === 'support.constant.rust', `${word} ${scope}`);
});

test('operations, values and types of PTO have their colours', async () => {
  await loadWASM(readFileSync('node_modules/vscode-oniguruma/release/onig.wasm'));
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    loadGrammar: () =>
      Promise.resolve(parseRawGrammar(readFileSync('syntaxes/pto.tmLanguage.json', 'utf8'), 'grammar.json')),
  });
  const pto = await registry.loadGrammar('source.pto');
  assert.ok(pto);
  const seen = tokens(
    pto,
    'func.func @copy(%n: i64) { // pto.barrier\n  pto.set_flag["PIPE_V"] %ub#0, %c32 : !pto.ptr<f32, ub>, 0x10\n}',
  );
  const scopeOf = (word: string) => seen.filter(([other]) => other === word).map(([, scope]) => scope);
  assert.deepEqual(scopeOf('@copy'), ['entity.name.function.pto']);
  assert.deepEqual(scopeOf('%n'), ['variable.other.pto']);
  assert.deepEqual(scopeOf('i64'), ['storage.type.pto']);
  assert.deepEqual(scopeOf('// pto.barrier'), ['comment.line.double-slash.pto']);
  assert.deepEqual(scopeOf('pto.set_flag'), ['entity.name.function.operation.pto']);
  assert.deepEqual(scopeOf('%ub#0'), ['variable.other.pto']);
  assert.deepEqual(scopeOf('0x10'), ['constant.numeric.pto']);
  assert.ok(seen.some(([, scope]) => scope === 'string.quoted.double.pto'));
});
