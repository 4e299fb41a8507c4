import { z } from 'zod';
import { environment, program } from './command-line.ts';
import { type Ended, measured } from './measured.ts';

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
