import type { Where } from '../ports/queue.ts';
import { generationsOf } from './generations.ts';
import { runScheduler } from './scheduler.ts';
import { passHandler } from './scope-reconcile.ts';
import { signLedgers } from './signer.ts';
import { watchSource } from './source-watcher.ts';
import { supervise } from './supervisor.ts';
import type { Source, WorkerContext } from './worker-context.ts';

export interface FleetSettings {
  /** Folders whose specs are followed; none: others do. */
  readonly sources: readonly Source[];
  /** A pass of every scope at least this often. */
  readonly passEveryMs: number;
  /** Passes at once in this process, of each cloud. */
  readonly atOnce: number;
}

interface Worker {
  busy(): readonly Where[];
  /** Hands over what is not done, and returns when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** One worker: carries out passes, follows sources and looks after the queue, as its turn comes. */
export async function startWorker(
  { sources, passEveryMs, atOnce }: FleetSettings,
  context: WorkerContext,
): Promise<Worker> {
  const { store, queue, clock, telemetry } = context;
  const generations = generationsOf(context);
  const end = new AbortController();
  const poisoned = async (where: Where, why: string): Promise<void> => {
    const current = await store.generations.current(where.estate);
    await store.fleet.quarantine.put(where, why, current?.number ?? 0);
    telemetry.log.error('quarantined: its passes fail in our own code', { ...where, why });
  };
  const crew = await queue.work({ atOnce, pass: passHandler(context, generations, passEveryMs), poisoned });
  const means = { clock, log: telemetry.log, signal: end.signal };
  const duties = [
    supervise('caretaker', () => runScheduler({ passEveryMs, generations }, context, end.signal), means),
    supervise('signer', () => signLedgers(context, end.signal), means),
    ...sources.map((source) => supervise(source.name, () => watchSource(source, context, end.signal), means)),
  ];
  return {
    busy: crew.busy,
    stop: async () => {
      end.abort(new Error('the worker stops'));
      await Promise.all([crew.stop(), ...duties]);
    },
  };
}
