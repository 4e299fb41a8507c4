import { keptSpecs } from '../estate/load.ts';
import { besideActive } from '../estate/patches.ts';
import { accept } from './accept.ts';
import type { WorkerContext } from './worker-context.ts';

/** Interval of logging that something cannot be ended. */
const sayEveryMs = 60_000;

/**
 * Ends the patches and the documents whose time is over, by the store's clock: the same specs without them become the next generation, and
 * workers go on to it as in any rollout. One process does it at a time, and one that dies in between leaves the rest to the next one.
 */
export function dueEnder(context: WorkerContext): () => Promise<void> {
  const { store, clock, telemetry } = context;
  const saidAt = new Map<string, number>();
  return async () => {
    const due = await Promise.all([store.fleet.patches.due(), store.fleet.lifetimes.due()]);
    for (const estate of new Set(due.flat())) {
      const reason = await endIn(estate, context).catch((error: unknown) => messageOf(error));
      if (reason === undefined || clock.now() - (saidAt.get(estate) ?? 0) < sayEveryMs) continue;
      saidAt.set(estate, clock.now());
      telemetry.log.error('cannot end a patch or a document whose time is over; it stays', { estate, reason });
    }
  };
}

/** Undefined: it is done, or somebody else accepted a generation meanwhile, so that the next turn looks again. */
async function endIn(estate: string, context: WorkerContext): Promise<string | undefined> {
  const { store, outside } = context;
  const current = await store.generations.current(estate);
  const kept = current && (await keptSpecs(estate, current, store, outside.specs));
  if (current === undefined || kept === undefined) return 'the specs of its newest generation are not in the store';
  const tree = await besideActive(kept, { estate, store, parse: outside.specs });
  const problem = tree.problems.find(({ severity }) => severity === 'error');
  if (problem !== undefined) return `the specs are not valid without it: ${problem.message}`;
  // why: nobody is the author of a return to the specs
  await store.authors.record({ estate, revision: tree.revision, after: current.number }, { names: [], more: false });
  await accept(tree, current, context);
  return undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
