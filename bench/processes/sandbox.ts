import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { program } from './setpoint.ts';

/** The clouds in a process of their own, as a user has them. */
export interface SandboxProcess {
  readonly url: string;
  /** Adds what an estate file may hold. */
  load(estate: unknown): Promise<void>;
  /** Requests by action since it was last asked. */
  takeCounts(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

export async function startSandboxProcess(): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [program, 'sandbox', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  };
  try {
    const url = await urlOf(child);
    return {
      url,
      load: async (estate) => void (await tell(url, 'estate', estate)),
      takeCounts: async () => z.object({ counts }).parse(await tell(url, 'log', { clear: true })).counts,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const counts = z.record(z.string(), z.number());

/** The first line that it prints says where it is. */
async function urlOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the sandbox has no output');
  for await (const line of createInterface({ input: stdout })) return line.slice('Sandbox: '.length);
  throw new Error('the sandbox ended without saying where it is');
}

async function tell(url: string, verb: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(new URL(`/_sandbox/${verb}`, url), {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the sandbox refused ${verb}: ${text}`);
  return JSON.parse(text);
}
