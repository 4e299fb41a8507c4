import { houseOn } from '../src/bootstrap/cli-dependencies.ts';
import type { House } from '../src/cli/house.ts';
import type { Store } from '../src/ports/store.ts';
import { connect } from '../src/store/connection.ts';
import { postgresLeases } from '../src/store/leases.ts';
import { openStore } from '../src/store/open-store.ts';
import { appRole } from '../src/store/roles.ts';
import { clockAt, ourClock, type Pace } from './pace.ts';

/** What every process of a trial is told. */
export interface Ground {
  readonly pace: Pace;
  readonly databaseUrl: string;
  /** How long its lease outlives it, in our time. */
  readonly leaseMs: number;
}

/** The command line's own house, at another pace: only its leases, which the database times too, keep our time. */
export function houseAt({ pace, databaseUrl, leaseMs }: Ground): House {
  const clock = clockAt(pace);
  return {
    ...houseOn(clock, databaseUrl),
    store: async (folder, _opening, say) => {
      // why: windows go by the database's clock, and must pass at this pace too
      const opening = { folder, databaseUrl, clock, databaseClock: clock, onProgress: say };
      const store = await openStore({ ...opening, create: true, leaseMs });
      return leasedInOurTime(store, databaseUrl, leaseMs);
    },
  };
}

function leasedInOurTime(store: Store, databaseUrl: string, leaseMs: number): Store {
  const db = connect({ config: { connectionString: databaseUrl }, role: appRole }, leaseMs);
  const leases = postgresLeases(db, ourClock, { ttlMs: leaseMs, onRelease: async () => {} });
  const close = async (): Promise<void> => {
    try {
      await leases.close();
      await db.destroy();
    } finally {
      await store.close();
    }
  };
  return { ...store, leases, close };
}
