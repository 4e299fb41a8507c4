import type { Observed, SubnetFilters } from '../../src/core/observed.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { each } from './each.ts';
import { listWithRetries } from './listed-settings.ts';

type Subnet = Observed<'subnet'>;

/** The listings of one sort of outer filters: one for all subnets of a place. */
interface FilterListings<T> {
  /** In the plural, for people: `firewall policies`. */
  readonly sort: string;
  readonly placeOf: (subnet: Subnet) => string;
  /** Throws `ListingFailed`. `subnet`: any of the place. */
  readonly list: (subnet: Subnet) => Promise<readonly T[]>;
  /** The filters that decide, for people. */
  readonly namesOf: (listed: readonly T[]) => readonly string[];
}

/** Places side by side. A listing that fails is repeated; then its subnets are told as unlisted, never as without filters. */
export async function filtersBy<T>(
  subnets: readonly Subnet[],
  { sort, placeOf, list, namesOf }: FilterListings<T>,
  { clock, call }: { readonly clock: Clock; readonly call: Call },
): Promise<readonly SubnetFilters[]> {
  const places = [...Map.groupBy(subnets, placeOf)];
  const found = await each(places, async ([, [first]]) => ({
    ok: true,
    value: first === undefined ? [] : await listWithRetries(() => list(first), clock, call),
  }));
  call.signal.throwIfAborted();
  const filtersOf = (listed: readonly T[] | ListingFailed | undefined): Omit<SubnetFilters, 'subnet'> => {
    if (listed === undefined) return { filters: [], unlisted: [`${sort} were not listed`] };
    if (listed instanceof ListingFailed)
      return { filters: [], unlisted: [`${sort} were not listed: ${listed.code}: ${listed.message}`] };
    return { filters: namesOf(listed), unlisted: [] };
  };
  return places.flatMap(([, here], at) => {
    const answer = found[at];
    const its = filtersOf(answer?.ok ? answer.value : undefined);
    return here.map(({ id }) => ({ subnet: id, ...its }));
  });
}
