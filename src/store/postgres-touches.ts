import { sql } from 'kysely';
import { claimsToBeOurs, type Touch, touchedLast } from '../core/touch.ts';
import type { Touches } from '../ports/touches.ts';
import type { Context } from './context.ts';
import { firstDeliveries } from './first-deliveries.ts';
import { newestTouches } from './newest-touches.ts';
import { ownCalls } from './own-calls.ts';
import { pruneOld } from './retention.ts';
import { inChunks } from './statements.ts';
import type { Database } from './tables.ts';

export function postgresTouches({ db, clock }: Context): Touches {
  const first = firstDeliveries(db, clock);
  const pruneDeliveries = pruneOld(db, clock, 'deliveries');
  const pruneTouches = pruneOld(db, clock, 'touches');
  return {
    first: async (estate, delivery) => {
      const isFirst = await first({ estate, ...delivery });
      await pruneDeliveries();
      return isFirst;
    },
    keep: async (estate, touches) => {
      const kept = await keep(db, estate, { touches, heardAt: clock.now() });
      await pruneTouches();
      return kept;
    },
    newest: (where) => newestTouches(db, where),
  };
}

interface Hearing {
  readonly touches: readonly Touch[];
  readonly heardAt: number;
}

async function keep(db: Database, estate: string, { touches, heardAt }: Hearing): Promise<readonly Touch[]> {
  const requests = touches.flatMap(({ requestId }) => requestId ?? []);
  const ours = await ownCalls(db, estate, requests);
  const kept = touches.filter(({ requestId }) => requestId === undefined || !ours.has(requestId));
  await save(db, estate, { touches: kept, heardAt });
  return kept;
}

async function save(db: Database, estate: string, { touches, heardAt }: Hearing): Promise<void> {
  const named = touchedLast(touches.filter(({ actor }) => !claimsToBeOurs(actor)));
  const rows = named.map(({ scope, object, by: { event, at, ...actor }, requestId }) => ({
    ...{ estate, scope, object, event, at, heard_at: heardAt },
    request: requestId ?? null,
    actor: JSON.stringify(actor),
  }));
  const isLater = sql<boolean>`(excluded.at, excluded.event) > (touches.at, touches.event)`;
  await inChunks(rows, (chunk) =>
    db
      .insertInto('touches')
      .values(chunk)
      .onConflict((conflict) =>
        conflict
          .columns(['estate', 'scope', 'object'])
          .doUpdateSet(({ ref }) => ({
            event: ref('excluded.event'),
            at: ref('excluded.at'),
            heard_at: ref('excluded.heard_at'),
            request: ref('excluded.request'),
            actor: ref('excluded.actor'),
          }))
          .where(isLater),
      )
      .execute(),
  );
}
