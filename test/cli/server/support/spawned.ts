import { spawn } from 'node:child_process';
import { join } from 'node:path';

const program = join(import.meta.dirname, '../../../../src/bootstrap/cli.ts');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Around {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The text piped into it. */
  readonly stdin?: string;
}

/** The real command line as a process of its own; it knows only the servers and tokens of `env`. */
export function spawned(args: readonly string[], { env, cwd = process.cwd(), stdin = '' }: Around): Promise<Ran> {
  const { SETPOINT_TOKEN: _token, SETPOINT_SERVER: _server, ...around } = process.env;
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { ...around, ...env } });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (piece) => {
    said.stdout += String(piece);
  });
  child.stderr.on('data', (piece) => {
    said.stderr += String(piece);
  });
  child.stdin.on('error', () => undefined).end(stdin);
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, ...said }));
  });
}
