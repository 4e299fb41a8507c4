import type { Lag } from '../lag.ts';
import { seededRandom } from '../random.ts';
import { QUOTAS, type Quotas } from './quotas.ts';
import { DURATIONS, type Durations, makeRegion, type Region } from './region.ts';

export interface World {
  /** One account's part of one region: nothing is shared between two of them. */
  region(account: string, name: string): Region;
  readonly regions: ReadonlyMap<string, Region>;
}

export interface WorldOptions {
  readonly seed: number;
  readonly lag: Lag;
  readonly durations: Partial<Durations> | undefined;
  readonly quotas: Partial<Quotas> | undefined;
}

export function makeWorld({ seed, lag, durations, quotas }: WorldOptions): World {
  const regions = new Map<string, Region>();
  return {
    regions,
    region: (account, name) => {
      const key = `${account}/${name}`;
      const known = regions.get(key);
      if (known) return known;
      const made = makeRegion({
        account,
        name,
        lag,
        random: seededRandom(seed, key),
        durations: { ...DURATIONS, ...durations },
        quotas: { ...QUOTAS, ...quotas },
      });
      regions.set(key, made);
      return made;
    },
  };
}
