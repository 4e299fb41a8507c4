import type { Bounds } from '../core/access/grant.ts';
import type { Status } from '../core/inventory/row.ts';
import { type WithheldDrift, withheldDriftIn, withheldStatuses } from '../core/inventory/withheld-drift.ts';
import type { Knowledge } from '../core/knowledge.ts';
import { halfDoneIn } from '../core/plan/succession.ts';
import type { EstateAsked, Planned } from '../ports/answers.ts';
import type { KeptRow } from '../ports/kept-row.ts';
import type { RowQuery } from '../ports/rows.ts';
import type { Store } from '../ports/store.ts';
import type { Replacement } from '../ports/targets.ts';

/** At most so many pages are read. */
const mostPages = 10;

interface BlockedAsked {
  readonly seen: readonly Bounds[];
  readonly filter?: RowQuery['filter'];
}

/** Resources on which the last look could not act, at most 10,000, sorted by address. */
export const blockedRows = (asked: BlockedAsked, store: Pick<Store, 'rows'>): Promise<readonly KeptRow[]> =>
  rowsWith({ ...asked, statuses: ['Blocked'] }, store);

interface StatusesAsked extends BlockedAsked {
  readonly statuses: readonly Status[];
}

/** Resources with one of these statuses by the newest looks, at most 10,000, sorted by address. */
async function rowsWith(
  { seen, filter = {}, statuses }: StatusesAsked,
  { rows }: Pick<Store, 'rows'>,
): Promise<readonly KeptRow[]> {
  const all: KeptRow[] = [];
  let after: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const found = await rows.page({
      seen,
      filter: { ...filter, statuses },
      sort: { by: 'address', descending: false },
      limit: 1000,
      ...(after === undefined ? {} : { after }),
    });
    all.push(...found.rows);
    if (found.next === undefined) break;
    after = found.next;
  }
  return all;
}

/** `blocked`: rows that say why a replacement goes no further; of the same scope or of more. Sorted by address. */
export function halfReplacedIn(knowledge: Knowledge, blocked: readonly KeptRow[]): readonly Replacement[] {
  const reasons = new Map(blocked.map(({ called, state }) => [called.address, state.reason]));
  return halfDoneIn(knowledge).map((one): Replacement => {
    const heldBy = reasons.get(one.address);
    return heldBy === undefined ? one : { ...one, heldBy };
  });
}

/** Drift that workers leave alone, by the newest looks, as far as `seen` shows it. */
export async function withheldDrift(
  { estate, seen, targets }: EstateAsked,
  store: Pick<Store, 'rows'>,
): Promise<readonly WithheldDrift[]> {
  const filter = { estates: [estate], ...(targets === undefined ? {} : { targets }) };
  return withheldDriftIn(await rowsWith({ statuses: withheldStatuses, seen, filter }, store));
}

/** The same answer, with the drift that workers leave alone. */
export async function withWithheld(planned: Planned, asked: EstateAsked, store: Pick<Store, 'rows'>): Promise<Planned> {
  const withheld = await withheldDrift(asked, store);
  return withheld.length === 0 ? planned : { ...planned, bound: { ...planned.bound, withheldDrift: withheld } };
}
