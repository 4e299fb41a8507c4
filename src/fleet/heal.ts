import { heedingPolicy } from '../core/plan/guard.ts';
import type { Policy } from '../core/plan/plan-input.ts';
import type { Address } from '../core/resource.ts';
import type { PlannedObservation } from '../engine/converge.ts';
import type { PassControl } from '../engine/ports.ts';
import { pausesNow } from '../estate/in-force.ts';
import { siteOn } from '../estate/open-site.ts';
import type { Charter } from './charter.ts';
import type { Generations } from './generations.ts';
import { type Reconciled, reconcile, type Scene } from './reconcile.ts';
import type { Yard } from './yard.ts';

/**
 * While a newer generation waits, what drifted goes back to what was last let into force: each address by the specs of the
 * generation that was applied there. Nothing else is touched, and nothing is made or removed that only those specs ask for.
 * What the newest generation does not let the loop do is not done by a former one either, and a pause holds whatever either of
 * them says to be of its owner or target. Returns false where the pass was stopped.
 */
export async function heal(
  scene: Scene,
  { waiting, converged }: Reconciled,
  means: Means,
  yard: Yard,
): Promise<boolean> {
  const { where, by } = scene;
  const { applied } = await yard.store.inventory.knowledge(where.estate, where.scope);
  const generations = Map.groupBy(waiting, (address) => applied.get(address)?.generation ?? by.generation.number);
  for (const number of [...generations.keys()].sort((a, b) => b - a)) {
    if (number === by.generation.number) continue;
    const former = await formerScene(scene, number, means, yard);
    if (former === undefined) continue;
    const charter = await healing(means.charter, async () => [
      driftAt(new Set(generations.get(number))),
      heedingPolicy(by.scope.wanted),
      await pausesNow(former.by.estate, yard.store),
    ]);
    const from = converged.last?.observation;
    const healed = await reconcile(former, charter, yard, {
      ...means.steering,
      ...(from === undefined ? {} : { from }),
    });
    if (healed.converged.last !== undefined) await means.healed?.(healed.converged.last);
    if (healed.converged.outcome === 'stopped') return false;
  }
  return true;
}

/** The charter with further guards, now and whenever it is drawn up again. */
async function healing(charter: Charter, guards: () => Promise<readonly Policy[]>): Promise<Charter> {
  return {
    ...charter,
    policies: [...charter.policies, ...(await guards())],
    again: async () => healing(await charter.again(), guards),
  };
}

export interface Means {
  readonly charter: Charter;
  readonly generations: Generations;
  readonly steering: PassControl;
  /** Told of what was seen last by the specs of a former generation. */
  readonly healed?: (sight: PlannedObservation) => Promise<void>;
}

/** Absent: that generation was not kept, cannot be opened by this version or this worker, or said nothing of this scope. */
async function formerScene(
  scene: Scene,
  number: number,
  { generations, steering }: Means,
  { store, outside, telemetry }: Yard,
): Promise<Scene | undefined> {
  const { where, site } = scene;
  const generation = await store.generations.numbered(where.estate, number);
  if (generation === undefined) return undefined;
  // why: the newest one has had its pass, which must not fail for what was once
  const estate = await generations.open(where.estate, generation).catch((error: unknown) => {
    telemetry.log.warn('nothing is healed to a former generation: it cannot be opened', {
      ...where,
      generation: number,
      why: String(error),
    });
  });
  if (estate === undefined) return undefined;
  const scope = estate.compiled.scopes.find((one) => one.scope === where.scope);
  if (scope === undefined) return undefined;
  const ports = { secrets: outside.secrets, signal: steering.signal };
  return { ...scene, site: siteOn(site.session, scope, { estate, ports }), by: { generation, estate, scope } };
}

const driftAt =
  (addresses: ReadonlySet<Address>): Policy =>
  (action) =>
    addresses.has(action.address) && action.cause === 'drift'
      ? undefined
      : { code: 'stale', why: 'a newer generation speaks of it' };
