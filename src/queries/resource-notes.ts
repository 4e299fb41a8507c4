import { seesAll } from '../core/access/grant.ts';
import type { Address, ScopeKey } from '../core/resource.ts';
import type { ResourceNoteLists } from '../ports/fleet-state.ts';
import { Declined, type EstateAsked, type PauseAsked, type ResourceNoteAnswers } from '../ports/queries.ts';
import type { Store } from '../ports/store.ts';

type Grounds = Pick<Store, 'fleet' | 'rows' | 'figures'>;

/** Words of people on one resource. They ask for no reconcile, as they change nothing. */
export const resourceNotesOn = (store: Grounds): ResourceNoteAnswers => ({
  assign: async (asked, word) =>
    store.fleet.resourceNotes.assign({ ...(await placeOf(asked, word.address, store)), ...word }),
  endAssignment: async (asked, word) =>
    store.fleet.resourceNotes.endAssignment({ ...(await placeOf(asked, word.address, store)), ...word }),
  comment: async (asked, word) =>
    store.fleet.resourceNotes.comment({ ...(await placeOf(asked, word.address, store)), ...word }),
  of: (asked, addresses) => notesOf(asked, addresses, store),
});

/** The place of a resource within the caller's bounds. A resource that they do not see is as one that there is not. */
async function placeOf(
  { estate, seen, mine }: PauseAsked,
  address: Address,
  { rows }: Pick<Store, 'rows'>,
): Promise<{ readonly estate: string; readonly scope: ScopeKey }> {
  const rowWithin = async (bounds: PauseAsked['seen']) =>
    (await rows.find({ estate, seen: bounds, of: address })).find(({ called }) => called.address === address);
  const row = await rowWithin(seen);
  if (row === undefined) throw new Declined('unknown', 'It does not exist, or your grants do not cover it.');
  if ((await rowWithin(mine)) === undefined)
    throw new Declined('forbidden', 'You need the permission plan for this resource.', { permission: 'plan' });
  return { estate, scope: row.place.scope };
}

/** As in the ledger, a new owner reads nothing of the time of the owner before. */
export async function notesOf(
  { estate, seen }: Pick<EstateAsked, 'estate' | 'seen'>,
  addresses: readonly Address[],
  { fleet, figures }: Pick<Store, 'fleet' | 'figures'>,
): Promise<ResourceNoteLists> {
  const notes = await fleet.resourceNotes.list(estate, [...new Set(addresses)]);
  if (notes.assignments.length + notes.comments.length === 0 || seesAll(seen, estate)) return notes;
  const named = [...notes.assignments, ...notes.comments].map(({ address }) => address);
  const since = await figures.seen(estate, [...new Set(named)], seen);
  const isSeen = ({ address, at }: { readonly address: Address; readonly at: number }): boolean =>
    (since.get(address) ?? Number.POSITIVE_INFINITY) <= at;
  return { assignments: notes.assignments.filter(isSeen), comments: notes.comments.filter(isSeen) };
}
