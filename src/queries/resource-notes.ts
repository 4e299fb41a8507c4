import { seesAll } from '../core/access/grant.ts';
import { assignmentJson } from '../core/render/resource-note.ts';
import type { Address, ScopeKey } from '../core/resource.ts';
import { OtherAssignment, type ResourceNoteLists } from '../ports/fleet-state.ts';
import type { KeptRow } from '../ports/inventory-rows.ts';
import { Declined, type EstateAsked, type PauseAsked, type ResourceNoteAnswers } from '../ports/queries.ts';
import type { Store } from '../ports/store.ts';
import { addressIn, unknown } from './explain.ts';

type Grounds = Pick<Store, 'fleet' | 'rows' | 'figures'>;

/** Words of people on one resource. They ask for no reconcile, as they change nothing. */
export const resourceNotesOn = (store: Grounds): ResourceNoteAnswers => ({
  assign: async (asked, { expected, ...word }) => {
    const place = await placeOf(asked, word.address, store);
    return orConflict(store.fleet.resourceNotes.assign({ ...word, ...place }, expected));
  },
  endAssignment: async (asked, { expected, ...word }) => {
    const place = await placeOf(asked, word.address, store);
    return orConflict(store.fleet.resourceNotes.endAssignment({ ...word, ...place }, expected));
  },
  comment: async (asked, word) =>
    store.fleet.resourceNotes.comment({ ...word, ...(await placeOf(asked, word.address, store)) }),
  of: (asked, addresses) => notesOf(asked, addresses, store),
});

const orConflict = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    if (!(error instanceof OtherAssignment)) throw error;
    const message = 'Another assignment stands now: see `assignment`. Expect that one, if you still want to.';
    // why: no schema of an answer writes the times of a problem
    const at = new Date(error.standing.at).toISOString();
    throw new Declined('conflict', message, { assignment: { ...assignmentJson(error.standing), at } });
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

/** By the whole address, or a unique ending of it. */
async function placeNamed(
  { estate, seen }: Pick<PauseAsked, 'estate' | 'seen'>,
  name: string,
  rows: Pick<Store['rows'], 'find' | 'page'>,
): Promise<Place> {
  const places = new Map<Address, Place>();
  const add = (found: readonly KeptRow[]): void => {
    for (const { called, place } of found)
      if (called.address !== undefined && isCalled(called.address, name))
        places.set(called.address, { estate, scope: place.scope, address: called.address });
  };
  add(await rows.find({ estate, seen, of: name }));
  if (!places.has(name)) for await (const found of pagesWith(name, { estate, seen }, rows)) add(found);
  const place = places.get(addressIn(name, [...places.keys()]));
  if (place === undefined) throw unknown();
  return place;
}

/** Every page of the search, so that no ending is missed and none is taken for the only one. */
async function* pagesWith(
  name: string,
  { estate, seen }: Pick<PauseAsked, 'estate' | 'seen'>,
  rows: Pick<Store['rows'], 'page'>,
): AsyncIterable<readonly KeptRow[]> {
  const sort = { by: 'address', descending: false } as const;
  for (const text of endings(name))
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const filter = { estates: [estate], text };
      const page = await rows.page({
        seen,
        filter,
        sort,
        limit: mostOnPage,
        ...(after === undefined ? {} : { after }),
      });
      yield page.rows;
      after = page.next;
    }
}

const endings = (name: string): readonly string[] => [`/${name}`, `.${name}`];
const isCalled = (address: Address, name: string): boolean =>
  address === name || endings(name).some((ending) => address.endsWith(ending));

const mostOnPage = 1000;

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
