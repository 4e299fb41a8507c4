import { z } from 'zod';
import { boundsFor, visibleTargets } from '../../../core/access/grant.ts';
import type { Figures, HistoryPart, Objective } from '../../../ports/figures.ts';
import { badInput, ProblemError } from '../../problem.ts';
import { estateField, resolveEstate, whenField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { kindSchema } from '../schemas/action.ts';
import { exampleOf, examples, story } from '../schemas/examples.ts';
import { observationSchema, oldestObservation } from '../schemas/observation.ts';
import { timestamp } from '../schemas/timestamp.ts';

export interface SloDependencies {
  readonly figures: Pick<Figures, 'objectives' | 'scopes' | 'history'>;
  estates(): Promise<readonly string[]>;
}

const usualMs = 7 * 86_400_000;
const longestMs = 90 * 86_400_000;

const seconds = z.number();

const objectiveSchema = z
  .object({
    target: z.string(),
    kind: kindSchema,
    resources: z.int().meta({ description: 'The number of resources in the specs at some time in the window' }),
    inSync: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'The share of the known time in which the resources were InSync' }),
    drift: z.object({
      count: z.int().meta({ description: 'Times that a resource drifted' }),
      per100ResourcesADay: z.number(),
    }),
    convergence: z
      .object({
        closed: z.int().meta({ description: 'Deviations that ended in the window; the times cover these' }),
        p50Seconds: seconds.optional(),
        p95Seconds: seconds.optional(),
        maxSeconds: seconds.optional(),
        open: z.int().meta({ description: 'Deviations that continue' }),
        openSince: timestamp.optional().meta({ description: 'The start of the oldest open deviation' }),
      })
      .meta({
        description:
          'A deviation begins when a resource leaves InSync, or is new and not InSync. It ends when an observation finds it InSync again. Shorter ones between two observations do not count.',
      }),
  })
  .meta({ id: 'Objective' })
  .register(examples, {
    example: {
      target: story.target,
      kind: 'instance',
      resources: 4,
      inSync: 0.999405,
      drift: { count: 1, per100ResourcesADay: 3.571 },
      convergence: { closed: 1, p50Seconds: 95, p95Seconds: 95, maxSeconds: 95, open: 1, openSince: story.lookedAt },
    },
  });

const sloSchema = z
  .object({
    estate: z.string(),
    since: timestamp,
    until: timestamp,
    items: z.array(objectiveSchema),
    observed: observationSchema,
  })
  .meta({ id: 'Slo' })
  .register(examples, {
    example: {
      estate: story.estate,
      since: '2027-01-24T08:00:40.000Z',
      until: story.askedAt,
      items: [exampleOf(objectiveSchema)],
      observed: exampleOf(observationSchema),
    },
  });

const partSchema = z
  .object({
    since: timestamp,
    until: timestamp,
    resources: z.int().meta({ description: 'The number of resources at the end of the part' }),
    outOfSync: z.int().meta({ description: 'Those of them that were not InSync at its end' }),
    inSync: z.number().min(0).max(1).optional().meta({
      description: 'The share of the known time in which resources were InSync. Absent: no resource was known',
    }),
    drifted: z.int().meta({ description: 'Times that a resource drifted' }),
    closed: z.int().meta({ description: 'Deviations that ended in the part' }),
    p95Seconds: seconds.optional().meta({ description: 'Of the lengths of these. Absent: none ended' }),
  })
  .meta({ id: 'SloPart' })
  .register(examples, {
    example: {
      since: '2027-01-30T20:00:40.000Z',
      until: story.askedAt,
      ...{ resources: 4, outOfSync: 1, inSync: 0.999405, drifted: 1, closed: 1, p95Seconds: 95 },
    },
  });

const historySchema = z
  .object({ estate: z.string(), parts: z.array(partSchema), observed: observationSchema })
  .meta({ id: 'SloHistory' })
  .register(examples, {
    example: { estate: story.estate, parts: [exampleOf(partSchema)], observed: exampleOf(observationSchema) },
  });

