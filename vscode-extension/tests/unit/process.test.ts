import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { after } from 'node:test';

import { ServerProcess } from '../../src/server/process';

const folder = mkdtempSync(join(tmpdir(), 'visa-process-'));
after(() => {
  rmSync(folder, { recursive: true });
});

function processOf(name: string, script: string): ServerProcess {
  const path = join(folder, name);
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return new ServerProcess(path, folder);
}

const posix = process.platform === 'win32' ? 'needs a shell' : false;

test('how a server ended is known', { skip: posix }, async () => {
  const fails = processOf('fails', '#!/bin/sh\nexit 3\n');
  await fails.start();
  assert.equal(await fails.ended, 'with code 3');

  const killed = processOf('killed', '#!/bin/sh\nread line\n');
  const child = await killed.start();
  child.kill('SIGKILL');
  assert.equal(await killed.ended, 'by signal SIGKILL');
});

test('a program that does not start is over at once', { skip: posix }, async () => {
  const missing = new ServerProcess(join(folder, 'nowhere'), folder);
  await assert.rejects(missing.start(), /ENOENT/);
  assert.match(await missing.ended, /ENOENT/);
});

test('writing to a server that has ended breaks nothing', { skip: posix }, async () => {
  const gone = processOf('gone', '#!/bin/sh\nexit 0\n');
  const child = await gone.start();
  for (let line = 0; line < 100; line += 1) child.stdin?.write('a line\n'.repeat(1000));
  assert.equal(await gone.ended, 'with code 0');
});

test('a server that hangs is ended', { skip: posix }, async () => {
  const hangs = processOf('hangs', "#!/bin/sh\ntrap '' TERM\nread line\nread line\n");
  await hangs.start();
  hangs.end();
  assert.equal(await hangs.ended, 'by signal SIGKILL');
  hangs.end();
});
