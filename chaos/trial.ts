import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import type { Logged } from '../sandbox/request-log.ts';
import { patientLeaseMs, rate } from './clock.ts';
import type { ChaosDatabase } from './database.ts';
import { type ProcessSettings, type Said, second } from './dependencies.ts';
import { type Passage, passage } from './passage.ts';
import { specsOf, type TrialCloud, type Wanted } from './specs.ts';

interface Plot {
  readonly cloud: TrialCloud;
  readonly estate: string;
  readonly database: ChaosDatabase;
  /** The lease of the first process outlives it by so long. */
  readonly leaseMs: number;
}

/** One estate on one cloud of its own, with what is needed to disturb it. */
export interface Trial extends Plot {
  readonly sandbox: Sandbox;
  /** Both lead through passages: for the first process and the second alike. */
  readonly ways: { readonly cloud: Passage; readonly database: Passage };
  readonly hands: Hands;
}

interface Hands {
  /** The settings of its processes. */
  readonly settings: ProcessSettings;
  want(wanted: Wanted): Promise<void>;
  /** The command line that applies what is wanted. */
  readonly apply: readonly string[];
  /** Runs a verb in this process, which is the second one. */
  run(args: readonly string[]): Promise<Said>;
  verify(): Promise<Said>;
  /** All that its processes said. */
  readonly said: string[];
}

/** Told of each request as the cloud has answered it, before its caller knows. */
export type Watcher = (entry: Logged) => void;

export async function withTrial<T>(
  { database, ...what }: Plot,
  work: (trial: Trial, watch: (watcher: Watcher) => void) => Promise<T>,
): Promise<T> {
  const start = Date.now();
  const sandbox = await startSandbox({ clock: { rate, start } });
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-chaos-'));
  const ways = {
    cloud: await passage(() => Number(new URL(sandbox.url).port)),
    database: await passage(() => Number(new URL(database.url).port)),
  };
  const watchers: Watcher[] = [];
  const { log } = sandbox.control;
  const { add } = log;
  log.add = (entry) => {
    add(entry);
    for (const watcher of watchers) watcher(entry);
  };
  const databaseUrl = database.url.replace(/:\d+\//, `:${ways.database.port}/`);
  const hands = handsOf(
    { ...what, endpoint: `http://127.0.0.1:${ways.cloud.port}`, folder, dir: database.dir },
    {
      pace: { start, rate },
      databaseUrl,
      leaseMs: patientLeaseMs,
    },
  );
  try {
    return await work({ ...what, sandbox, database, ways, hands }, (watcher) => watchers.push(watcher));
  } finally {
    await Promise.all([ways.cloud.close(), ways.database.close(), sandbox.close()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Place {
  readonly cloud: TrialCloud;
  readonly estate: string;
  readonly endpoint: string;
  readonly folder: string;
  readonly dir: string;
}

function handsOf({ folder, dir, ...place }: Place, settings: ProcessSettings): Hands {
  const said: string[] = [];
  const specs = join(folder, 'specs');
  const store = ['--dir', dir];
  const heard = async (args: readonly string[]): Promise<Said> => {
    const end = await second(args, settings);
    said.push(end.out, end.err);
    return end;
  };
  return {
    settings,
    said,
    want: async (wanted) => {
      await mkdir(specs, { recursive: true });
      await writeFile(join(specs, 'estate.yaml'), specsOf(place, wanted));
    },
    // why: on this clock ten minutes are ten seconds, and leases keep our time
    apply: ['apply', specs, ...store, '--yes', '--allow-endpoint', '--lock-timeout', '2h'],
    run: heard,
    verify: () => heard(['ledger', '--estate', place.estate, 'verify', ...store]),
  };
}

/** Rejects where it takes longer, and says what did. */
export async function within<T>(ms: number, work: Promise<T>, what: () => string): Promise<T> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`${what()} in ${ms / 1000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}
