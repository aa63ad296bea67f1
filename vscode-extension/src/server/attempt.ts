// Runs a candidate with `--version`.

import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';

import { versionOf, type Candidate, type Trial } from './find';

/** Milliseconds after which a program that says nothing is no server. */
const PATIENCE = 20_000;

/** Whether a candidate runs, and which version it is. Never fails. */
export async function attempt(candidate: Candidate): Promise<Trial> {
  const file = await stat(candidate.path).catch(() => null);
  if (file === null) return { kind: 'missing' };
  if (!file.isFile()) return { kind: 'refused', reason: 'it is not a file' };
  return new Promise((resolve) => {
    const options = { timeout: PATIENCE, windowsHide: true, maxBuffer: 1 << 16 };
    execFile(candidate.path, ['--version'], options, (error, output) => {
      const version = versionOf(output);
      if (version !== null && error === null) resolve({ kind: 'runs', version });
      else resolve({ kind: 'refused', reason: refusal(error, output) });
    });
  });
}

function refusal(error: Error | null, output: string): string {
  if (error === null) {
    const line = output.trim().split(/\r?\n/, 1)[0] ?? '';
    return `it says "${line.slice(0, 80)}" when it is asked for its version`;
  }
  const { code, killed } = error as NodeJS.ErrnoException & { killed?: boolean };
  if (killed === true) return 'it does not answer';
  if (code === 'EACCES') return 'it may not be executed';
  if (code === 'ENOENT') return 'a program or library that it needs is missing';
  return typeof code === 'number' ? `it ends with code ${String(code)}` : 'it does not run on this machine';
}
