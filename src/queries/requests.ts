import type { ScopeKey } from '../core/resource.ts';
import type { Estate } from '../estate/load.ts';
import type { OnTheWay } from '../ports/ledger.ts';
import type { Where } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';

/**
 * Requests a reconcile of these scopes now: workers notice within a second. A running one begins again, by the then active
 * specs.
 */
export async function requestReconciles(
  { name }: Pick<Estate, 'name'>,
  scopes: readonly ScopeKey[],
  { store, reason }: { readonly store: Store; readonly reason: string },
): Promise<void> {
  for (const scope of scopes) await requestReconcile({ estate: name, scope }, reason, store);
}

/** Of one scope. The caller has checked the calls that the clouds refused: they are tried again at once. */
export async function requestReconcile(where: Where, reason: string, { fleet }: Pick<Store, 'fleet'>): Promise<void> {
  await fleet.backoffs.clear(where);
  await fleet.requests.ask(where, reason);
}

/** Scopes where a reconcile runs now. Leases of other duties have names without a place. */
export async function scopesRunning({ name }: Pick<Estate, 'name'>, store: Store): Promise<readonly ScopeKey[]> {
  const held = await store.leases.held(name);
  return held.map(({ scope }) => scope).filter((scope) => scope.includes('/'));
}

/** Calls that may still reach the clouds of these scopes, though a word was committed that holds them: each was sent before, or never answered. */
export async function callsOnTheWay(
  estate: string,
  scopes: readonly ScopeKey[],
  { ledger }: Pick<Store, 'ledger'>,
): Promise<readonly OnTheWay[]> {
  return (await ledger.onTheWay(estate)).filter(({ scope }) => scopes.includes(scope));
}
