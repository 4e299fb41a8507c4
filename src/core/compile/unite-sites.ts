import { type Desired, strictest, type Terms } from '../desired.ts';
import type { Allowed } from '../plan/plan-input.ts';
import type { Address } from '../resource.ts';

/**
 * Two targets of one scope may speak of one thing (GCP: the network of two regions): it is one, and what either says of it
 * holds. The stricter mode, `protect` and `retain` win; what one of them adopts, or calls by a former name, both do.
 */
export function uniteDesired(desired: readonly Desired[]): readonly Desired[] {
  const byAddress = new Map<Address, Desired>();
  for (const one of desired) {
    const known = byAddress.get(one.address);
    byAddress.set(one.address, known === undefined ? one : { ...known, terms: unitedTerms(known.terms, one.terms) });
  }
  return [...byAddress.values()];
}

/** The same for what documents allow. */
export function uniteAllowed(documents: readonly (readonly [Address, Allowed])[]): ReadonlyMap<Address, Allowed> {
  const byAddress = new Map<Address, Allowed>();
  for (const [address, allowed] of documents) {
    const known = byAddress.get(address);
    byAddress.set(address, known === undefined ? allowed : unitedAllowed(known, allowed));
  }
  return byAddress;
}

/** It is one document, so its owner is the same. */
function unitedAllowed(one: Allowed, other: Allowed): Allowed {
  const own = [one.own, other.own].filter((mode) => mode !== undefined);
  return {
    ...one,
    mode: strictest([one.mode, other.mode]),
    ...(own.length === 0 ? {} : { own: strictest(own) }),
    protect: one.protect || other.protect,
    targets: [...one.targets, ...other.targets],
  };
}

function unitedTerms(one: Terms, other: Terms): Terms {
  const adopt = one.claim?.adopt ?? other.claim?.adopt;
  const was = [...new Set([...(one.claim?.was ?? []), ...(other.claim?.was ?? [])])];
  const claim = { ...(adopt === undefined ? {} : { adopt }), ...(was.length === 0 ? {} : { was }) };
  return {
    ...one,
    mode: strictest([one.mode, other.mode]),
    protect: one.protect || other.protect,
    deletionPolicy: [one, other].some(({ deletionPolicy }) => deletionPolicy === 'retain') ? 'retain' : 'delete',
    ...(Object.keys(claim).length === 0 ? {} : { claim }),
  };
}
