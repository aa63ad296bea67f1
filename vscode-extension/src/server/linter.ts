// What `visa-lint check` is called by: the program of the command line where it is installed beside the language server, else that of the
// extension, which is both, else the search path.

import { posix, win32 } from 'node:path';

import type { Candidate } from './find';

/** The program's name without what Windows adds to it. */
const LINTER = 'visa-lint';

/**
 * The program to run, given the server that runs and the program of the extension's own folder, which the universal package has not;
 * `exists` says whether a file is there.
 */
export function linterOf(
  server: Candidate | undefined,
  bundled: string,
  platform: NodeJS.Platform,
  exists: (path: string) => boolean,
): string {
  const style = platform === 'win32' ? win32 : posix;
  const name = platform === 'win32' ? `${LINTER}.exe` : LINTER;
  const beside = server === undefined ? [] : [style.join(style.dirname(server.path), name)];
  // The extension's own is of its version. Another server alone may be older than the first that checks.
  return [...beside, bundled].find(exists) ?? LINTER;
}

/** What a task of ours runs it with. */
export function checkArguments(given: readonly string[] | undefined): string[] {
  return ['check', '--format', 'short', ...(given ?? ['.'])];
}
