import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { unlessAway } from './away.ts';
import { preparing } from './prepared.ts';

/**
 * The pool, whose connections answer within `answerMs` or are given up. A connection that says nothing may have lost its way without a
 * word, and with it all others that were silent since: these are not used again either. Those that cannot be made fail as `Declined`.
 */
export function answering(pool: pg.Pool, answerMs: number): PostgresPool {
  const watched = new WeakMap<pg.PoolClient, Watched>();
  const doubt = { since: Number.NEGATIVE_INFINITY };
  const connect = async (): Promise<PostgresPoolClient> => {
    for (;;) {
      const client = await pool.connect().catch(unlessAway);
      const known = watched.get(client);
      if (known === undefined) {
        const made = watch(client, { answerMs, doubt });
        watched.set(client, made);
        return made.client;
      }
      if (known.heardAt() > doubt.since) return known.client;
      client.release(true);
    }
  };
  return { connect, end: () => pool.end(), options: pool.options };
}

interface Watched {
  readonly client: PostgresPoolClient;
  /** When it answered last, by the monotonic clock. */
  heardAt(): number;
}

interface Watching {
  readonly answerMs: number;
  readonly doubt: { since: number };
}

function watch(client: pg.PoolClient, { answerMs, doubt }: Watching): Watched {
  const asking = preparing(client);
  let heardAt = performance.now();
  let isSilent = false;

  const asked = async (text: string, values: readonly unknown[]) => {
    if (isSilent) throw silence(answerMs);
    const { promise: late, reject } = Promise.withResolvers<never>();
    // why: where this process stood still, an answer may be there by now, and is read before `setImmediate`
    const timer = setTimeout(() => setImmediate(giveUp), answerMs);
    let isOver = false;
    const giveUp = (): void => {
      if (isOver) return;
      isSilent = true;
      doubt.since = performance.now();
      reject(silence(answerMs));
    };
    try {
      const answer = await Promise.race([asking.query<unknown>(text, values), late]);
      heardAt = performance.now();
      return answer;
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  };

  return {
    heardAt: () => heardAt,
    client: {
      query: asked as PostgresPoolClient['query'], // why: the store asks through no cursor, which is the other form of it
      // why: a released client that still has a query on its way has its socket destroyed
      release: (destroy) => asking.release(isSilent ? true : destroy),
    },
  };
}

/** As the system says it of a connection that it gave up itself. */
const silence = (answerMs: number): Error =>
  Object.assign(new Error(`Connection terminated: the database gave no answer for ${answerMs / 1000} s`), {
    code: 'ETIMEDOUT',
  });
