import { stricterLimits } from '../../core/ledger/estate-count.ts';
import type { Bounds } from '../../core/plan/estate.ts';
import type { Policy } from '../../core/plan/plan-input.ts';
import type { Store } from '../../ports/store.ts';
import type { Estate } from './estate.ts';

/** What binds a plan besides the specs themselves. */
export interface InForce {
  /** The number that the specs have or, once accepted, would have; absent without a store. */
  readonly generation?: number;
  /** The newest entry of the ledger. */
  readonly serial?: number;
  readonly bounds: Omit<Bounds, 'allowDeletes'>;
  readonly policies: readonly Policy[];
}

const nothing = { deletes: 0, replaces: 0 };

/** No commit lifts its own guard: limits and modes are the stricter of the generation before and the specs. */
export async function inForce({ name, tree, compiled }: Estate, store: Store | undefined): Promise<InForce> {
  const { limits } = compiled.guards;
  if (store === undefined)
    return { bounds: { limits, spent: { generation: nothing, healing: nothing }, owned: 0 }, policies: [] };
  const current = await store.generations.current(name);
  const same = current?.revision === tree.revision;
  const before = same ? await store.generations.previous(name) : current;
  const generation = same ? current.number : (current?.number ?? 0) + 1;
  const { owned, ...spent } = await store.generations.spent(name, generation);
  return {
    generation,
    serial: await store.audit.head(name),
    bounds: { limits: stricterLimits(limits, before?.guards.limits), spent, owned },
    policies: before === undefined ? [] : [modeBefore(before.guards.modes)],
  };
}

/** A document that was read only in the generation before is read only in this one too. */
const modeBefore =
  (modes: Readonly<Record<string, string>>): Policy =>
  (action) => {
    if (action.verb === 'forget') return undefined;
    const document = action.documents.find(({ address }) => modes[address] === 'observe');
    if (document === undefined) return undefined;
    const why = 'its mode was observe in the generation before; that it is looser counts from the next one on.';
    return { code: 'mode', why };
  };
