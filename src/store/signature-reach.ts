import { sql } from 'kysely';
import type { SignatureReach } from '../ports/store.ts';
import type { Context } from './context.ts';
import { inTime } from './health.ts';

interface Row {
  readonly head: number;
  readonly entries: number;
  readonly first: number | null;
  readonly first_at: number | null;
  readonly signed: number;
  readonly checkpoint: number | null;
  readonly signed_at: number | null;
  readonly lost: number | null;
}

/**
 * Reads how far signatures reach, without verifying one. Unsigned entries are the newest of their chains. So the query reads the
 * ledger backwards, and stops at the oldest of them.
 */
export async function signatureReach({ db }: Pick<Context, 'db'>, estate: string): Promise<SignatureReach> {
  const { rows } = await inTime(
    sql<Row>`
      WITH behind AS (
        SELECT chains.chain, coalesce(heads.number, 0) AS signed, chains.number - coalesce(heads.number, 0) AS entries
        FROM setpoint.chains LEFT JOIN setpoint.signed_heads AS heads
          ON heads.estate = chains.estate AND heads.chain = chains.chain
        WHERE chains.estate = ${estate} AND chains.number > coalesce(heads.number, 0)
      ), total AS (
        SELECT coalesce(sum(entries), 0)::bigint AS entries FROM behind
      ), oldest AS (
        SELECT ledger.seq, ledger.at FROM setpoint.ledger JOIN behind ON behind.chain = ledger.chain
        WHERE ledger.estate = ${estate} AND ledger.number > behind.signed
        ORDER BY ledger.seq DESC OFFSET greatest((SELECT entries FROM total) - 1, 0) LIMIT 1
      ), newest AS (
        SELECT number, body FROM setpoint.checkpoints WHERE estate = ${estate} ORDER BY number DESC LIMIT 1
      )
      SELECT
        coalesce((SELECT max(seq) FROM setpoint.ledger WHERE estate = ${estate}), 0)::float8 AS head,
        (SELECT entries FROM total)::float8 AS entries,
        (SELECT seq FROM oldest)::float8 AS first,
        (SELECT at FROM oldest)::float8 AS first_at,
        coalesce((SELECT max(seq) FROM setpoint.ledger WHERE estate = ${estate}
          AND seq < coalesce((SELECT seq FROM oldest), 9223372036854775807)), 0)::float8 AS signed,
        (SELECT number FROM newest)::float8 AS checkpoint,
        (SELECT (body::json ->> 'at')::float8 FROM newest) AS signed_at,
        (SELECT signed FROM setpoint.lost_checkpoints WHERE estate = ${estate})::float8 AS lost`.execute(db),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a query for one row had none');
  const { head, entries, first, first_at: firstAt, signed, checkpoint, signed_at: signedAt, lost } = row;
  return {
    head,
    signedUpTo: signed,
    ...(checkpoint === null || signedAt === null ? {} : { checkpoint: { number: checkpoint, at: signedAt } }),
    ...(first === null || firstAt === null ? {} : { unsigned: { entries, seq: first, at: firstAt } }),
    ...(lost === null ? {} : { lostCheckpoint: lost }),
  };
}
