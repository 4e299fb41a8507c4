import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Ended, measured } from './measured.ts';

const program = fileURLToPath(new URL('../../bin/setpoint.mjs', import.meta.url));

/** A run of the command line as a user has it: a process of its own, in `cwd`, with the keys of an account. */
export interface Run {
  readonly cwd: string;
  readonly accessKeyId?: string;
}

/** The sandbox's first account, and one that an emulator lets in too. */
const anyKey = 'AKIDEXAMPLE';

/** Runs a verb to its end, whatever its exit code. */
export function setpoint(args: readonly string[], { cwd, accessKeyId = anyKey }: Run): Promise<Ended> {
  const { DATABASE_URL: _, AWS_PROFILE: __, ...own } = process.env;
  const env = {
    ...own,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'not-a-secret',
    AWS_EC2_METADATA_DISABLED: 'true',
    NO_COLOR: '1',
  };
  return measured({ program: process.execPath, args: [program, ...args], cwd, env });
}

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

/** What `plan --json` printed. */
export const planned = ({ stdout }: Ended): Planned => plan.parse(JSON.parse(stdout));