const usualParts = 28;
const mostParts = 200;
const numberOfParts = `a number from 1 to ${mostParts}`;
const partsField = z
  .string()
  .regex(/^\d{1,3}$/, numberOfParts)
  .transform(Number)
  .pipe(z.int().min(1, numberOfParts).max(mostParts, numberOfParts))
  .default(usualParts)
  .meta({ description: `The number of parts, from 1 to ${mostParts}` });

export const sloRoutes = ({ figures, estates }: SloDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/slo',
    operation: {
      id: 'readSlo',
      tag: 'Targets',
      summary: 'Measure convergence time and drift by target and kind',
      description:
        'Counts resources of documents, without unmanaged resources and orphans. A resource of several targets counts for each. Times are as precise as the observation interval.',
      responses: { 200: { description: 'The figures of the window', schema: sloSchema } },
    },
    permission: 'read',
    request: {
      query: z.strictObject({
        estate: estateField,
        since: whenField('The start of the window; default 7d, at most 90d'),
      }),
    },
    handle: async ({ query: asked, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked: asked.estate, in: 'query', permission: 'read' }, caller, estates);
      const since = beginOf(asked, now);
      const seen = boundsFor(caller.grants, 'read');
      const [objectives, scopes] = await Promise.all([
        figures.objectives({ estate, seen, since, now }),
        figures.scopes(estate, seen),
      ]);
      const named = objectives.map(({ target }) => target);
      const targets = new Set(visibleTargets(seen, { estate, targets: named }));
      const items = objectives.filter(({ target }) => targets.has(target));
      const looks = scopes.filter(({ counts }) => counts.some(({ target }) => targets.has(target)));
      const body = {
        estate,
        since,
        until: now,
        items: items.map(objectiveAnswer),
        observed: oldestObservation(looks, now),
      };
      return { status: 200, body };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/slo/history',
    operation: {
      id: 'listSloHistory',
      tag: 'Targets',
      summary: 'Measure convergence time and drift over time',
      description:
        'The window in parts of equal length, the oldest first, over all resources of documents that you see. A resource of several targets counts once.',
      responses: { 200: { description: 'The parts of the window', schema: historySchema } },
    },
    permission: 'read',
    request: {
      query: z.strictObject({
        estate: estateField,
        since: whenField('The start of the window; default 7d, at most 90d'),
        parts: partsField,
      }),
    },
    handle: async ({ query: asked, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked: asked.estate, in: 'query', permission: 'read' }, caller, estates);
      const since = beginOf(asked, now);
      const seen = boundsFor(caller.grants, 'read');
      const [parts, scopes] = await Promise.all([
        figures.history({ estate, seen, since, now, parts: asked.parts }),
        figures.scopes(estate, seen),
      ]);
      const looks = scopes.filter(({ counts }) => counts.length > 0);
      const body = { estate, parts: parts.map(partAnswer), observed: oldestObservation(looks, now) };
      return { status: 200, body };
    },
  }),
];

function beginOf({ since: given }: { readonly since?: ((now: number) => number) | undefined }, now: number): number {
  const since = given?.(now) ?? now - usualMs;
  if (since >= now || now - since > longestMs) throw new ProblemError(badInput([window]));
  return since;
}

const partAnswer = ({ time, p95Ms, ...part }: HistoryPart) => ({
  ...part,
  ...(time.ms === 0 ? {} : { inSync: rounded(time.inSyncMs / time.ms, 6) }),
  ...(p95Ms === undefined ? {} : { p95Seconds: p95Ms / 1000 }),
});

const window = { in: 'query', at: 'since', expected: 'a time of the last 90 days' } as const;

function objectiveAnswer({ target, kind, resources, time, spells }: Objective) {
  const { drifted, closed, times, open, openSince } = spells;
  const days = time.ms / 86_400_000;
  return {
    ...{ target, kind, resources },
    inSync: time.ms === 0 ? 1 : rounded(time.inSyncMs / time.ms, 6),
    drift: { count: drifted, per100ResourcesADay: days === 0 ? 0 : rounded((100 * drifted) / days, 3) },
    convergence: {
      closed,
      ...(times && {
        p50Seconds: times.p50Ms / 1000,
        p95Seconds: times.p95Ms / 1000,
        maxSeconds: times.maxMs / 1000,
      }),
      open,
      openSince,
    },
  };
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
