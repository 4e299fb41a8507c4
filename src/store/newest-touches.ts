import type { CloudId } from '../core/resource.ts';
import type { Actor, HeardTouch } from '../core/touch.ts';
import type { Where } from '../ports/queue.ts';
import type { Database } from './tables.ts';

/** An event that came before its call was settled is known as our own only now. */
export async function newestTouches(db: Database, { estate, scope }: Where): Promise<ReadonlyMap<CloudId, HeardTouch>> {
  const rows = await db
    .selectFrom('touches')
    .select(['object', 'event', 'at', 'heard_at', 'actor'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('own_calls')
            .select('request')
            .whereRef('own_calls.estate', '=', 'touches.estate')
            .whereRef('own_calls.request', '=', 'touches.request'),
        ),
      ),
    )
    .orderBy('object')
    .execute();
  return new Map(
    rows.map(({ object, event, at, heard_at, actor }) => [
      object,
      { by: { ...(actor as Actor), event, at }, heardAt: heard_at }, // why: only `keep` writes the column
    ]),
  );
}
