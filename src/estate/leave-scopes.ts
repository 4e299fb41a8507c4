import { leftRows } from '../core/inventory/row.ts';
import type { ScopeKey } from '../core/resource.ts';
import type { Store } from '../ports/store.ts';
import { scopeRows } from './scope-rows.ts';

interface Named {
  readonly estate: string;
  readonly scopes: readonly ScopeKey[];
}

/**
 * Tells the lines of all scopes that the specs in force do not name any more as such, at a time in ms since the epoch. What is
 * left already is not touched: where nothing is to be done it takes one short question.
 */
export async function leaveScopes({ estate, scopes }: Named, at: number, { rows }: Pick<Store, 'rows'>): Promise<void> {
  const named = new Set(scopes);
  const left = (await rows.looks(estate)).filter(({ scope }) => !named.has(scope));
  for (const { scope } of left) {
    const where = { estate, scope };
    await rows.keep(where, { at, rows: leftRows(await scopeRows(where, rows)), gaps: [], left: true });
  }
}
