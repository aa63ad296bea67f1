// What `visa-lint check` is called by: the program of the command line where it is installed beside the language server, else the server
// of the extension, which checks as well, else the search path.

import { posix, win32 } from 'node:path';

import type { Candidate } from './find';

/** The program's name without what Windows adds to it. */
const LINTER = 'visa-lint';

/** The program to run, given the server that runs; `exists` says whether a file is there. */
export function linterOf(
  server: Candidate | undefined,
  platform: NodeJS.Platform,
  exists: (path: string) => boolean,
): string {
  if (server === undefined) return LINTER;
  const style = platform === 'win32' ? win32 : posix;
  const name = platform === 'win32' ? `${LINTER}.exe` : LINTER;
  const beside = style.join(style.dirname(server.path), name);
  if (exists(beside)) return beside;
  // Of the same version as this extension. Another server may be older than the first that could.
  return server.origin === 'bundle' ? server.path : LINTER;
}

/** What a task of ours runs it with. */
export function checkArguments(given: readonly string[] | undefined): string[] {
  return ['check', '--format', 'short', ...(given ?? ['.'])];
}
