import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { attempt } from '../../src/server/attempt';

const folder = mkdtempSync(join(tmpdir(), 'visa-attempt-'));
after(() => {
  rmSync(folder, { recursive: true });
});

async function trialOf(name: string, script: string, mode = 0o755): ReturnType<typeof attempt> {
  const path = join(folder, name);
  writeFileSync(path, script);
  chmodSync(path, mode);
  return attempt({ path, origin: 'setting' });
}

const posix = process.platform === 'win32' ? 'needs a shell' : false;

test('a server says its version', { skip: posix }, async () => {
  const trial = await trialOf('good', '#!/bin/sh\n[ "$1" = --version ] && echo visa-lsp 0.3.1\n');
  assert.deepEqual(trial, { kind: 'runs', version: '0.3.1' });
});

test('another program is none', { skip: posix }, async () => {
  const trial = await trialOf('other', '#!/bin/sh\necho something else\n');
  assert.deepEqual(trial, {
    kind: 'refused',
    reason: 'it says "something else" when it is asked for its version',
  });
});

test('one that fails, one that may not run, a folder and nothing', { skip: posix }, async () => {
  assert.deepEqual(await trialOf('fails', '#!/bin/sh\nexit 3\n'), {
    kind: 'refused',
    reason: 'it ends with code 3',
  });
  assert.deepEqual(await trialOf('plain', 'text', 0o644), {
    kind: 'refused',
    reason: 'it may not be executed',
  });
  assert.deepEqual(await attempt({ path: folder, origin: 'path' }), {
    kind: 'refused',
    reason: 'it is not a file',
  });
  assert.deepEqual(await attempt({ path: join(folder, 'nothing'), origin: 'path' }), { kind: 'missing' });
});
