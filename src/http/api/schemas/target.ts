import { z } from 'zod';
import type { Bounds } from '../../../core/access/grant.ts';
import { type Status, statuses } from '../../../core/inventory/row.ts';
import { clouds } from '../../../core/resource.ts';
import type { TargetHeld, TargetReconciles, TargetReport } from '../../../ports/queries.ts';
import type { RateLimitLevel } from '../../../ports/telemetry.ts';
import { visibleReconcile } from '../visible-records.ts';
import { kindSchema } from './action.ts';
import { exampleOf, examples, story } from './examples.ts';
import { observationAnswer, observationSchema } from './observation.ts';
import { pauseModeSchema, stoppedRolloutAnswer, stoppedRolloutSchema } from './pause.ts';
import { reconcileAnswer, reconcileSchema } from './reconcile.ts';
import { criticalitySchema, modeSchema } from './resource.ts';
import { timestamp } from './timestamp.ts';

const rateLimitsSchema = z
  .object({
    known: z.boolean().meta({ description: 'True if the answering process runs reconciles' }),
    note: z.string().optional(),
    items: z.array(
      z.object({
        key: z.string(),
        remaining: z.number().meta({ description: '1: all of it; below 0: in debt' }),
        slowedUntil: timestamp.optional().meta({ description: 'The cloud throttled a request; absent: full speed' }),
      }),
    ),
  })
  .meta({
    id: 'RateLimits',
    description: 'The remaining rate limits that the answering process has used since its start',
  });

const replacementSchema = z
  .object({
    address: z.string(),
    predecessor: z.string().meta({ description: 'The id of the machine that is replaced' }),
    successor: z
      .string()
      .optional()
      .meta({ description: 'The id of the machine that takes its place; absent: it is being launched' }),
    since: timestamp,
    waitsFor: z.string().meta({ description: 'The next step' }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'The reason that stopped the last reconcile, such as a pause; absent: none did' }),
  })
  .meta({ id: 'HalfReplaced', description: 'A replacement by surge that has not ended' });

const heldChangesSchema = z
  .array(
    z.object({
      code: z.string().meta({ description: 'The code of the reason, as a finding or a failure of the cloud has it' }),
      failed: z.boolean().meta({ description: 'The cloud refused the last attempt' }),
      count: z.int(),
      resources: z
        .array(
          z.object({
            address: z.string().meta({ description: 'The address; of an object without one its id' }),
            reason: z.string(),
            next: z.string().meta({ description: 'The command that lets it pass, or that shows the way' }),
          }),
        )
        .meta({ description: 'The first three, most critical first' }),
    }),
  )
  .meta({ description: 'Resources on which the last reconcile did not act as the specs ask, by reason' });

const graceSchema = z.object({
  address: z.string(),
  kind: kindSchema,
  id: z.string(),
  since: timestamp,
  until: timestamp.meta({ description: 'Workers delete it after that' }),
});

const heldSchema = z
  .object({
    withheldChanges: heldChangesSchema,
    truncated: z
      .literal(true)
      .optional()
      .meta({ description: 'More than 1,000 changes are withheld, and these are of the first 1,000' }),
    inGrace: z
      .array(graceSchema)
      .meta({ description: 'Objects whose documents are gone, and that still run; the next to go first' }),
    pauses: z.array(
      z.object({
        mode: pauseModeSchema,
        subject: z.enum(['estate', 'target']),
        actor: z.string(),
        reason: z.string(),
        since: timestamp,
        until: timestamp,
      }),
    ),
    quarantine: z.object({ reason: z.string().optional(), since: timestamp, generation: z.int() }).optional().meta({
      description:
        "Its reconciles failed in Setpoint's own code. It is skipped until a newer generation, a person, or ten minutes. Only callers that see all targets of the scope get the reason",
    }),
    stoppedRollouts: z.array(stoppedRolloutSchema),
    halfReplaced: z.array(replacementSchema),
  })
  .meta({
    id: 'Held',
    description: 'Withheld changes; pauses, quarantine and rollouts that hold them back; and graces',
  });

