import { sql } from 'kysely';
import type { Guards } from '../core/guards.ts';
import { type EstateCount, estateCount, type Place, stricterLimits } from '../core/ledger/estate-count.ts';
import { healingWindowMs } from '../core/ledger/healing-window.ts';
import type { Spent } from '../ports/inventory.ts';
import type { Authority } from '../ports/ledger.ts';
import type { ChainWrite } from './chain-write.ts';
import type { Database } from './tables.ts';

/** The estate's count as a pass of this authority meets it: the stricter limits of its generation and the one before. */
export async function estateCountFor({ trx, estate, at }: ChainWrite, authority: Authority): Promise<EstateCount> {
  const { generation, allowDeletes } = authority;
  const [inForce, before] = await trx
    .selectFrom('generations')
    .select(['number', 'guards'])
    .where('estate', '=', estate)
    .where('number', '<=', generation)
    .orderBy('number', 'desc')
    .limit(2)
    .execute();
  if (inForce?.number !== generation)
    throw new Error(`generation ${generation} of estate ${estate} was never accepted`);
  const limits = stricterLimits(limitsOf(inForce.guards), before && limitsOf(before.guards));
  const ran = await countedPlaces(trx, { estate, generation, now: at });
  const owned = await ownedBy(trx, estate, ran);
  return estateCount({ limits, owned, ...(allowDeletes === undefined ? {} : { allowed: allowDeletes }) }, ran);
}

const limitsOf = (guards: unknown): Guards['limits'] => (guards as Guards).limits; // why: only `accept` writes the column

interface When {
  readonly estate: string;
  readonly generation: number;
  readonly now: number;
}

export async function spentBy(db: Database, when: When): Promise<Spent> {
  const ran = await countedPlaces(db, when);
  const tally = (by: Place['by']) => {
    const count = (as: Place['as']) =>
      new Set(ran.filter((place) => place.by === by && place.as === as).map(({ subject }) => subject)).size;
    return { deletes: count('delete'), replaces: count('replace') };
  };
  return { generation: tally('generation'), healing: tally('healing'), owned: await ownedBy(db, when.estate, ran) };
}

function countedPlaces(db: Database, { estate, generation, now }: When): Promise<readonly Place[]> {
  const places = db.selectFrom('places').where('estate', '=', estate);
  const columns = ['counts_as as as', 'counts_by as by', 'address', 'subject'] as const;
  return places
    .select([...columns, 'at'])
    .where('counts_by', '=', 'generation')
    .where('generation', '=', generation)
    .unionAll(
      places
        .select([...columns, 'at'])
        .where('counts_by', '=', 'healing')
        .where('at', '>', now - healingWindowMs),
    )
    .orderBy('at')
    .orderBy('address')
    .execute();
}

async function ownedBy(db: Database, estate: string, ran: readonly Place[]): Promise<number> {
  const addresses = ran.map(({ address }) => address);
  const { rows } = await sql<{ owned: number }>`
    SELECT count(*) AS owned FROM (
      SELECT address FROM setpoint.claims WHERE estate = ${estate}
      UNION SELECT unnest(${addresses}::text[])
    ) AS addresses`.execute(db);
  return rows[0]?.owned ?? 0;
}
