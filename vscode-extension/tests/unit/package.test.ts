// The package says the same everywhere: defaults of settings in its pages, a problem matcher that reads what the program prints,
// and files that exist.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

interface Setting {
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly enumItemLabels?: readonly string[];
  readonly enumDescriptions?: readonly string[];
}
interface Step {
  readonly id: string;
  readonly description: string;
  readonly media: { readonly image?: string; readonly markdown?: string };
}
interface Package {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
    readonly problemMatchers: readonly { readonly pattern: { readonly regexp: string } }[];
    readonly walkthroughs: readonly { readonly steps: readonly Step[] }[];
  };
}
const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as Package;
const settings = Object.entries(contributes.configuration.properties);

/** Rows of a page's table of settings: the name, and the cell of the default. */
function defaults(page: string, prefix: string): Map<string, string> {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `([A-Za-z.]+)` .*\| ([^|]+?) *\|$/gm);
  return new Map([...rows].map((row) => [`${prefix}${row[1] ?? ''}`, row[2] ?? '']));
}

function written(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === 'null' || json === '{}') return 'none';
  return `\`${json.replaceAll('"', '')}\``;
}

test('every setting is in the table of the README with its default', () => {
  const told = defaults('README.md', '');
  for (const [name, setting] of settings) {
    const cell = told.get(name);
    const expected = setting.default === null ? /^(none|as `visa-lint\.toml` says, else .*)$/ : null;
    if (expected === null) assert.equal(cell, written(setting.default), name);
    else assert.match(cell ?? '', expected, name);
  }
  assert.equal([...told.keys()].filter((name) => name.startsWith('visa.')).length, settings.length);
});

test('labels and descriptions of values are as many as the values', () => {
  for (const [name, setting] of settings) {
    for (const words of [setting.enumItemLabels, setting.enumDescriptions]) {
      if (words !== undefined) assert.equal(words.length, setting.enum?.length, name);
    }
  }
});

test('the problem matcher reads a line of the short format', () => {
  const [matcher] = contributes.problemMatchers;
  const line = 'src/a.rs:14:16: error[collect_packet_size] the packet [8] has 64 bytes: a flit is 32';
  const found = new RegExp(matcher?.pattern.regexp ?? '').exec(line);
  assert.deepEqual(found?.slice(1), [
    'src/a.rs',
    '14',
    '16',
    'error',
    'collect_packet_size',
    'the packet [8] has 64 bytes: a flit is 32',
  ]);
  const windows = new RegExp(matcher?.pattern.regexp ?? '').exec('C:\\a.rs:1:2: warning[a] b');
  assert.deepEqual(windows?.slice(1, 4), ['C:\\a.rs', '1', '2']);
});

test('the walkthrough has four steps, of files that are there and commands that exist', () => {
  const [walkthrough] = contributes.walkthroughs;
  assert.equal(walkthrough?.steps.length, 4);
  const known = new Set(contributes.commands.map(({ command }) => command));
  for (const step of walkthrough.steps) {
    const media = step.media.image ?? step.media.markdown ?? '';
    assert.ok(existsSync(media), `${step.id}: ${media}`);
    for (const [, command] of step.description.matchAll(/\(command:(visa\.[A-Za-z]+)/g)) {
      assert.ok(known.has(command ?? ''), `${step.id}: ${command ?? ''}`);
    }
  }
});
