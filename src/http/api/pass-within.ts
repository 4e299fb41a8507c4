import { type Bounds, seesAll, seesTargets, visibleTargets } from '../../core/access/grant.ts';
import type { Address } from '../../core/resource.ts';
import type { Figures } from '../../ports/figures.ts';
import type { KeptPass, PassEntry, ToldPass } from '../../ports/passes.ts';

/**
 * A pass as it is told to who sees something of one of its targets.
 *
 *   they see                        | and are told
 *   --------------------------------+------------------------------------------------------------------
 *   all of the estate               | all of it
 *   all of each target of the pass  | all of it but who asked for it and why: that may be about others
 *   less                            | times, counts and calls, the targets that they see, and steps at addresses that they see
 */
export function passWithin(pass: KeptPass, seen: readonly Bounds[]): KeptPass {
  if (seesAll(seen, pass.estate)) return pass;
  const { reason: _, ending, ...rest } = pass;
  const ground = { ...pass.ground, targets: visibleTargets(seen, targetsOf(pass)) };
  if (ending === undefined) return { ...rest, ground };
  const { why, ...ended } = ending;
  const isWhole = why !== undefined && seesTargets(seen, targetsOf(pass));
  return { ...rest, ground, ending: { ...ended, ...(isWhole ? { why } : {}) } };
}

/** The timeline of such a pass, with the details of waits left out where they may name what is not seen. */
export async function timelineWithin(
  { timeline, ...pass }: ToldPass,
  seen: readonly Bounds[],
  figures: Pick<Figures, 'seen'>,
): Promise<Told | undefined> {
  if (timeline === undefined || seesTargets(seen, targetsOf(pass))) return timeline;
  const named = [...new Set(timeline.timeline.flatMap(addressesOf))];
  const since = await figures.seen(pass.estate, named, seen);
  const end = pass.ending?.ended ?? pass.began;
  const known = new Set(named.filter((address) => (since.get(address) ?? Number.POSITIVE_INFINITY) <= end));
  return { ...timeline, timeline: timeline.timeline.flatMap((entry) => entryWithin(entry, known)) };
}

type Told = Omit<NonNullable<ToldPass['timeline']>, 'timeline'> & { readonly timeline: readonly ToldEntry[] };
type Wait = Extract<PassEntry, { readonly what: 'wait' }>;
type ToldEntry = Exclude<PassEntry, Wait> | (Omit<Wait, 'detail'> & { readonly detail?: string });

const targetsOf = ({ estate, ground: { targets } }: Pick<KeptPass, 'estate' | 'ground'>) => ({ estate, targets });

function addressesOf(entry: PassEntry): readonly Address[] {
  if (entry.what === 'sent') return entry.addresses;
  if (entry.what !== 'settled' && entry.what !== 'withheld') return [];
  return entry.address === undefined ? [] : [entry.address];
}

function entryWithin(entry: PassEntry, known: ReadonlySet<Address>): readonly ToldEntry[] {
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
