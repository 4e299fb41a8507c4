import { clouds } from '../core/resource.ts';
import type { Where } from '../ports/queue.ts';
import { generationsOf } from './generations.ts';
import { runScheduler } from './scheduler.ts';
import { reconcileHandler } from './scope-reconcile.ts';
import { signLedgers } from './signer.ts';
import { watchSource } from './source-watcher.ts';
import { supervise } from './supervisor.ts';
import type { Source, WorkerContext } from './worker-context.ts';

export interface FleetSettings {
  /** Folders whose specs are followed; none: others do. */
  readonly sources: readonly Source[];
  /** A reconcile of every scope at least this often. */
  readonly reconcileEveryMs: number;
  /** Reconciles at once in this process, of each cloud. */
  readonly atOnce: number;
}

interface Worker {
  busy(): readonly Where[];
  /** Hands over what is not done, and returns when nothing of it runs any more. */
  stop(): Promise<void>;
}

/**
 * The SDKs of the clouds where this store's estates have anything, before a lease is held. That of a cloud that is new to the store is
 * loaded by its first reconcile, and holds the loop meanwhile.
 */
async function loadClouds({ store, outside, telemetry }: WorkerContext): Promise<void> {
  try {
    const estates = await store.estates.list();
    const held = (await Promise.all(estates.map((estate) => store.estates.holdings(estate)))).flat();
    for (const cloud of clouds.filter((each) => held.some(({ scope }) => scope.startsWith(`${each}/`)))) {
      const provider = await outside.cloud(cloud);
      await provider.load?.();
    }
  } catch (error) {
    telemetry.log.warn('cannot load the SDKs at start; reconciles load what they need', { reason: String(error) });
  }
}

/** One worker: runs reconciles, follows sources and maintains the queue, in turns. */
export async function startWorker(
  { sources, reconcileEveryMs, atOnce }: FleetSettings,
  context: WorkerContext,
): Promise<Worker> {
  const { store, queue, clock, telemetry } = context;
  await loadClouds(context);
  const generations = generationsOf(context);
  const end = new AbortController();
  const poisoned = async (where: Where, why: string): Promise<void> => {
    const current = await store.generations.current(where.estate);
    await store.fleet.quarantine.put(where, why, current?.number ?? 0);
    telemetry.log.error("scope quarantined: its reconciles fail in Setpoint's own code", { ...where, reason: why });
  };
  const pool = await queue.work({
    atOnce,
    reconcile: reconcileHandler(context, generations, reconcileEveryMs),
    poisoned,
  });
  const means = { clock, log: telemetry.log, signal: end.signal };
  const duties = [
    supervise('scheduler', () => runScheduler({ reconcileEveryMs, generations }, context, end.signal), means),
    supervise('signer', () => signLedgers(context, end.signal), means),
    ...sources.map((source) => supervise(source.name, () => watchSource(source, context, end.signal), means)),
  ];
  return {
    busy: pool.busy,
    stop: async () => {
      end.abort(new Error('the worker stops'));
      await Promise.all([pool.stop(), ...duties]);
    },
  };
}
