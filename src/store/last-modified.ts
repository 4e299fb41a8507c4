import { sql } from 'kysely';
import { type Actor, claimsToBeOurs, type HeardTouch, type Touch, touchedLast } from '../core/last-modified.ts';
import type { CloudId } from '../core/resource.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { Settlement } from '../ports/ledger.ts';
import type { Where } from '../ports/queue.ts';
import type { Touches } from '../ports/store.ts';
import type { Context } from './context.ts';
import type { ChainWrite } from './ledger-chain.ts';
import { pruneOld } from './retention.ts';
import { sha256 } from './signing.ts';
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

/** The identity of a delivery. Its id may be of any length and any characters: it is hashed. */
interface Delivered {
  readonly estate: string;
  readonly hook: string;
  readonly id: string;
}

interface Waiting {
  readonly delivered: Delivered;
  readonly notify: (isFirst: boolean) => void;
  readonly fail: (error: unknown) => void;
}

const most = 1000;

/**
 * Says of a delivery whether it is the first with its id. Those that come while a statement runs share the next one, so that a
 * thousand in a second are some dozens of commits. Of equals one is the first, in this process and among others.
 */
function firstDeliveries(db: Database, clock: Clock): (delivered: Delivered) => Promise<boolean> {
  const waiting: Waiting[] = [];
  let running = false;
  const drain = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      try {
        const taken = await insert(db, clock, batch);
        for (const { delivered, notify } of batch) notify(taken.delete(keyOf(delivered)));
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    running = false;
  };
  return ({ estate, hook, id }) =>
    new Promise((notify, fail) => {
      waiting.push({ delivered: { estate, hook, id: sha256(id) }, notify, fail });
      if (!running) void drain();
    });
}

/** The keys of those that are new. In order, so that two workers with the same deliveries never wait for each other. */
async function insert(db: Database, clock: Clock, batch: readonly Waiting[]): Promise<Set<string>> {
  const each = new Map(batch.map(({ delivered }) => [keyOf(delivered), delivered]));
  const rows = [...each].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => ({ ...row, at: clock.now() }));
  const taken = await db
    .insertInto('deliveries')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['estate', 'hook', 'id'])
    .execute();
  return new Set(taken.map(keyOf));
}

const keyOf = ({ estate, hook, id }: Delivered): string => `${estate}/${hook}/${id}`;

/** An event that came before its call was settled is known as our own only now. */
export async function newestTouches(db: Database, { estate, scope }: Where): Promise<ReadonlyMap<CloudId, HeardTouch>> {
  const rows = await db
    .selectFrom('touches')
    .select(['object', 'event', 'at', 'heard_at', 'actor', 'request'])
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
    rows.map(({ object, event, at, heard_at, actor, request }) => [
      object,
      {
        // why: only `keep` writes the column
        by: { ...(actor as Actor), event, at, ...(request === null ? {} : { requestId: request }) },
        heardAt: heard_at,
      },
    ]),
  );
}

/** The clouds' ids of the requests behind these settlements, each once. */
const requestIdsOf = (settlements: readonly Settlement[]): readonly string[] => [
  ...new Set(settlements.flatMap(({ calls }) => calls.flatMap(({ requestId }) => requestId ?? []))),
];

/** Keeps the ids that identify events of our own calls. Settlements of one call share its id. */
export async function keepOwnCalls({ trx, estate, at }: ChainWrite, settlements: readonly Settlement[]): Promise<void> {
  const requests = requestIdsOf(settlements);
  if (requests.length === 0) return;
  await sql`
    INSERT INTO setpoint.own_calls (estate, request, at)
    SELECT ${estate}, request, ${at} FROM unnest(${requests}::text[]) AS request
    ON CONFLICT DO NOTHING`.execute(trx);
}

/** Those of these requests that are our own. */
async function ownCalls(db: Database, estate: string, requests: readonly string[]): Promise<ReadonlySet<string>> {
  if (requests.length === 0) return new Set();
  const rows = await db
    .selectFrom('own_calls')
    .select('request')
    .where('estate', '=', estate)
    .where(sql<boolean>`request = ANY(${requests}::text[])`)
    .execute();
  return new Set(rows.map(({ request }) => request));
}
