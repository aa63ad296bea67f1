// The process of a language server: started for a client, and known to be over once it has ended.
//
// The client library is not asked whether a server lives: a request that is being written when the connection breaks is never
// answered there, and the first request of all may be that one.

import { spawn, type ChildProcess } from 'node:child_process';

/** Milliseconds that a server has to end by itself. */
export const GRACE = 2000;

export class ServerProcess {
  private child: ChildProcess | undefined;
  private over!: (how: string) => void;
  /** Resolves when the process has ended or could not be started, with how in a few words. Never fails. */
  readonly ended = new Promise<string>((resolve) => {
    this.over = resolve;
  });

  constructor(
    private readonly path: string,
    private readonly folder: string | undefined,
  ) {}

  /** Starts it. Fails where the system cannot. */
  start(): Promise<ChildProcess> {
    const child = spawn(this.path, [], { cwd: this.folder, stdio: 'pipe', windowsHide: true });
    this.child = child;
    child.once('close', (code, signal) => {
      this.over(signal === null ? `with code ${String(code)}` : `by signal ${signal}`);
    });
    // What is written to a server that has just ended is lost, and its end is reported by `close`.
    child.stdin.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      child.once('error', (error) => {
        this.over(error.message);
        reject(error);
      });
      // At once: a reader of its output must not miss its end.
      if (child.pid !== undefined) resolve(child);
    });
  }

  /** Ends it if it does not end by itself. */
  end(): void {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const late = setTimeout(() => child.kill('SIGKILL'), GRACE);
    void this.ended.then(() => {
      clearTimeout(late);
    });
  }
}
