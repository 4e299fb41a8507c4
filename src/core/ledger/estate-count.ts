import type { Limits } from '../guards.ts';
import type { Address } from '../resource.ts';
import { shareBound } from '../share.ts';

/**
 * One delete or replace that takes its place in the estate's count. `subject`: what counts once however often it is named:
 * a document for its rules, else the cloud id, else the address.
 */
export interface Place {
  readonly as: 'delete' | 'replace';
  readonly by: 'generation' | 'healing';
  readonly address: Address;
  readonly subject: string;
}

/** `allowed`: deletes and replaces together that a person let pass. `owned`: resources of the estate, those already deleted here included. */
export interface Bounds {
  readonly limits: Limits;
  readonly allowed?: number;
  readonly owned: number;
}

/**
 * What an estate has deleted and replaced: by one generation, and by healing in the last 24 h. Each of the two is held
 * against the limits by itself, as in the plan (see plan/estate.ts).
 */
export interface EstateCount {
  /** Takes a place. Where there is none left: why not, naming what already ran, and nothing is taken. */
  take(place: Place): string | undefined;
}

export function estateCount(bounds: Bounds, ran: readonly Place[]): EstateCount {
  const pools = {
    generation: pool(
      bounds,
      ran.filter(({ by }) => by === 'generation'),
    ),
    healing: pool(
      bounds,
      ran.filter(({ by }) => by === 'healing'),
    ),
  };
  return { take: (place) => pools[place.by].take(place) };
}

function pool(bounds: Bounds, ran: readonly Place[]): EstateCount {
  const taken = new Map(ran.map((place) => [keyOf(place), place]));
  const count = (as: Place['as']): number => [...taken.values()].filter((place) => place.as === as).length;
  const counts = { delete: count('delete'), replace: count('replace') };

  const take = (place: Place): string | undefined => {
    if (taken.has(keyOf(place))) return undefined;
    const over = excess(bounds, { ...counts, [place.as]: counts[place.as] + 1 }, place.as);
    if (over !== undefined)
      return `${over}${whose[place.by]}; already done or under way: ${list([...taken.values()])}. --allow-deletes ${taken.size + 1} would let this one pass.`;
    taken.set(keyOf(place), place);
    counts[place.as] += 1;
    return undefined;
  };
  return { take };
}

const whose = { generation: '', healing: ' for healing in 24 h' };

/** The stricter of two: no commit lifts its own guard. */
export function stricterLimits(a: Limits, b: Limits | undefined): Limits {
  if (b === undefined) return a;
  const share = Math.min(a.share ?? Number.POSITIVE_INFINITY, b.share ?? Number.POSITIVE_INFINITY);
  return {
    deletes: Math.min(a.deletes, b.deletes),
    replaces: Math.min(a.replaces, b.replaces),
    ...(Number.isFinite(share) ? { share } : {}),
  };
}

function excess(bounds: Bounds, counts: { readonly delete: number; readonly replace: number }, as: Place['as']) {
  const { limits, allowed = 0, owned } = bounds;
  const total = counts.delete + counts.replace;
  if (total <= allowed) return undefined;
  const most = as === 'delete' ? limits.deletes : limits.replaces;
  if (counts[as] > most) return `over the limit of ${most} ${as}s`;
  const shared = shareBound(limits, owned);
  if (shared === undefined || total <= shared) return undefined;
  return `over the limit of ${percent(limits.share ?? 1)} of ${owned} resources`;
}

const percent = (share: number): string => `${Number((share * 100).toFixed(2))}%`;

const keyOf = ({ as, subject }: Place): string => `${as} ${subject}`;

function list(places: readonly Place[]): string {
  if (places.length === 0) return 'none';
  const named = places.slice(0, 5).map(({ as, address }) => `${as} ${address}`);
  return places.length > 5 ? `${named.join(', ')} and ${places.length - 5} more` : named.join(', ');
}
