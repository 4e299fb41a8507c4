import { sql } from 'kysely';
import type { Bounds } from '../core/access/grant.ts';
import type { Gap } from '../core/observed.ts';
import type { Address } from '../core/resource.ts';
import type { Figures, ScopeFigures, StatusCount } from '../ports/figures.ts';
import type { Context } from './context.ts';
import { inTime } from './health.ts';
import { objectives } from './objectives.ts';
import { storableText, withinBounds } from './statements.ts';
import type { Database } from './tables.ts';

export const postgresFigures = ({ reading }: Pick<Context, 'reading'>): Figures => ({
  scopes: (estate, seen) => inTime(scopes(reading, estate, seen)),
  objectives: (query) => inTime(objectives(reading, query)),
  seen: (estate, addresses, seen) => inTime(seenOf(reading, { estate, addresses, seen })),
});

async function scopes(db: Database, estate: string, seen: readonly Bounds[]): Promise<readonly ScopeFigures[]> {
  const [looks, counts] = await Promise.all([
    sql<{ scope: string; at: number; gaps: readonly Gap[] | null }>`
      SELECT scope, at, body -> 'gaps' AS gaps FROM setpoint.looks WHERE estate = ${estate}`.execute(db),
    sql<StatusCount & { scope: string }>`
      SELECT scope, target, status, count(*) AS count
      FROM setpoint.versions, unnest(targets) AS target
      WHERE current AND estate = ${estate} AND ${withinBounds(seen)}
      GROUP BY scope, target, status ORDER BY scope, target, status`.execute(db),
  ]);
  const byScope = Map.groupBy(counts.rows, ({ scope }) => scope);
  return looks.rows
    .toSorted((a, b) => (a.scope < b.scope ? -1 : 1))
    .map(({ scope, at, gaps }) => ({
      scope,
      at,
      gaps: gaps ?? [],
      counts: (byScope.get(scope) ?? []).map(({ target, status, count }) => ({ target, status, count })),
    }));
}

interface Asked {
  readonly estate: string;
  readonly addresses: readonly Address[];
  readonly seen: readonly Bounds[];
}

/** A former owner sees nothing of later changes by others. A new owner sees nothing of earlier ones. */
async function seenOf(db: Database, { estate, addresses, seen }: Asked): Promise<ReadonlyMap<Address, number>> {
  if (addresses.length === 0) return new Map();
  const { rows } = await sql<{ address: string; since: number }>`
    SELECT address, since::float8 FROM (
      SELECT DISTINCT ON (address) address, within,
        max(CASE WHEN within THEN 0 ELSE coalesce(ended, ${Number.MAX_SAFE_INTEGER}) END) OVER (PARTITION BY address) AS since
      FROM (
        SELECT address, began, number, ended, coalesce(${withinBounds(seen)}, false) AS within FROM setpoint.versions
        WHERE estate = ${estate} AND address = ANY(${addresses.map(storableText)}::text[])
      ) AS known
      ORDER BY address, began DESC, number DESC
    ) AS newest WHERE within`.execute(db);
  return new Map(rows.map(({ address, since }) => [address, since]));
}
