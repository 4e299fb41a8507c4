import { type RawBuilder, sql } from 'kysely';
import type { Bounds } from '../core/access/grant.ts';
import type { Gap } from '../core/observed.ts';
import type { Address } from '../core/resource.ts';
import type {
  Figures,
  HistoryPart,
  HistoryQuery,
  Objective,
  ObjectivesQuery,
  ScopeFigures,
  Spells,
  StatusCount,
} from '../ports/figures.ts';
import type { Context } from './context.ts';
import { inTime } from './health.ts';
import { storableText } from './statements.ts';
import type { Database } from './tables.ts';
import { withinBounds } from './visibility.ts';

export const postgresFigures = ({ reading }: Pick<Context, 'reading'>): Figures => ({
  scopes: (estate, seen) => inTime(scopes(reading, estate, seen)),
  objectives: (query) => inTime(objectives(reading, query)),
  history: (query) => inTime(history(reading, query)),
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

interface Row extends Pick<Objective, 'target' | 'kind' | 'resources'> {
  readonly ms: number;
  readonly in_sync: number;
  readonly spells: Pick<Spells, 'drifted' | 'closed' | 'open'>;
  readonly times: readonly [number, number, number] | null;
  readonly open_since: number | null;
}

/** One statement. Spells are looked for only where something was not in sync, and there from their beginning on. */
async function objectives(db: Database, query: ObjectivesQuery): Promise<readonly Objective[]> {
  const { since, now } = query;
  const wanted = wantedIn(query);
  const { rows } = await sql<Row>`
    WITH chosen AS (
      SELECT scope, key, kind, targets, status,
        least(coalesce(ended, ${now}), ${now}) - greatest(began, ${since}) AS ms
      FROM setpoint.versions
      WHERE ${wanted} AND began <= ${now} AND (ended IS NULL OR ended > ${since})
    ),
    shares AS (
      SELECT target, kind, count(DISTINCT (scope, key)) AS resources, sum(ms)::bigint AS ms,
        coalesce(sum(ms) FILTER (WHERE status = 'InSync'), 0)::bigint AS in_sync
      FROM chosen, unnest(targets) AS target GROUP BY target, kind
    ),
    ${spellsIn(wanted, now)},
    sums AS (
      SELECT target, kind,
        count(*) FILTER (WHERE is_drift AND spells.began >= ${since}) AS drifted,
        count(*) FILTER (WHERE closed AND spells.ended > ${since}) AS closed,
        percentile_disc(ARRAY[0.5, 0.95, 1]) WITHIN GROUP (ORDER BY spells.ended - spells.began)
          FILTER (WHERE closed AND spells.ended > ${since}) AS times,
        count(*) FILTER (WHERE open) AS open, min(spells.began) FILTER (WHERE open) AS open_since
      FROM spells
      JOIN beginnings ON number = first, unnest(targets) AS target
      GROUP BY target, kind
    )
    SELECT shares.*, to_json(times) AS times, open_since,
      json_build_object('drifted', coalesce(drifted, 0), 'closed', coalesce(closed, 0), 'open', coalesce(open, 0)) AS spells
    FROM shares LEFT JOIN sums USING (target, kind) ORDER BY target COLLATE "C", kind COLLATE "C"`.execute(db);
  return rows.map(objectiveOf);
}

const wantedIn = ({ estate, seen }: Pick<ObjectivesQuery, 'estate' | 'seen'>): RawBuilder<unknown> =>
  sql`estate = ${storableText(estate)} AND status <> ALL('{Unmanaged,Orphan}') AND ${withinBounds(seen)}`;

/** The common tables `spells`, and `beginnings` of them: of the lines of a table `chosen` that were not in sync at some time. */
const spellsIn = (wanted: RawBuilder<unknown>, now: number): RawBuilder<unknown> => sql`
    story AS (
      SELECT scope, key, kind, targets, status, cause, began, ended, number,
        lag(status) OVER line AS before, lead(status) OVER line AS after
      FROM setpoint.versions
      WHERE ${wanted} AND began <= ${now}
        AND (scope, key) IN (SELECT scope, key FROM chosen WHERE status <> 'InSync')
      WINDOW line AS (PARTITION BY scope, key ORDER BY began, number)
    ),
    marked AS (
      SELECT *, count(*) FILTER (WHERE before IS NULL OR before = 'InSync') OVER (
        PARTITION BY scope, key ORDER BY began, number) AS spell
      FROM story WHERE status <> 'InSync'
    ),
    spells AS (
      SELECT min(number) AS first, min(began) AS began, max(ended) AS ended,
        bool_or(ended IS NULL) AS open, bool_or(after IS NOT DISTINCT FROM 'InSync') AS closed
      FROM marked GROUP BY scope, key, spell
    ),
    beginnings AS (
      SELECT number, kind, targets, cause = 'drift' OR status IN ('Drifted', 'Missing') AS is_drift FROM marked
    )`;

interface PartRow {
  readonly part: number;
  readonly lines: number;
  readonly ms: number;
  readonly ok: number;
  readonly ok_ms: number;
  readonly drifted: number;
  readonly closed: number;
  readonly p95: number | null;
}

/**
 * One statement over the beginnings and ends of lines: each adds to the sums of its part what is left of that, and to all later parts their whole
 * length. So a line that stands for long costs two rows, however many parts there are.
 */
async function history(db: Database, query: HistoryQuery): Promise<readonly HistoryPart[]> {
  const { since, now, parts } = query;
  const wanted = wantedIn(query);
  const length = (now - since) / parts;
  const partOf = (at: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`least(${parts - 1}::integer, floor((${at} - ${since})::float8 / ${length}::float8)::integer)`;
  const { rows } = await sql<PartRow>`
    WITH chosen AS (
      SELECT scope, key, status, began, ended FROM setpoint.versions
      WHERE ${wanted} AND began <= ${now} AND (ended IS NULL OR ended > ${since})
    ),
    ends AS (
      SELECT greatest(began, ${since}) AS at, 1 AS sign, status = 'InSync' AS ok FROM chosen
      UNION ALL SELECT ended, -1, status = 'InSync' FROM chosen WHERE ended <= ${now}
    ),
    lines AS (
      SELECT ${partOf(sql`at`)} AS part, sign, ok, at FROM ends
    ),
    sums AS (
      SELECT part, sum(sign) AS lines, coalesce(sum(sign) FILTER (WHERE ok), 0) AS ok,
        sum(sign * (${since} + (part + 1) * ${length}::float8 - at)) AS ms,
        coalesce(sum(sign * (${since} + (part + 1) * ${length}::float8 - at)) FILTER (WHERE ok), 0) AS ok_ms
      FROM lines GROUP BY part
    ),
    ${spellsIn(wanted, now)},
    begun AS (
      SELECT ${partOf(sql`began`)} AS part, count(*) AS drifted
      FROM spells JOIN beginnings ON number = first WHERE is_drift AND began >= ${since} GROUP BY 1
    ),
    over AS (
      SELECT ${partOf(sql`ended`)} AS part, count(*) AS closed,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY ended - began) AS p95
      FROM spells WHERE closed AND ended > ${since} AND ended <= ${now} GROUP BY 1
    )
    SELECT part, coalesce(lines, 0)::float8 AS lines, coalesce(ms, 0)::float8 AS ms, coalesce(ok, 0)::float8 AS ok,
      coalesce(ok_ms, 0)::float8 AS ok_ms, coalesce(drifted, 0)::float8 AS drifted, coalesce(closed, 0)::float8 AS closed, p95::float8
    FROM generate_series(0, ${parts - 1}::integer) AS part
    LEFT JOIN sums USING (part) LEFT JOIN begun USING (part) LEFT JOIN over USING (part) ORDER BY part`.execute(db);
  let [lines, ok] = [0, 0];
  return rows.map((row): HistoryPart => {
    const time = { ms: Math.round(lines * length + row.ms), inSyncMs: Math.round(ok * length + row.ok_ms) };
    [lines, ok] = [lines + row.lines, ok + row.ok];
    return {
      since: Math.round(since + row.part * length),
      until: Math.round(since + (row.part + 1) * length),
      ...{ resources: lines, outOfSync: lines - ok, time, drifted: row.drifted, closed: row.closed },
      ...(row.p95 === null ? {} : { p95Ms: row.p95 }),
    };
  });
}

const objectiveOf = ({ target, kind, resources, ms, in_sync, spells, times, open_since }: Row): Objective => ({
  target,
  kind,
  resources,
  time: { ms, inSyncMs: in_sync },
  spells: {
    ...spells,
    ...(times === null ? {} : { times: { p50Ms: times[0], p95Ms: times[1], maxMs: times[2] } }),
    ...(open_since === null ? {} : { openSince: open_since }),
  },
});
