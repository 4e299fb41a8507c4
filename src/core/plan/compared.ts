import type { Desired } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import type { Observed } from '../observed.ts';
import type { Address } from '../resource.ts';
import { alignDesired } from './align-desired.ts';
import { changesOf, lastApplied, movedBySpec } from './changes.ts';
import { claim } from './claim.ts';
import { withoutApplied } from './lost-commits.ts';
import type { PlanInput } from './plan-input.ts';
import { isUnrecorded, worldOf } from './world.ts';

/** A wanted resource beside the one object that is ours there. */
export interface Compared {
  readonly desired: Desired;
  readonly observed: Observed;
  /** All differences, those that no plan can carry out included. */
  readonly changes: readonly FieldChange[];
  /** Those that no spec caused. None where nobody knows what was applied. */
  readonly drifted: readonly FieldChange[];
}

/** Each wanted resource that stands exactly once, by its address. */
export function compareScope(given: PlanInput): ReadonlyMap<Address, Compared> {
  const claimed = claim(given.observation.resources, given);
  const hasLost = given.knowledge.lost !== undefined || claimed.some(isUnrecorded);
  const input = hasLost ? withoutApplied(given) : given;
  const world = worldOf(input, claimed);
  return new Map(
    alignDesired(world).flatMap((desired) => {
      const [present, ...twins] = world.ours.get(desired.address) ?? [];
      if (present === undefined || twins.length > 0) return [];
      const { observed } = present;
      const changes = changesOf(desired, observed, input);
      const isMoved = movedBySpec(desired, input);
      const isKnown = lastApplied(desired, input.knowledge) !== undefined;
      const drifted = isKnown ? changes.filter((change) => !isMoved(change)) : [];
      return [[desired.address, { desired, observed, changes, drifted }] as const];
    }),
  );
}

/** Without modes, guards and waves, which hold actions back: a proof is about all of them. */
export function unguarded(input: PlanInput): PlanInput {
  const enforced = (one: Desired): Desired => ({ ...one, terms: { ...one.terms, mode: 'enforce' } });
  const { wanted } = input;
  const desired = wanted.desired.map(enforced);
  return { ...input, wanted: { ...wanted, mode: 'enforce', desired }, choices: { atOnce: true } };
}
