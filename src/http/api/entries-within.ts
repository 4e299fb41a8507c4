import { type Bounds, covers } from '../../core/access/grant.ts';
import { aboutOf } from '../../core/ledger/entry.ts';
import type { Figures } from '../../ports/figures.ts';
import type { EntryPage, EntryPages, EntryQuery, LedgerEntry } from '../../ports/ledger.ts';

export interface EntriesDesk {
  readonly entryPages: Pick<EntryPages, 'page'>;
  readonly figures: Pick<Figures, 'seen'>;
}

/** So many pages of so many entries are looked through for one answer. */
const mostPages = 5;
const pageEntries = 1000;

/**
 * A page of what lies within the bounds, since it does: a new owner reads nothing of the owner before. Whether there is a next one is told of that alone: by a count of all that fits a question
 * somebody could find out what is done elsewhere. Where very much is, it is shorter than asked for and has a next.
 */
export async function entriesWithin(
  { after, ...query }: EntryQuery,
  seen: readonly Bounds[],
  { entryPages, figures }: EntriesDesk,
): Promise<EntryPage> {
  const { estate, limit, filter } = query;
  const { address } = filter;
  if (address !== undefined && !(await figures.seen(estate, [address], seen)).has(address)) return { entries: [] };
  const entries: LedgerEntry[] = [];
  let next = after;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const found = await entryPages.page({
      ...query,
      limit: pageEntries,
      ...(next === undefined ? {} : { after: next }),
    });
    entries.push(...(await within(found.entries, { estate, seen }, figures)));
    const last = entries[limit - 1];
    if (entries.length > limit && last !== undefined) return { entries: entries.slice(0, limit), next: last.seq };
    next = found.next;
    if (next === undefined) return { entries };
  }
  return { entries, ...(next === undefined ? {} : { next }) };
}

async function within(
  entries: readonly LedgerEntry[],
  { estate, seen }: { readonly estate: string; readonly seen: readonly Bounds[] },
  figures: EntriesDesk['figures'],
): Promise<readonly LedgerEntry[]> {
  const abouts = entries.map(aboutOf);
  const named = abouts.flatMap((about) => (about !== 'estate' && 'addresses' in about ? about.addresses : []));
  const known = await figures.seen(estate, [...new Set(named)], seen);
  return entries.filter(({ at }, index) => {
    const about = abouts[index] ?? 'estate';
    if (about === 'estate') return false;
    if ('addresses' in about)
      return about.addresses.every((address) => (known.get(address) ?? Number.POSITIVE_INFINITY) <= at);
    const subject = 'target' in about ? { estate, targets: [about.target] } : { estate, owner: about.owner };
    return seen.some((bounds) => covers(bounds, subject));
  });
}
