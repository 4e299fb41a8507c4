import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Where {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

/** A program of its own, without a terminal; one that takes too long is ended, and says so by its code. */
export async function run(program: string, args: readonly string[], { cwd, env, timeoutMs }: Where): Promise<Ran> {
  const child = spawn(program, args, { cwd, env, timeout: timeoutMs, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
  const [code] = await once(child, 'close');
  return { code: typeof code === 'number' ? code : -1, stdout: stdout(), stderr: stderr() };
}

function collected(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}
