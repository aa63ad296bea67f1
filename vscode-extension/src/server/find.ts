// Where the server is: pure decisions over what a machine has.
//
// A path that the user set holds alone: another server in its place would hide the mistake. Else the first `visa-lsp` of the
// search path, of Cargo's folder and of the extension's own folder that runs and says its version.

import { posix, win32 } from 'node:path';

/** The program's name without what Windows adds to it. */
export const PROGRAM = 'visa-lsp';

/** How a server was come by. */
export type Origin = 'setting' | 'path' | 'cargo' | 'bundle';

export interface Candidate {
  readonly path: string;
  readonly origin: Origin;
}

/** What is known of the machine and the editor. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that the extension is installed in. */
  readonly extension: string;
  /** The folders that are open. */
  readonly folders: readonly string[];
}

/** What came of running a candidate with `--version`. */
export type Trial =
  | { readonly kind: 'runs'; readonly version: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly reason: string };

export type Found =
  | { readonly kind: 'found'; readonly server: Candidate; readonly version: string }
  | { readonly kind: 'none'; readonly tried: readonly (Candidate & { trial: Trial })[] };

function paths(machine: Pick<Surroundings, 'platform'>): typeof posix {
  return machine.platform === 'win32' ? win32 : posix;
}

/** Writes out `~`, `${userHome}`, `${workspaceFolder}` and `${env:NAME}` in a path of the settings. */
export function expanded(path: string, machine: Surroundings): string {
  const home = path.replace(/^~(?=$|[\\/])/, () => machine.home);
  return home.replace(
    /\$\{(userHome|workspaceFolder|env:([^}]*))\}/g,
    (whole, name: string, variable?: string) => {
      if (name === 'userHome') return machine.home;
      if (name === 'workspaceFolder') return machine.folders[0] ?? whole;
      return machine.env[variable ?? ''] ?? '';
    },
  );
}

function searchPath(machine: Surroundings): string[] {
  // Windows does not care for the case of its variables' names.
  const name = Object.keys(machine.env).find((key) =>
    machine.platform === 'win32' ? key.toUpperCase() === 'PATH' : key === 'PATH',
  );
  const value = name === undefined ? undefined : machine.env[name];
  const style = paths(machine);
  // A relative folder of the search path would make the open project choose the program.
  return (value ?? '').split(style.delimiter).filter((folder) => style.isAbsolute(folder));
}

function programOf(platform: NodeJS.Platform): string {
  return platform === 'win32' ? `${PROGRAM}.exe` : PROGRAM;
}

/** The program in the extension's own folder, which the package of a platform has. It checks as well, as `visa-lsp check`. */
export function bundled(machine: Pick<Surroundings, 'platform' | 'extension'>): string {
  return paths(machine).join(machine.extension, 'server', programOf(machine.platform));
}

/** Where a server may be, the first to try first. */
export function candidates(setting: string | null, machine: Surroundings): Candidate[] {
  const style = paths(machine);
  const wanted = setting?.trim() ?? '';
  if (wanted !== '') {
    const path = expanded(wanted, machine);
    const folder = machine.folders[0];
    const absolute = style.isAbsolute(path) || folder === undefined ? path : style.resolve(folder, path);
    return [{ path: absolute, origin: 'setting' }];
  }
  const program = programOf(machine.platform);
  const all: Candidate[] = [
    ...searchPath(machine).map((folder): Candidate => ({
      path: style.join(folder, program),
      origin: 'path',
    })),
    {
      path: style.join(machine.env.CARGO_HOME ?? style.join(machine.home, '.cargo'), 'bin', program),
      origin: 'cargo',
    },
    { path: bundled(machine), origin: 'bundle' },
  ];
  return all.filter((one, at) => all.findIndex((other) => other.path === one.path) === at);
}

/** What a program answered to `--version`: its version if it is the server. */
export function versionOf(output: string): string | null {
  const line = output.trim().split(/\r?\n/, 1)[0] ?? '';
  return /^visa-lsp\s+v?(\d+\.\d+\.\d+\S*)/.exec(line)?.[1] ?? null;
}

/** The first candidate that runs. */
export async function find(
  setting: string | null,
  machine: Surroundings,
  attempt: (candidate: Candidate) => Promise<Trial>,
): Promise<Found> {
  const tried: (Candidate & { trial: Trial })[] = [];
  for (const candidate of candidates(setting, machine)) {
    const trial = await attempt(candidate);
    if (trial.kind === 'runs') return { kind: 'found', server: candidate, version: trial.version };
    tried.push({ ...candidate, trial });
  }
  return { kind: 'none', tried };
}

/** Why there is no server, in a sentence or two. */
export function explained(found: Extract<Found, { kind: 'none' }>): string {
  const set = found.tried.find((one) => one.origin === 'setting');
  if (set !== undefined) {
    return set.trial.kind === 'missing'
      ? `The setting visa.server.path names "${set.path}", and there is no such file.`
      : `The setting visa.server.path names "${set.path}", which is not a server: ${reason(set.trial)}.`;
  }
  const broken = found.tried.find((one) => one.trial.kind === 'refused');
  return broken === undefined
    ? `The language server ${PROGRAM} is not installed: it is not on the search path, nor in Cargo's folder, nor in the extension.`
    : `No language server runs. "${broken.path}" was found, but ${reason(broken.trial)}.`;
}

function reason(trial: Trial): string {
  return trial.kind === 'refused' ? trial.reason : 'it does not run';
}
