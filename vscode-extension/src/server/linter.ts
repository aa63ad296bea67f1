// Where the program of the command line is: beside the language server where both are installed together, else on the search path.

import { posix, win32 } from 'node:path';

/** The program's name without what Windows adds to it. */
const LINTER = 'visa-lint';

/** The program to run, given the server that runs; `exists` says whether a file is there. */
export function linterBeside(
  server: string | undefined,
  platform: NodeJS.Platform,
  exists: (path: string) => boolean,
): string {
  const style = platform === 'win32' ? win32 : posix;
  const name = platform === 'win32' ? `${LINTER}.exe` : LINTER;
  const beside = server === undefined ? undefined : style.join(style.dirname(server), name);
  return beside !== undefined && exists(beside) ? beside : LINTER;
}
