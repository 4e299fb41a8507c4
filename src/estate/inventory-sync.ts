import { keyBy, withheldKey } from '../core/action.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import type { Attempt } from '../core/inventory/plan-outcome.ts';
import { carryOver, leftRows } from '../core/inventory/row.ts';
import { observableResources, type RowsInput, rowsOf } from '../core/inventory/rows.ts';
import type { ScopeKey } from '../core/resource.ts';
import type { Executed } from '../engine/ports.ts';
import type { RowFilter, Rows } from '../ports/inventory-rows.ts';
import type { Where } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import type { OpenedEstate } from './load.ts';
import { withViolations } from './policies.ts';

/** The active specs, and their observed scope. */
export interface LookedBy {
  readonly estate: Pick<OpenedEstate, 'tree' | 'today'>;
  readonly scope: Pick<CompiledScope, 'targets'>;
}

/** Keeps what one look at a scope came to as the lines of the inventory. It must be planned by the specs in force. */
export async function keepRows(
  where: Where,
  looked: RowsInput,
  { estate, scope }: LookedBy,
  { rows }: Pick<Store, 'rows'>,
): Promise<void> {
  const made = await withViolations(rowsOf(looked), estate, {
    targets: scope.targets,
    observation: looked.input.observation,
  });
  const kept = looked.attempt === undefined ? carryOver(made, await scopeRows(where, rows, stuck)) : made;
  await rows.keep(where, { at: looked.input.observation.at, ...observableResources(kept, looked.input.observation) });
}

const stuck = { statuses: ['Failed', 'Blocked'] } as const;

/** The work that several reconciles in a row left undone; undefined without a reconcile. */
export function attemptOf(reconciles: readonly Executed[]): Attempt | undefined {
  if (reconciles.length === 0) return undefined;
  const failed = new Map<string, Attempt['failed'][number]>();
  const held = new Map<string, Attempt['held'][number]>();
  for (const reconcile of reconciles) {
    for (const key of [...reconcile.settled, ...reconcile.failed].map(keyBy)) {
      failed.delete(key);
      held.delete(key);
    }
    for (const one of reconcile.failed) if (one.expected === 'person') failed.set(keyBy(one), one);
    for (const one of reconcile.findings)
      if (one.type === 'withheld' && one.code !== 'stale') held.set(withheldKey(one), one);
  }
  return { failed: [...failed.values()], held: [...held.values()] };
}

interface Named {
  readonly estate: string;
  readonly scopes: readonly ScopeKey[];
}

/**
 * Marks the rows of all scopes that the active specs no longer name, at a time in ms since the epoch. Marked rows stay as they are: without
 * new ones it takes one short query.
 */
export async function leaveScopes({ estate, scopes }: Named, at: number, { rows }: Pick<Store, 'rows'>): Promise<void> {
  const named = new Set(scopes);
  const left = (await rows.looks(estate)).filter(({ scope }) => !named.has(scope));
  for (const { scope } of left) {
    const where = { estate, scope };
    await rows.keep(where, { at, rows: leftRows(await scopeRows(where, rows)), gaps: [], left: true });
  }
}

/** The lines of one scope as they are now, those that a filter leaves: all of them, page by page. */
async function scopeRows({ estate, scope }: Where, rows: Pick<Rows, 'page'>, filter: RowFilter = {}) {
  const query = {
    seen: [{}],
    filter: { ...filter, estates: [estate], scopes: [scope] },
    sort: { by: 'address', descending: false },
    limit: 1000,
  } as const;
  let page = await rows.page(query);
  const found = [...page.rows];
  while (page.next !== undefined) {
    page = await rows.page({ ...query, after: page.next });
    found.push(...page.rows);
  }
  return found;
}
