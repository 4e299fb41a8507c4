import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { openStore } from '../src/store/open-store.ts';
import type { Figure } from './figure.ts';
import { logOf, type RateLimit, rateLimits, refusedIn, runWorkers } from './fleet-budget.ts';
import { startSandboxProcess } from './processes/sandbox.ts';

export interface Setting {
  readonly seconds: number;
  /** The workers share their budgets; without that the figures must be missed. */
  readonly shared: boolean;
  /** `ec2`, a bucket; `gcp`, a window; default both. */
  readonly on?: readonly string[];
}

/** Sizes of the fleet. `idle`: so many of its workers look a few times, and then do nothing. */
const fleets = [
  { name: 'one busy and one idle', workers: 2, idle: 1 },
  { name: 'four equal', workers: 4, idle: 0 },
] as const;

/**
 * Workers that share one PostgreSQL and no Redis, with more to ask than the cloud's budget allows. Asked: the cloud refuses nothing, and at
 * most 15% of the budget stays unused, whether one of two is busy or four are. The figures are the worst of all.
 */
export async function noRedisFleet({ seconds, shared, on = ['ec2', 'gcp'] }: Setting): Promise<readonly Figure[]> {
  const seen: Seen[] = [];
  for (const rateLimit of rateLimits.filter(({ name }) => on.includes(name)))
    for (const fleet of fleets) seen.push(await spent(rateLimit, fleet, { seconds, shared }));
  const worst = (of: (one: Seen) => number): number => Math.max(...seen.map(of));
  return [
    { name: 'no-redis-fleet-over', value: worst(({ over }) => over), unit: 'requests', floor: 0 },
    { name: 'no-redis-fleet-unused', value: worst(({ unused }) => unused), unit: '% of the budget', floor: 0 },
    {
      name: 'no-redis-fleet-stood',
      value: worst(({ stoodMs }) => stoodMs),
      unit: 'ms that a worker stood still at most',
    },
  ];
}

/** `--seconds 30`: for how long there is work. */
export const noRedisFleetAsked = (args: readonly string[]): Promise<readonly Figure[]> => {
  const at = args.indexOf('--seconds');
  return noRedisFleet({ seconds: at < 0 ? 30 : Number(args[at + 1]), shared: true });
};

interface Seen {
  readonly over: number;
  readonly unused: number;
  readonly stoodMs: number;
}

async function spent(
  rateLimit: RateLimit,
  { name, workers, idle }: (typeof fleets)[number],
  { seconds, shared }: Setting,
): Promise<Seen> {
  console.error(`no-redis-fleet: ${name} at ${rateLimit.name} for ${seconds} s`);
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres(stack);
  const sandbox = await startSandboxProcess();
  stack.defer(sandbox.close);
  const tasks = Array.from({ length: workers }, (_, i) => ({
    ...{ missingNetwork: rateLimit.missingNetwork, url: sandbox.url, worker: `estate-${i + 1}`, seconds },
    ...(shared ? { postgres } : {}),
    ...(i < idle ? { calls: idleCalls } : {}),
  }));
  const told = await runWorkers(tasks);
  await pause(100);
  const log = await logOf(sandbox.url, rateLimit.action);
  const sum = told.reduce((all, { letGo }) => all + letGo, 0);
  if (sum !== log.length) throw new Error(`the workers let ${sum} requests go, and the cloud saw ${log.length}`);
  const over = refusedIn(log);
  console.error(
    `no-redis-fleet: ${told.map(({ letGo }) => letGo).join(' + ')} of ${rateLimit.available(seconds)}, ${over} refused`,
  );
  const unused = Math.max(0, 100 - (100 * (log.length - over)) / rateLimit.available(seconds));
  return { over, unused, stoodMs: Math.round(Math.max(...told.map(({ stoodMs }) => stoodMs))) };
}

const idleCalls = 5;

/** A database of its own, and how the application logs in. */
async function startPostgres(stack: AsyncDisposableStack): Promise<pg.ClientConfig> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-no-redis-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  let config: pg.ClientConfig = {};
  const store = await openStore({
    folder,
    clock: { now: Date.now, sleep: async (ms) => void (await pause(ms)) },
    create: true,
    onServer: async ({ work }) => {
      config = work.config;
    },
  });
  stack.defer(store.close);
  return config;
}
