import { setTimeout as sleep } from 'node:timers/promises';
import { cliDependencies } from '../../../src/bootstrap/cli-dependencies.ts';
import type { CliDependencies } from '../../../src/cli/context.ts';
import type { ExitCode } from '../../../src/cli/errors.ts';
import { runCli } from '../../../src/cli/program.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import { type MemoryDatabase, memoryDatabase } from '../../support/memory-store.ts';
import { fakeTerminal } from './fake-terminal.ts';

export interface Said {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** `says`: the input of the terminal; absent: there is none. */
export type Run = (args: readonly string[], says?: string) => Promise<Said>;

export const realClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};

/** Its time passes only while a command waits by it: a machine that is slow, or stands still, has no command say more than another. */
export function clockOfWaits(begin = Date.now()): Clock {
  let now = begin;
  const sleep: Clock['sleep'] = async (ms, signal) => {
    await realClock.sleep(ms, signal);
    now += ms;
  };
  return { now: () => now, sleep };
}

/** The time of the machine, and further where a test sets it forward: nobody sleeps. */
export function movableClock(): Clock & { readonly forward: (ms: number) => void } {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    sleep: realClock.sleep,
    forward: (ms) => {
      ahead += ms;
    },
  };
}

interface Options {
  readonly stop?: AbortSignal;
  /** Of the store, and of the begin of each command. */
  readonly clock?: Clock;
  /** Another run's, which has been made. */
  readonly database?: MemoryDatabase;
}

/** The command line in this process, with real specs and providers and a store in memory that `make` makes. */
export function commandLine(options: Options = {}): Run & { readonly database: MemoryDatabase } {
  const { clock = realClock } = options;
  const database = options.database ?? memoryDatabase(clock);
  let made = options.database !== undefined;
  const dependencies: CliDependencies = {
    ...cliDependencies(clock),
    openStore: async (_folder, opening) => {
      made ||= opening === 'make';
      return made ? database.connect() : undefined;
    },
  };
  const signal = options.stop ?? new AbortController().signal;
  const run: Run = async (args, says) => {
    const terminal = fakeTerminal(says === undefined ? {} : { says });
    const code = await runCli(args, { terminal, dependencies, clock: clockOfWaits(clock.now()), signal }, '0.0.0-test');
    return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
  };
  return Object.assign(run, { database });
}
