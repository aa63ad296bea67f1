'use strict';
// Runs a program of the package for this platform, in the place of this process as far as Node can.

const { spawn } = require('node:child_process');

/** The program's path; ends the process with what to do where there is none. */
function found(program) {
  const platform = `${process.platform}-${process.arch}`;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  try {
    return require.resolve(`visa-lint-${platform}/${program}${suffix}`);
  } catch {
    console.error(
      `error: there is no ${program} for ${platform}: either no such package is published, or it was left out ` +
        `(npm's options --omit=optional and --no-optional do that)`,
    );
    process.exit(2);
  }
}

module.exports = (program) => {
  const child = spawn(found(program), process.argv.slice(2), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`error: ${error.message}`);
    process.exit(2);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
};
