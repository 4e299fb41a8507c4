import { z } from 'zod';
import { type Bounds, reaches } from '../../../core/access/grant.ts';
import { leftCode } from '../../../core/inventory/row.ts';
import type { KeptRow, RowLook, RowQuery } from '../../../ports/inventory-rows.ts';
import type { ScopeLook } from '../../../ports/queries.ts';
import { kindSchema } from './action.ts';
import { examples, story } from './examples.ts';
import { timestamp } from './timestamp.ts';

const gapSchema = z
  .object({ kind: kindSchema, code: z.string(), reason: z.string() })
  .meta({ id: 'Gap', description: 'A failed or incomplete listing of a kind' });

/** The observation that an answer about clouds rests on. */
export const observationSchema = z
  .object({
    at: timestamp.optional().meta({ description: 'The start of the observation; absent: none yet' }),
    ageSeconds: z.int().optional(),
    complete: z.boolean(),
    gaps: z.array(gapSchema),
  })
  .meta({ id: 'Observation', description: 'The observation behind the answer; of several the oldest' })
  .register(examples, { example: { at: story.lookedAt, ageSeconds: 40, complete: true, gaps: [] } });

type Observed = Pick<ScopeLook, 'at' | 'gaps'>;

export const observationAnswer = ({ at, gaps }: Observed, now: number) => ({
  at,
  ageSeconds: at === undefined ? undefined : Math.max(0, Math.round((now - at) / 1000)),
  complete: at !== undefined && gaps.length === 0,
  gaps,
});

/** The oldest of all observations, and the gaps of any of them. */
export function oldestObservation(looks: readonly Observed[], now: number) {
  const gaps = looks.flatMap((look) => look.gaps);
  if (looks.length === 0 || looks.some(({ at }) => at === undefined)) return observationAnswer({ gaps }, now);
  return observationAnswer({ at: Math.min(...looks.flatMap(({ at }) => at ?? [])), gaps }, now);
}

/** The observations that a page of the inventory rests on. */
export const inventoryObservationSchema = z
  .object({
    at: timestamp.optional().meta({ description: 'The start of the oldest observation; absent: none yet' }),
    ageSeconds: z.int().optional(),
    complete: z.boolean(),
    gaps: z.array(z.object({ scope: z.string(), kind: kindSchema })).meta({ description: 'Failed listings' }),
  })
  .meta({ id: 'InventoryObservation' })
  .register(examples, { example: { at: story.lookedAt, ageSeconds: 40, complete: true, gaps: [] } });

interface ObservationQuery {
  readonly looks: readonly RowLook[];
  readonly query: RowQuery;
  readonly now: number;
}

/**
 * The newest observations of the scopes in the query, so that an answer without a resource has them too. A caller who sees a
 * part of an estate, or asks for a past time, gets those of the visible resources. Resources that no target reaches any more
 * count for neither: their age is in the resource, and Setpoint will not observe them again.
 */
export function inventoryObservation(rows: readonly KeptRow[], { looks, query, now }: ObservationQuery) {
  const whole = query.asOf === undefined && query.seen.every(isWhole);
  const seen = whole
    ? looks.filter((look) => isAbout(look, query)).map((look) => observedScope(look, query))
    : rows.filter(({ state }) => state.code !== leftCode).map(observedRow);
  const gaps = new Map(seen.flatMap((one) => one.gaps).map((gap) => [`${gap.scope} ${gap.kind}`, gap]));
  if (seen.length === 0) return { complete: false, gaps: [] };
  const at = Math.min(...seen.map((one) => one.at));
  const ageSeconds = Math.max(0, Math.round((now - at) / 1000));
  return { at, ageSeconds, complete: gaps.size === 0, gaps: [...gaps.values()] };
}

const isWhole = ({ targets, owners }: Bounds): boolean => targets === undefined && owners === undefined;

function isAbout({ estate, scope }: RowLook, { seen, filter }: RowQuery): boolean {
  const [cloud = '', account = ''] = scope.split('/');
  return (
    seen.some((bounds) => reaches(bounds, estate)) &&
    (filter.estates?.includes(estate) ?? true) &&
    (filter.clouds?.some((one) => one === cloud) ?? true) &&
    (filter.accounts?.includes(account) ?? true)
  );
}

const observedScope = ({ at, scope, gaps }: RowLook, { filter: { kinds } }: RowQuery) => ({
  at,
  gaps: gaps.filter((kind) => kinds?.includes(kind) ?? true).map((kind) => ({ scope, kind })),
});

const observedRow = ({ place: { scope, kind }, observed }: KeptRow) => ({
  at: observed.at,
  gaps: observed.complete ? [] : [{ scope, kind }],
});
