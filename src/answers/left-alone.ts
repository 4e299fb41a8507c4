import type { ScopeKey } from '../core/resource.ts';
import type { Store } from '../ports/store.ts';
import type { Estate } from './estate.ts';

/** A scope that no target names any more while we own something there: no pass looks at it. */
export interface LeftAlone {
  readonly scope: ScopeKey;
  readonly resources: number;
}

export async function leftAlone(
  { name, compiled }: Pick<Estate, 'name' | 'compiled'>,
  store: Store | undefined,
): Promise<readonly LeftAlone[]> {
  const named = new Set(compiled.scopes.map(({ scope }) => scope));
  const holdings = (await store?.estates.holdings(name)) ?? [];
  return holdings.filter(({ scope }) => !named.has(scope));
}
