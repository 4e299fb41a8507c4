import { seesAll } from '../core/access/grant.ts';
import type { Address, ScopeKey } from '../core/resource.ts';
import type { ResourceNoteLists } from '../ports/fleet-state.ts';
import type { KeptRow } from '../ports/inventory-rows.ts';
import { Declined, type EstateAsked, type PauseAsked, type ResourceNoteAnswers } from '../ports/queries.ts';
import type { Store } from '../ports/store.ts';

type Grounds = Pick<Store, 'fleet' | 'rows' | 'figures'>;

/** Words of people on one resource. They ask for no reconcile, as they change nothing. */
export const resourceNotesOn = (store: Grounds): ResourceNoteAnswers => ({
  assign: async (asked, word) =>
    store.fleet.resourceNotes.assign({ ...word, ...(await placeOf(asked, word.address, store)) }),
  endAssignment: async (asked, word) =>
    store.fleet.resourceNotes.endAssignment({ ...word, ...(await placeOf(asked, word.address, store)) }),
  comment: async (asked, word) =>
    store.fleet.resourceNotes.comment({ ...word, ...(await placeOf(asked, word.address, store)) }),
  of: (asked, addresses) => notesOf(asked, addresses, store),
});

interface Place {
  readonly estate: string;
  readonly scope: ScopeKey;
  readonly address: Address;
}

/** The place of a resource within the caller's bounds. A resource that they do not see is as one that there is not. */
async function placeOf(
  { estate, seen, mine }: PauseAsked,
  name: string,
  { rows }: Pick<Store, 'rows'>,
): Promise<Place> {
  const place = await placeNamed({ estate, seen }, name, rows);
  const own = await rows.find({ estate, seen: mine, of: place.address });
  if (!own.some(({ called }) => called.address === place.address))
    throw new Declined('forbidden', 'You need the permission plan for this resource.', { permission: 'plan' });
  return place;
}

/** By the whole address, or a unique end of it. */
async function placeNamed(
  { estate, seen }: Pick<PauseAsked, 'estate' | 'seen'>,
  name: string,
  rows: Pick<Store['rows'], 'find' | 'page'>,
): Promise<Place> {
  const placesIn = (found: readonly KeptRow[], fits: (address: Address) => boolean): readonly Place[] => {
    const places = found.flatMap(({ called: { address }, place: { scope } }) =>
      address !== undefined && fits(address) ? [{ estate, scope, address }] : [],
    );
    return [...new Map(places.map((place) => [place.address, place])).values()];
  };
  const [whole] = placesIn(await rows.find({ estate, seen, of: name }), (address) => address === name);
  if (whole !== undefined) return whole;
  const filter = { estates: [estate], text: name };
  const sort = { by: 'address', descending: false } as const;
  const found = await rows.page({ seen, filter, sort, limit: mostSearched });
  const ends = placesIn(found.rows, (address) => address.endsWith(`/${name}`));
  const [place] = ends;
  if (place === undefined) throw new Declined('unknown', 'It does not exist, or your grants do not cover it.');
  // why: further pages may have the same end
  if (ends.length === 1 && found.next === undefined) return place;
  throw new Declined('conflict', 'The name matches several addresses. Send one of `addresses` in full.', {
    addresses: ends.slice(0, mostListed).map(({ address }) => address),
  });
}

const mostSearched = 1000;
const mostListed = 10;

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
