import type { ScopeKey } from '../core/resource.ts';
import type { Store } from '../ports/store.ts';
import type { Estate } from './estate.ts';

/** A pass of these scopes now: workers look up within a second. What runs there begins again, by what is in force then. */
export async function wishPasses(
  { name }: Pick<Estate, 'name'>,
  scopes: readonly ScopeKey[],
  { store, reason }: { readonly store: Store; readonly reason: string },
): Promise<void> {
  for (const scope of scopes) await store.fleet.requests.ask({ estate: name, scope }, reason);
}

/** Where somebody works at this moment. Leases of duties that are no pass have names without a place. */
export async function scopesRunning({ name }: Pick<Estate, 'name'>, store: Store): Promise<readonly ScopeKey[]> {
  const held = await store.leases.held(name);
  return held.map(({ scope }) => scope).filter((scope) => scope.includes('/'));
}
