import { type Allowance, type Guards, noCount, stricterLimits } from '../core/limits.ts';
import type { Bounds } from '../core/plan/estate.ts';
import { type ModesBefore, modesBefore, type Policy } from '../core/plan/plan-input.ts';
import { documentsOf, protectorsOf } from '../core/plan/policies.ts';
import type { Store } from '../ports/store.ts';
import { heldStill } from './held-still.ts';
import type { OpenedEstate } from './opened-estate.ts';

/** What binds a plan besides the specs themselves. */
export interface InForce {
  /** The number that the specs have or, once accepted, would have; absent without a store. */
  readonly generation?: number;
  /** The newest entry of the ledger. */
  readonly serial?: number;
  readonly bounds: Omit<Bounds, keyof Allowance>;
  readonly policies: readonly Policy[];
  /** Absent where there was no generation before. */
  readonly modesBefore?: ModesBefore;
}

/**
 * No commit lifts its own guard: limits and modes are the stricter of the generation before and the specs. What people hold
 * still is held whatever the specs say.
 */
export async function inForce({ name, tree, compiled }: OpenedEstate, store: Store | undefined): Promise<InForce> {
  const { limits } = compiled.guards;
  if (store === undefined)
    return { bounds: { limits, spent: { generation: noCount, healing: noCount }, owned: 0 }, policies: [] };
  const current = await store.generations.current(name);
  const same = current?.revision === tree.revision;
  const former = same ? await store.generations.previous(name) : current;
  const before = former && { ...former.guards, modesBefore: modesBefore(former.guards, compiled.scopes) };
  const generation = same ? current.number : (current?.number ?? 0) + 1;
  const { owned, ...spent } = await store.generations.spent(name, generation);
  return {
    generation,
    serial: await store.audit.head(name),
    bounds: { limits: stricterLimits(limits, before?.limits), spent, owned },
    policies: [
      ...(before === undefined ? [] : [guardsBefore(before)]),
      await pausesNow({ name, compiled }, store, before),
    ],
    ...(before === undefined ? {} : { modesBefore: before.modesBefore }),
  };
}

/** What people hold still at this moment. */
export const pausesNow = async (
  { name, compiled }: Pick<OpenedEstate, 'name' | 'compiled'>,
  store: Store,
  before?: Guards,
): Promise<Policy> => heldStill(await store.fleet.pauses.inForce(name), compiled.scopes, before);

/**
 * A document that was read only in the generation before is read only in this one too, and one that was protected there
 * is protected here, also where it is gone by now.
 */
const guardsBefore = ({ modesBefore, protected: kept }: Guards & { readonly modesBefore: ModesBefore }): Policy => {
  const protectedThen = new Set(kept);
  return (action) => {
    if (action.verb === 'forget') return undefined;
    if (documentsOf(action).some((address) => modesBefore(address) === 'observe'))
      return { code: 'mode', why: `its mode was observe ${before}` };
    const destroys =
      action.verb === 'replace' ||
      (action.verb === 'delete' && action.because !== 'twin' && action.because !== 'again');
    if (!destroys || !protectorsOf(action).some((address) => protectedThen.has(address))) return undefined;
    return { code: 'protect', why: `it was protected ${before}` };
  };
};

const before = 'in the generation before; that it is looser counts from the next one on.';
