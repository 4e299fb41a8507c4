import type { Lag } from '../lag.ts';
import type { Verdict } from '../packet.ts';
import { seededRandom } from '../random.ts';
import { loadEstate } from './estate.ts';
import { mayReach, type PacketQuestion } from './reachability.ts';
import { DURATIONS, type Durations, makeRegion, QUOTAS, type Quotas, type Region } from './region.ts';

/** Everything that every account holds, and what can be asked of it from behind the stage. */
export interface World {
  /** One account's part of one region, as it truly is: nothing is shared between two of them. */
  region(account: string, name: string): Region;
  /** Adds an estate (its form: `estate.ts`) that every reader sees at once. */
  load(document: unknown): void;
  /** May a packet go from one end to the other? */
  packet(where: { readonly account: string; readonly region: string }, question: PacketQuestion): Verdict;
}

export interface WorldOptions {
  readonly seed: number;
  readonly lag: Lag;
  readonly durations: Partial<Durations> | undefined;
  readonly quotas: Partial<Quotas> | undefined;
}

export function makeWorld({ seed, lag, durations, quotas }: WorldOptions): World {
  const regions = new Map<string, Region>();
  const region = (account: string, name: string): Region => {
    const key = `${account}/${name}`;
    const known =
      regions.get(key) ??
      makeRegion({
        account,
        name,
        lag,
        random: seededRandom(seed, key),
        durations: { ...DURATIONS, ...durations },
        quotas: { ...QUOTAS, ...quotas },
      });
    regions.set(key, known);
    known.timeline.catchUp(lag.now());
    return known;
  };
  return {
    region,
    load: (document) => lag.without(() => loadEstate(document, region, lag.now())),
    packet: (where, question) => mayReach(region(where.account, where.region), question),
  };
}
