import { spawn } from 'node:child_process';
import { join } from 'node:path';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const program = join(import.meta.dirname, '../../../src/cli.ts');

/** The real command line as a process of its own, with no terminal. */
export function runCli(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
