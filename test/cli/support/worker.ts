import { loadProvider } from '../../../providers/index.ts';
import { cliDependencies } from '../../../src/bootstrap/cli-dependencies.ts';
import { inProcessLimiter } from '../../../src/engine/limiter.ts';
import { generationsOf } from '../../../src/fleet/generations.ts';
import { reconcileHandler } from '../../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../../src/fleet/worker-context.ts';
import type { Where } from '../../../src/ports/queue.ts';
import type { ReconcileOutcome } from '../../../src/ports/telemetry.ts';
import { parseStored } from '../../../src/source/stored-tree.ts';
import { idleQueue, silent } from '../../support/fleet-world.ts';
import type { MemoryDatabase } from '../../support/memory-store.ts';
import { realClock } from './in-process.ts';

/** One reconcile of a worker that has no folder, on real providers and the store of a command line: how it ended. */
export function workerOn(database: MemoryDatabase): (where: Where) => Promise<ReconcileOutcome | undefined> {
  const outcomes: ReconcileOutcome[] = [];
  const context: WorkerContext = {
    store: database.connect(),
    queue: idleQueue(),
    limiter: inProcessLimiter({ clock: realClock }),
    outside: {
      cloud: loadProvider,
      specs: (kept, revision) => parseStored(kept, revision, new Date().toISOString().slice(0, 10)),
      secrets: cliDependencies(realClock).secrets,
      allowEndpoint: true,
      holder: 'worker-1',
    },
    clock: realClock,
    telemetry: silent((outcome) => outcomes.push(outcome)),
  };
  const reconcile = reconcileHandler(context, generationsOf(context));
  return async (where) => {
    await reconcile(where, new AbortController().signal);
    return outcomes.at(-1);
  };
}
