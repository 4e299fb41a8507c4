import type { Attempt } from '../core/inventory/plan-outcome.ts';
import { carryOver } from '../core/inventory/row.ts';
import { type RowsInput, rowsOf, telling } from '../core/inventory/rows.ts';
import type { Executed } from '../engine/execute.ts';
import type { Where } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import { scopeRows } from './scope-rows.ts';

/** Keeps what one look at a scope came to as the lines of the inventory. It must be planned by the specs in force. */
export async function keepRows(where: Where, looked: RowsInput, { rows }: Pick<Store, 'rows'>): Promise<void> {
  const made = rowsOf(looked);
  const kept = looked.attempt === undefined ? carryOver(made, await scopeRows(where, rows, stuck)) : made;
  await rows.keep(where, { at: looked.input.observation.at, ...telling(kept, looked.input.observation) });
}

const stuck = { statuses: ['Failed', 'Blocked'] } as const;

/** What of several passes in a row was not done in the end; undefined where none was made. */
export function attemptOf(passes: readonly Executed[]): Attempt | undefined {
  if (passes.length === 0) return undefined;
  const failed = new Map<string, Attempt['failed'][number]>();
  const held = new Map<string, Attempt['held'][number]>();
  for (const pass of passes) {
    for (const { verb, address } of [...pass.settled, ...pass.failed]) {
      failed.delete(`${verb} ${address}`);
      held.delete(`${verb} ${address}`);
    }
    for (const one of pass.failed) if (one.expected === 'person') failed.set(`${one.verb} ${one.address}`, one);
    for (const one of pass.findings)
      if (one.type === 'withheld' && one.code !== 'stale') held.set(`${one.action} ${one.address}`, one);
  }
  return { failed: [...failed.values()], held: [...held.values()] };
}