export const targetSchema = z
  .object({
    name: z.string(),
    estate: z.string(),
    provider: z.enum(clouds),
    account: z.string(),
    region: z.string(),
    scope: z.string().meta({ description: 'The part of the cloud that one reconcile covers; targets can share it' }),
    mode: modeSchema,
    criticality: criticalitySchema.meta({ description: 'That of the most critical document there' }),
    everySeconds: z.int().meta({ description: 'The observation interval of its scope' }),
    counts: z
      .partialRecord(z.enum(statuses), z.int())
      .meta({ description: 'The number of resources by status, of those that you see' }),
    observed: observationSchema,
    lastReconcile: reconcileSchema.optional(),
    runningReconcile: z.object({ reconcileId: z.string(), startedAt: timestamp }).optional(),
    nextReconcileAt: timestamp
      .optional()
      .meta({ description: 'The latest time of the next reconcile; absent: not known' }),
    held: heldSchema.optional(),
    rateLimits: rateLimitsSchema.optional(),
  })
  .meta({
    id: 'Target',
    description: 'Only callers that see all owners of the target get reconciles, held and rateLimits',
  })
  .register(examples, {
    example: {
      name: story.target,
      estate: story.estate,
      provider: 'aws',
      account: '111122223333',
      region: 'eu-west-1',
      scope: story.scope,
      mode: 'plan',
      criticality: 'normal',
      everySeconds: 300,
      counts: { InSync: 15, Drifted: 1, Unmanaged: 3 },
      observed: exampleOf(observationSchema),
      lastReconcile: exampleOf(reconcileSchema),
      nextReconcileAt: story.nextAt,
      held: { withheldChanges: [], inGrace: [], pauses: [], stoppedRollouts: [], halfReplaced: [] },
      rateLimits: { known: true, items: [{ key: `${story.scope}/DescribeInstances`, remaining: 1 }] },
    },
  });

/** `rate limits`: undefined where this process has none. */
export interface TargetContext {
  readonly estate: string;
  readonly seen: readonly Bounds[];
  readonly now: number;
  readonly rateLimits: readonly RateLimitLevel[] | undefined;
}

export function targetAnswer(report: TargetReport, around: TargetContext) {
  const { name, place, mode, criticality, everyMs, look, reconciles, held } = report;
  const { cloud, ...where } = place;
  return {
    ...{ name, estate: around.estate, provider: cloud, ...where, mode, criticality },
    everySeconds: Math.round(everyMs / 1000),
    counts: Object.fromEntries(look.counts.map(({ status, count }): [Status, number] => [status, count])),
    observed: observationAnswer(look, around.now),
    ...(reconciles && reconcilesAnswer(reconciles, around.seen)),
    ...(held && { held: heldAnswer(held), rateLimits: rateLimitsAnswer(place.scope, around.rateLimits) }),
  };
}

const reconcilesAnswer = ({ last, running, nextAt }: TargetReconciles, seen: readonly Bounds[]) => ({
  lastReconcile: last && reconcileAnswer(visibleReconcile(last, seen)),
  runningReconcile: running && { reconcileId: running.id, startedAt: running.began },
  nextReconcileAt: nextAt,
});

const heldAnswer = ({ pauses, quarantine, rollouts, halfReplaced, inGrace, ...held }: TargetHeld) => ({
  withheldChanges: held.withheldChanges.map(({ code, failed, count, first }) => ({
    ...{ code, failed, count },
    resources: first.map(({ name, reason, next }) => ({ address: name, reason, next })),
  })),
  ...(held.truncated ? { truncated: true as const } : {}),
  inGrace: inGrace.map(({ address, kind, id, since, until }) => ({ address, kind, id, since, until })),
  pauses: pauses.map(({ what, of, person, reason, at, until }) => {
    return { mode: what, subject: of.by, actor: person, reason, since: at, until };
  }),
  quarantine: quarantine && { reason: quarantine.why, since: quarantine.since, generation: quarantine.generation },
  stoppedRollouts: rollouts.map(stoppedRolloutAnswer),
  halfReplaced: halfReplaced.map(({ address, predecessor, successor, since, waitsFor, heldBy }) => {
    return { address, predecessor, successor, since, waitsFor, reason: heldBy };
  }),
});

const rateLimitsAnswer = (scope: string, rateLimits: readonly RateLimitLevel[] | undefined) =>
  rateLimits === undefined
    ? {
        known: false,
        note: 'This process runs no reconciles: ask a worker, at /rate-limits of its health port.',
        items: [],
      }
    : {
        known: true,
        items: rateLimits
          .filter(({ key }) => key.startsWith(`${scope}/`))
          .map(({ key, level, slowedUntil }) => ({ key, remaining: level, slowedUntil })),
      };
