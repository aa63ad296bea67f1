import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  candidates,
  expanded,
  explained,
  find,
  versionOf,
  type Surroundings,
  type Trial,
} from '../../src/server/find';

const LINUX: Surroundings = {
  platform: 'linux',
  home: '/home/ada',
  env: { PATH: '/usr/bin:relative::/opt/bin', TOOLS: '/tools' },
  extension: '/ext',
  folders: ['/projects/kernels'],
};
const WINDOWS: Surroundings = {
  platform: 'win32',
  home: 'C:\\Users\\ada',
  env: { Path: 'C:\\bin;D:\\tools' },
  extension: 'C:\\ext',
  folders: [],
};

function paths(setting: string | null, machine: Surroundings): string[] {
  return candidates(setting, machine).map(({ path }) => path);
}

test('without a setting: search path, Cargo, bundle', () => {
  assert.deepEqual(
    candidates(null, LINUX).map(({ path, origin }) => [path, origin]),
    [
      ['/usr/bin/visa-lsp', 'path'],
      ['/opt/bin/visa-lsp', 'path'],
      ['/home/ada/.cargo/bin/visa-lsp', 'cargo'],
      ['/ext/server/visa-lsp', 'bundle'],
    ],
  );
});

test('on Windows the program has its ending and the variable another case', () => {
  assert.deepEqual(paths('', WINDOWS), [
    'C:\\bin\\visa-lsp.exe',
    'D:\\tools\\visa-lsp.exe',
    'C:\\Users\\ada\\.cargo\\bin\\visa-lsp.exe',
    'C:\\ext\\server\\visa-lsp.exe',
  ]);
});

test("Cargo's folder may be elsewhere, and is tried once", () => {
  const machine = { ...LINUX, env: { PATH: '/cargo/bin', CARGO_HOME: '/cargo' } };
  assert.deepEqual(paths(null, machine), ['/cargo/bin/visa-lsp', '/ext/server/visa-lsp']);
});

test('a setting holds alone', () => {
  assert.deepEqual(candidates(' /mine/visa-lsp ', LINUX), [{ path: '/mine/visa-lsp', origin: 'setting' }]);
});

test('a relative setting is one of the open folder', () => {
  assert.deepEqual(paths('bin/visa-lsp', LINUX), ['/projects/kernels/bin/visa-lsp']);
});

test('variables of a setting are written out', () => {
  assert.equal(expanded('~/visa-lsp', LINUX), '/home/ada/visa-lsp');
  assert.equal(expanded('~other/visa-lsp', LINUX), '~other/visa-lsp');
  assert.equal(expanded('${userHome}/a', LINUX), '/home/ada/a');
  assert.equal(expanded('${workspaceFolder}/a', LINUX), '/projects/kernels/a');
  assert.equal(expanded('${env:TOOLS}/${env:MISSING}a', LINUX), '/tools/a');
});

test('the version is the second word of what the server says', () => {
  assert.equal(versionOf('visa-lsp 0.1.0\n'), '0.1.0');
  assert.equal(versionOf('visa-lsp 1.20.3-dev (abc)\r\nmore'), '1.20.3-dev');
  assert.equal(versionOf('rust-analyzer 1.0.0'), null);
  assert.equal(versionOf(''), null);
});

function trials(answers: Record<string, Trial>): (candidate: { path: string }) => Promise<Trial> {
  return ({ path }) => Promise.resolve(answers[path] ?? { kind: 'missing' });
}

test('the first that runs is taken, behind one that does not', async () => {
  const found = await find(
    null,
    LINUX,
    trials({
      '/usr/bin/visa-lsp': { kind: 'refused', reason: 'it ends with code 1' },
      '/home/ada/.cargo/bin/visa-lsp': { kind: 'runs', version: '0.1.0' },
      '/ext/server/visa-lsp': { kind: 'runs', version: '0.0.9' },
    }),
  );
  assert.deepEqual(found, {
    kind: 'found',
    server: { path: '/home/ada/.cargo/bin/visa-lsp', origin: 'cargo' },
    version: '0.1.0',
  });
});

test('what is wrong is said with the path', async () => {
  const missing = await find('/no', LINUX, trials({}));
  assert.ok(missing.kind === 'none');
  assert.equal(explained(missing), 'The setting visa.server.path names "/no", and there is no such file.');

  const refused: Trial = { kind: 'refused', reason: 'it may not be executed' };
  const wrong = await find('/a', LINUX, trials({ '/a': refused }));
  assert.ok(wrong.kind === 'none');
  assert.match(explained(wrong), /"\/a", which is not a server: it may not be executed\.$/);

  const nowhere = await find(null, LINUX, trials({}));
  assert.ok(nowhere.kind === 'none');
  assert.match(explained(nowhere), /^The language server visa-lsp is not installed/);

  const broken = await find(null, LINUX, trials({ '/opt/bin/visa-lsp': refused }));
  assert.ok(broken.kind === 'none');
  assert.match(explained(broken), /"\/opt\/bin\/visa-lsp" was found, but it may not be executed\./);
});
