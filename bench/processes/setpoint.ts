import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Ended, measured, stop } from './measured.ts';

/** The command line, as a user runs it. */
export const program = fileURLToPath(new URL('../../bin/setpoint.mjs', import.meta.url));

/** The sandbox's first account, and one that an emulator lets in too. */
const anyKey = 'AKIDEXAMPLE';

/** Nobody's own database, profile or credentials, and the keys of an account of the sandbox. */
export function environment(accessKeyId = anyKey): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, AWS_PROFILE: __, ...own } = process.env;
  return {
    ...own,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'not-a-secret',
    AWS_EC2_METADATA_DISABLED: 'true',
    NO_COLOR: '1',
  };
}

/** A run of the command line as a user has it: a process of its own, in `cwd`, with the keys of an account. */
export interface Run {
  readonly cwd: string;
  readonly accessKeyId?: string;
}

/** Runs a verb to its end, whatever its exit code. */
export const setpoint = (args: readonly string[], { cwd, accessKeyId }: Run): Promise<Ended> =>
  measured({ program: process.execPath, args: [program, ...args], cwd, env: environment(accessKeyId) });

/** Throws, with what the command said, unless it ended with `code`. */
export function expectCode(ended: Ended, code: number, what: string): Ended {
  if (ended.code === code) return ended;
  const said = [ended.stderr, ended.stdout].map((text) => text.trim().slice(-2000)).join('\n');
  throw new Error(`${what} ended with ${ended.code} and not ${code}:\n${said}`);
}

const plan = z.object({
  summary: z.object({
    create: z.number(),
    update: z.number(),
    replace: z.number(),
    delete: z.number(),
    adopt: z.number(),
    blocked: z.number(),
    withheld: z.number(),
    orphan: z.number(),
  }),
  actions: z.array(z.object({ verb: z.string(), address: z.string() })),
});

export type Planned = z.infer<typeof plan>;

/** The output of `plan --json`. */
export const planned = ({ stdout }: Ended): Planned => plan.parse(JSON.parse(stdout));

/** `setpoint serve` in a folder, as a user starts it. */
export interface Serving {
  hasEnded(): boolean;
  /** All that it has said on stderr. */
  said(): string;
  /** SIGTERM, and waits. */
  end(): Promise<void>;
}

/** `more`: arguments; `secrets`: variables that its specs name. */
export function serve(
  cwd: string,
  more: readonly string[] = [],
  secrets: Readonly<Record<string, string>> = {},
): Serving {
  const args = [program, 'serve', '--allow-endpoint', '--reserve', '0', ...more];
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...environment(), ...secrets },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  return {
    hasEnded: () => child.exitCode !== null,
    said: () => said,
    end: () => stop(child),
  };
}

/** `setpoint api` on the store in a folder, as a user starts it. */
export interface ServedApi {
  readonly url: string;
  /** The first one, which it prints once. */
  readonly token: string;
  /** SIGTERM, and waits. */
  end(): Promise<void>;
}

export async function serveApi(cwd: string): Promise<ServedApi> {
  const child = spawn(process.execPath, [program, 'api', '--listen', '0'], {
    cwd,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  const end = (): Promise<void> => stop(child);
  const find = () => ({
    url: /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0],
    token: /setpoint_[\w]+_[\w-]{43}/.exec(said)?.[0],
  });
  try {
    await until(() => Object.values(find()).every(Boolean), {
      hasEnded: () => child.exitCode !== null,
      said: () => said,
      end,
    });
    const { url = '', token = '' } = find();
    return { url, token, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Waits until it is seen, while `setpoint serve` runs. Throws with what that said where it ends, or where it takes longer. */
export async function until(seen: () => boolean, serving: Serving, withinMs = 60_000): Promise<void> {
  for (const end = performance.now() + withinMs; !seen(); await sleep(10))
    if (performance.now() > end || serving.hasEnded()) throw new Error(`not seen:\n${serving.said().slice(-3000)}`);
}
