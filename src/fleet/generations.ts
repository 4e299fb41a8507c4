import { ofKind } from '../core/documents/spec-set.ts';
import { dayOf } from '../core/render/wording.ts';
import { keptSpecs, type OpenedEstate, openEstate } from '../estate/load.ts';
import type { Generation } from '../ports/knowledge.ts';
import type { WorkerContext } from './worker-context.ts';

/** Generations as compiled, by estate and number. */
export interface Generations {
  /** Throws where its tree was never kept, is not valid any more, or names an endpoint that is not allowed. */
  open(estate: string, generation: Generation): Promise<OpenedEstate>;
}

/** So many are remembered: an estate needs the newest, and while that one waits the one before it. */
const remembered = 64;

/** Compiled once a day each: a date decides which `ignore` still holds. */
export function generationsOf({
  store,
  outside,
  clock,
}: Pick<WorkerContext, 'store' | 'outside' | 'clock'>): Generations {
  const known = new Map<string, Promise<OpenedEstate>>();
  const compiled = async (estate: string, { revision }: Generation, today: string): Promise<OpenedEstate> => {
    const tree = await keptSpecs(estate, { revision }, store, outside.specs);
    if (tree === undefined)
      throw new Error(`the specs of ${estate} at ${revision} are not in the store: apply them, or name their folder`);
    const [problem] = tree.problems.filter(({ severity }) => severity === 'error');
    if (problem) throw new Error(`the specs of ${estate} at ${revision} are not valid: ${problem.message}`);
    if (!outside.allowEndpoint) refuseEndpoints(tree.documents);
    return openEstate(tree, outside.cloud, today);
  };
  return {
    open: (estate, generation) => {
      const today = dayOf(clock.now());
      const key = `${estate} ${generation.number} ${today}`;
      const before = known.get(key);
      if (before) return before;
      const opening = compiled(estate, generation, today);
      known.set(key, opening);
      opening.catch(() => known.delete(key));
      for (const oldest of known.keys()) if (known.size > remembered) known.delete(oldest);
      return opening;
    },
  };
}

function refuseEndpoints(documents: OpenedEstate['tree']['documents']): void {
  const target = ofKind(documents, 'Target').find(({ value }) => value.spec.endpoint !== undefined);
  if (target === undefined) return;
  const { name } = target.value.metadata;
  throw new Error(
    `the target ${name} is at an endpoint of its own; start the worker with --allow-endpoint if that is meant`,
  );
}
