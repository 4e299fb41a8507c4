// Plain JavaScript for any Node from 18 on.
import { spawn } from 'node:child_process';

/**
 * Runs a program in this process's place: its streams, its signals, its exit code (or the signal that ended it).
 * Control-C at a terminal reaches the whole process group, so only there SIGINT is not passed on a second time.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function handOver(program, args, env = process.env) {
  const terminal = process.stdin.isTTY === true;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !terminal) child?.kill(signal);
    });
  }
  child = spawn(program, [...args], { stdio: 'inherit', env });
  child.on('error', (error) => {
    console.error(`setpoint: cannot start ${program}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
