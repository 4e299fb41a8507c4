import type { CloudId } from '../core/resource.ts';
import type { Pass } from '../ports/ledger.ts';
import type { Accepted } from '../ports/store.ts';

/** What a takeover claims, and what it notes. */
export function takeoverOf({ scope, authority }: Pass, accepted: readonly Accepted[], reason: string) {
  const claims = new Map<CloudId, Accepted>();
  for (const claim of accepted) {
    const { id, address } = claim.subject;
    if (id === undefined) throw new Error(`the takeover of ${address} names no id`);
    claims.set(id, claim);
  }
  return { claims, note: { takeover: { scope, reason, ids: [...claims.keys()].sort(), authority } } };
}
