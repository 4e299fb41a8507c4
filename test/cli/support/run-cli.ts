import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const program = join(import.meta.dirname, '../../../src/bootstrap/cli.ts');

/** The real command line as a process of its own, with no terminal. */
export const runCli = (args: readonly string[], cwd: string, env: Environment = {}): Promise<Ran> =>
  startCli(args, cwd, env).ended;

type Environment = Readonly<Record<string, string>>;

/** The same, to be met while it runs. */
export function startCli(
  args: readonly string[],
  cwd: string,
  env: Environment = {},
): { readonly child: ChildProcess; readonly ended: Promise<Ran> } {
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
  const ended = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}
