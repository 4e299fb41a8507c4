import { type Bounds, covers, seesAll, seesTargets, visibleTargets } from '../../core/access/grant.ts';
import { aboutOf } from '../../core/ledger/entry.ts';
import type { Address } from '../../core/resource.ts';
import type { StoredEvent } from '../../ports/events.ts';
import type { Figures } from '../../ports/figures.ts';
import type { EntryPage, EntryPages, EntryQuery, LedgerEntry } from '../../ports/ledger.ts';
import type { KeptReconcile, ReconcileDetails, ReconcileEntry } from '../../ports/reconciles.ts';

/**
 * A reconcile, as far as a caller who sees a part of one of its targets may see it.
 *
 *   they see                        | and receive
 *   --------------------------------+------------------------------------------------------------------
 *   all of the estate               | all of it
 *   all of each target of the reconcile  | all of it but who asked for it and why: that may be about others
 *   less                            | times, counts and calls, the targets that they see, and steps at addresses that they see
 */
export function visibleReconcile(reconcile: KeptReconcile, seen: readonly Bounds[]): KeptReconcile {
  if (seesAll(seen, reconcile.estate)) return reconcile;
  const { reason: _, ending, ...rest } = reconcile;
  const ground = { ...reconcile.ground, targets: visibleTargets(seen, targetsOf(reconcile)) };
  if (ending === undefined) return { ...rest, ground };
  const { why, ...ended } = ending;
  const isWhole = why !== undefined && seesTargets(seen, targetsOf(reconcile));
  return { ...rest, ground, ending: { ...ended, ...(isWhole ? { why } : {}) } };
}

/** The timeline of such a reconcile, with the details of waits left out where they may name what is not seen. */
export async function visibleTimeline(
  { timeline, ...reconcile }: ReconcileDetails,
  seen: readonly Bounds[],
  figures: Pick<Figures, 'seen'>,
): Promise<VisibleTimeline | undefined> {
  if (timeline === undefined || seesTargets(seen, targetsOf(reconcile))) return timeline;
  const named = [...new Set(timeline.timeline.flatMap(addressesOf))];
  const since = await figures.seen(reconcile.estate, named, seen);
  const end = reconcile.ending?.ended ?? reconcile.began;
  const known = new Set(named.filter((address) => (since.get(address) ?? Number.POSITIVE_INFINITY) <= end));
  return { ...timeline, timeline: timeline.timeline.flatMap((entry) => visibleEntry(entry, known)) };
}

export type VisibleTimeline = Omit<NonNullable<ReconcileDetails['timeline']>, 'timeline'> & {
  readonly timeline: readonly VisibleEntry[];
};
type Wait = Extract<ReconcileEntry, { readonly what: 'wait' }>;
export type VisibleEntry = Exclude<ReconcileEntry, Wait> | (Omit<Wait, 'detail'> & { readonly detail?: string });

const targetsOf = ({ estate, ground: { targets } }: Pick<KeptReconcile, 'estate' | 'ground'>) => ({ estate, targets });

function addressesOf(entry: ReconcileEntry): readonly Address[] {
  if (entry.what === 'sent') return entry.addresses;
  if (entry.what !== 'settled' && entry.what !== 'withheld') return [];
  return entry.address === undefined ? [] : [entry.address];
}

function visibleEntry(entry: ReconcileEntry, known: ReadonlySet<Address>): readonly VisibleEntry[] {
  switch (entry.what) {
    case 'call':
    case 'listed':
    case 'planned':
      return [entry];
    case 'wait': {
      const { detail: _, ...wait } = entry;
      return [wait];
    }
    case 'sent': {
      const addresses = entry.addresses.filter((address) => known.has(address));
      return addresses.length === 0 ? [] : [{ ...entry, addresses }];
    }
    case 'settled':
    case 'withheld':
      return entry.address !== undefined && known.has(entry.address) ? [entry] : [];
  }
}

interface EntriesDependencies {
  readonly entryPages: Pick<EntryPages, 'page'>;
  readonly figures: Pick<Figures, 'seen'>;
}

/** The most pages that are read for one answer. */
const mostPages = 5;
const pageEntries = 1000;

/**
 * A page of the entries within the bounds, from the time on that they lie there: a new owner reads nothing of the owner before.
 * The next page depends on these entries alone: from a count of all matches a caller could find out about work elsewhere. With
 * very many entries a page is shorter than asked for and has a next.
 */
export async function visibleEntries(
  { after, ...query }: EntryQuery,
  seen: readonly Bounds[],
  { entryPages, figures }: EntriesDependencies,
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
      after: next,
    });
    entries.push(...(await entriesSeen(found.entries, { estate, seen }, figures)));
    const last = entries[limit - 1];
    if (entries.length > limit && last !== undefined) return { entries: entries.slice(0, limit), next: last.seq };
    next = found.next;
    if (next === undefined) return { entries };
  }
  return { entries, next };
}

async function entriesSeen(
  entries: readonly LedgerEntry[],
  { estate, seen }: { readonly estate: string; readonly seen: readonly Bounds[] },
  figures: EntriesDependencies['figures'],
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

/**
 * An event, as far as a caller may see it. A caller who does not see all of the estate gets no names of other targets, and no
 * actor and reason of a reconcile. Returns the same event where nothing is left out.
 */
export function visibleEvent(event: StoredEvent, seen: readonly Bounds[]): StoredEvent {
  const { estate, type, about } = event;
  if (seesAll(seen, estate)) return event;
  const { reason, ...rest } = about;
  const visible = type === 'pass' && reason !== undefined ? { ...event, about: rest } : event;
  if (visible.targets === undefined) return visible;
  const targets = visibleTargets(seen, { estate, targets: visible.targets });
  return targets.length === visible.targets.length ? visible : { ...visible, targets };
}
