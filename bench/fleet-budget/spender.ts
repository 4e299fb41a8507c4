import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { loadProvider } from '../../providers/index.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Limiter, SharedLimiter } from '../../src/ports/limiter.ts';
import type { Call } from '../../src/ports/provider.ts';
import { openPostgresLimiter } from '../../src/store/budgets/postgres-shares.ts';
import { openSharedLimiter } from '../../src/store/redis/limiter.ts';
import type { Task } from '../fleet-budget.ts';
import { watchStandstill } from '../processes/standstill.ts';

/**
 * One worker of a fleet, as far as its budget goes: it opens a cloud, says `ready`, waits for a line, and then looks for one
 * network again and again, many at once, as often as the fleet's budget lets it. Tells how often that was, and for how long it stood still at most.
 */
async function main({
  missingNetwork,
  url,
  worker,
  seconds,
  calls = Number.POSITIVE_INFINITY,
  ...shared
}: Task): Promise<void> {
  const limiter = await limiterOf(worker, shared);
  const provider = await loadProvider(missingNetwork.cloud);
  const { account, region, network } = missingNetwork;
  const scope = provider.dialect.scope({ account, region });
  const session = await provider.open({ scope, account, region, endpoint: url }, clock);
  await session.identify(callWith(limiter, worker, new AbortController().signal, () => undefined));
  await told();
  const standstill = watchStandstill();
  const end = AbortSignal.timeout(seconds * 1000);
  let letGo = 0;
  const call = callWith(limiter, worker, end, () => {
    letGo += 1;
  });
  const spend = async (): Promise<void> => {
    while (!end.aborted && letGo < calls) await session.actuators.network.read([network], call);
  };
  await Promise.all(Array.from({ length: atOnce }, () => spend().catch(unlessEnded(end))));
  if (letGo >= calls) await pause(seconds * 1000);
  standstill.stop();
  console.log(JSON.stringify({ letGo, stoodMs: standstill.longestMs() }));
  await session.close();
  await limiter.close?.();
}

const atOnce = 10;

const clock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => pause(ms, undefined, signal === undefined ? {} : { signal }),
};

/** Without a server everybody takes the whole budget to be theirs. */
async function limiterOf(
  worker: string,
  { redis, postgres }: Pick<Task, 'redis' | 'postgres'>,
): Promise<Limiter & Partial<SharedLimiter>> {
  const usual = { clock, worker, fresh: true };
  if (redis !== undefined) return openSharedLimiter({ ...usual, url: redis, budgets: { reserve: 0 } });
  if (postgres === undefined) return inProcessLimiter({ clock });
  return openPostgresLimiter({ ...usual, reach: { config: postgres }, budgets: { reserve: 0, lateMs: 1000 } });
}

function callWith(limiter: Limiter, share: string, end: AbortSignal, letGo: () => void): Call {
  return {
    signal: new AbortController().signal,
    secret: async () => ({}),
    admit: async ({ costs }) => {
      await limiter.take({ costs, rank: 'reads', share }, end);
      letGo();
    },
    report: () => undefined,
  };
}

async function told(): Promise<void> {
  console.log('ready');
  const lines = createInterface({ input: process.stdin });
  for await (const _ of lines) return lines.close();
}

const unlessEnded =
  (end: AbortSignal) =>
  (error: unknown): void => {
    if (!end.aborted) throw error;
  };

await main(JSON.parse(process.argv[2] ?? '{}') as Task); // why: fleet-budget.ts wrote it
process.stdin.destroy();
