import type { ScopeKey } from '../../core/resource.ts';
import type { Store } from '../../ports/store.ts';
import type { Context } from '../context.ts';
import { count } from '../output/count.ts';
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

export const leftAloneText = ({ scope, resources }: LeftAlone): string =>
  `${scope} is no longer in the specs; ${count(resources, 'resource')} of ours there ${resources === 1 ? 'is' : 'are'} left alone`;

export const leftAloneNext = 'bring the target back, or let each go with: setpoint forget ADDRESS';

/** On stderr, a line each. */
export function tellLeftAlone(all: readonly LeftAlone[], { terminal }: Pick<Context, 'terminal'>): void {
  for (const one of all) terminal.err.write(`! ${leftAloneText(one)}: ${leftAloneNext}\n`);
}
