import type { RowsInput } from '../core/inventory/rows.ts';
import type { Converged } from '../engine/converge.ts';
import { attemptOf, keepRows } from '../estate/keep-rows.ts';
import type { Where } from '../ports/queue.ts';
import type { Yard } from './yard.ts';

/** One look, planned by the generation in force. */
export type Looked = Omit<RowsInput, 'attempt'>;

/** Keeps the lines of the inventory beside a pass, which neither waits for it nor fails with it. */
export interface RowKeeper {
  /** The first look is kept at once: what drifted is seen before it is healed. */
  saw(looked: Looked): void;
  /** The last look, with what was tried in vain, is kept where it may say something else than the first. */
  ended(passes: Converged['passes']): void;
  /** When all of it is kept, or has failed. */
  kept(): Promise<void>;
}

export function rowKeeperOf(where: Where, { store, telemetry }: Pick<Yard, 'store' | 'telemetry'>): RowKeeper {
  let work = Promise.resolve();
  let newest: Looked | undefined;
  let kept: { readonly looked: Looked; readonly passes: number } | undefined;
  const keep = (looked: RowsInput): void => {
    work = work
      .then(() => keepRows(where, looked, store))
      .catch((error: unknown) => {
        telemetry.log.warn('the lines of the inventory were not kept', { ...where, why: String(error) });
      });
  };
  return {
    saw: (looked) => {
      newest = looked;
      if (kept !== undefined) return;
      kept = { looked, passes: 0 };
      keep(looked);
    },
    ended: (passes) => {
      if (newest === undefined || (newest === kept?.looked && passes.length === kept.passes)) return;
      kept = { looked: newest, passes: passes.length };
      const attempt = attemptOf(passes);
      keep({ ...newest, ...(attempt === undefined ? {} : { attempt }) });
    },
    kept: () => work,
  };
}
