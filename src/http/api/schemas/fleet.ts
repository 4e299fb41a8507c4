import { z } from 'zod';
import type { Bounds } from '../../../core/access/grant.ts';
import { clouds } from '../../../core/resource.ts';
import {
  type FleetReport,
  type ScopeWait,
  type ScopeWork,
  scopeStates,
  type WorkerSeen,
} from '../../../ports/fleet-view.ts';
import type { QueuedReconcile } from '../../../ports/queue.ts';
import type { RateLimitLevel } from '../../../ports/telemetry.ts';
import { visibleReconcile } from '../visible-records.ts';
import { exampleOf, examples, story } from './examples.ts';
import { pauseModeSchema, subjectSchema } from './pause.ts';
import { reconcileAnswer, reconcileSchema } from './reconcile.ts';
import { criticalitySchema } from './resource.ts';
import { timestamp } from './timestamp.ts';

export const scopeStateSchema = z.enum(scopeStates).meta({
  description:
    'running: a worker reconciles it now; waiting: a reconcile is due, and something keeps it waiting; held: nothing is due, and something withholds changes there; idle: it waits for its next observation.',
});

const next = z.string().meta({ description: 'The command that shows the way on' });
const since = timestamp;
const until = timestamp;

const waits = [
  z.object({ type: z.literal('quarantine'), since, until, reason: z.string().optional(), next }).meta({
    description: "Its reconciles failed in Setpoint's own code. A newer generation or a person ends it sooner",
  }),
  z
    .object({ type: z.literal('lease'), worker: z.string(), since })
    .meta({ description: 'Another process holds the lease, such as an `apply` of a person' }),
  z.object({ type: z.literal('retry'), failures: z.int(), since }).meta({
    description:
      'The last attempts failed, so many in a row. The next one comes by itself within 30 s; its time is not known',
  }),
  z.object({ type: z.literal('worker'), since: since.optional(), reason: z.string().optional() }).meta({
    description:
      'A free worker. `reason`: the actor and reason of its request; only callers that see the whole estate get it. `since` absent: not known',
  }),
  z
    .object({ type: z.literal('rate-limit'), key: z.string(), since })
    .meta({ description: 'Requests to the cloud wait for it, or for another rate limit that they need too' }),
  z.object({
    type: z.literal('pause'),
    mode: pauseModeSchema,
    subject: subjectSchema,
    actor: z.string(),
    reason: z.string(),
    since,
    until,
  }),
  z.object({ type: z.literal('rollout'), document: z.string(), reason: z.string(), next }),
  z
    .object({
      type: z.literal('withheld'),
      target: z.string(),
      code: z.string(),
      failed: z.boolean().meta({ description: 'The cloud refused the last attempt' }),
      count: z.int(),
      reason: z.string().meta({ description: 'That of the first resource' }),
      next,
    })
    .meta({ description: 'Changes of a target; `/v1/targets` has the resources' }),
  z.object({ type: z.literal('withheld-total'), count: z.int() }).meta({
    description:
      'All withheld changes of the scope that you see. The estate has more than 1,000, so the numbers before it may be too low',
  }),
  z.object({ type: z.literal('interval'), until }).meta({ description: 'The next observation, at the latest' }),
] as const;

type Wait = z.input<(typeof waits)[number]>;

export const scopeWorkSchema = z
  .object({
    scope: z.string(),
    provider: z.enum(clouds),
    targets: z.array(z.string()).meta({ description: 'Its targets that you see' }),
    criticality: criticalitySchema.meta({ description: 'That of the most critical target there that you see' }),
    everySeconds: z.int().meta({ description: 'The observation interval' }),
    state: scopeStateSchema,
    lease: z
      .object({ worker: z.string(), since })
      .optional()
      .meta({ description: 'The process that may write there now; absent: nobody' }),
    runningReconcile: z.object({ reconcileId: z.string(), startedAt: timestamp }).optional(),
    lastReconcile: reconcileSchema.optional(),
    nextReconcileAt: timestamp
      .optional()
      .meta({ description: 'The latest time of the next reconcile; absent: not known' }),
    waitsFor: z
      .array(z.discriminatedUnion('type', waits))
      .meta({ description: 'Reasons that keep reconciles waiting come first, then those that withhold changes' }),
  })
  .meta({ id: 'Scope', description: 'A part of a cloud that one reconcile covers' })
  .register(examples, {
    example: {
      scope: story.scope,
      provider: 'aws',
      targets: [story.target],
      criticality: 'normal',
      everySeconds: 300,
      state: 'waiting',
      lastReconcile: exampleOf(reconcileSchema),
      nextReconcileAt: story.nextAt,
      waitsFor: [{ type: 'worker', since: story.askedAt, reason: `${story.person}: after the change of the network` }],
    },
  });

export const scopeWorkAnswer = (work: ScopeWork, seen: readonly Bounds[]) => ({
  scope: work.scope,
  provider: work.cloud,
  targets: [...work.targets],
  criticality: work.criticality,
  everySeconds: Math.round(work.everyMs / 1000),
  state: work.state,
  lease: work.lease,
  runningReconcile: work.running && { reconcileId: work.running.id, startedAt: work.running.began },
  lastReconcile: work.last && reconcileAnswer(visibleReconcile(work.last, seen)),
  nextReconcileAt: work.nextAt,
  waitsFor: work.waits.map((wait) => waitAnswer(wait, work.scope)),
});

function waitAnswer(wait: ScopeWait, scope: string): Wait {
  switch (wait.type) {
    case 'quarantine':
      return { ...wait, next: `setpoint resume --quarantined ${scope} --reason "…"` };
    case 'pause': {
      const { type, what: mode, of, person: actor, reason, at, until } = wait;
      const subject = of.by === 'estate' ? { type: of.by } : { type: of.by, name: of.name };
      return { type, mode, subject, actor, reason, since: at, until };
    }
    case 'rollout':
      return { ...wait, next: `setpoint resume --rollout-of ${wait.document} --reason "…"` };
    case 'lease':
    case 'retry':
    case 'worker':
    case 'rate-limit':
    case 'withheld':
    case 'withheld-total':
    case 'interval':
      return wait;
  }
}

const worker = z
  .object({
    worker: z.string(),
    state: z
      .enum(['working', 'seen'])
      .meta({ description: 'working: it holds a lease now; seen: it ended a reconcile within the last hour' }),
    lastSeenAt: timestamp,
    scopes: z.array(
      z.object({
        scope: z.string(),
        since: timestamp.meta({ description: 'The start of its lease' }),
        runningReconcile: z
          .object({ reconcileId: z.string(), startedAt: timestamp })
          .optional()
          .meta({ description: 'Absent: it holds the scope for something else' }),
      }),
    ),
  })
  .meta({ id: 'Worker', description: 'A process that works on scopes that you see' });

const queued = z
  .object({
    scope: z.string(),
    provider: z.string(),
    state: z
      .enum(['running', 'waiting', 'delayed'])
      .meta({ description: 'delayed: it failed, and waits for its next attempt' }),
    criticality: criticalitySchema,
    urgency: z.enum(['requested', 'periodic']).optional().meta({
      description: 'requested: by a person, an event or a new generation. Absent: it went ahead because it waited long',
    }),
    queuedAt: timestamp,
    failures: z.int().meta({ description: 'Attempts that failed, in a row' }),
  })
  .meta({
    id: 'QueuedReconcile',
    description: 'In the order of the queue of its cloud, where reconciles of other estates can be between',
  });

const rateLimit = z
  .object({
    key: z.string(),
    remaining: z.number().meta({ description: '1: all of it; below 0: in debt' }),
    units: z.number().optional().meta({ description: 'The size of the part that Setpoint uses' }),
    perSecond: z
      .number()
      .optional()
      .meta({ description: 'The gain of a bucket at full speed; absent: it is a window' }),
    windowSeconds: z.number().optional().meta({ description: 'Units return when they leave this window' }),
    slowedUntil: timestamp.optional().meta({ description: 'The cloud throttled a request; absent: full speed' }),
    waiting: z.object({ units: z.number(), since: timestamp }).optional().meta({
      description: 'Requests of this process and estate that wait for it, or for another one that they need too',
    }),
  })
  .meta({ id: 'RateLimit' });

const unknownNote = z.string().optional().meta({ description: 'The reason, if it is not known' });

export const fleetSchema = z
  .object({
    estate: z.string(),
    scopes: z
      .object({ running: z.int(), waiting: z.int(), held: z.int(), idle: z.int() })
      .optional()
      .meta({ description: 'The number of scopes in each state; absent: no active specs name them, as `note` says' }),
    note: z.string().optional().meta({ description: 'The reason that no active specs name the scopes' }),
    workers: z.object({ known: z.boolean(), note: unknownNote, items: z.array(worker) }).meta({
      description:
        'Workers that hold a lease, then those seen within the last hour. An idle worker leaves no sign, so it can be missing',
    }),
    queue: z.object({
      known: z.boolean(),
      note: unknownNote,
      truncated: z.literal(true).optional().meta({ description: 'The queue has more; these are the first ones' }),
      items: z.array(queued),
    }),
    rateLimits: z.object({
      known: z.boolean(),
      note: unknownNote,
      truncated: z.literal(true).optional().meta({ description: 'There are more; these have the least left' }),
      items: z.array(rateLimit),
    }),
    tasks: z
      .array(
        z.object({
          task: z.enum(['scheduler', 'signer', 'sources']),
          worker: z.string().optional().meta({ description: 'Absent: nobody does it now' }),
          since: timestamp.optional(),
        }),
      )
      .optional()
      .meta({ description: 'Tasks that one process of all does. Only callers that see all of the estate get them' }),
    sources: z
      .array(
        z.object({
          source: z.string(),
          state: z.enum(['followed', 'broken', 'unsigned', 'rewritten', 'pinned', 'unavailable']),
          head: z.string().optional(),
          reason: z.string().optional(),
          since: timestamp,
        }),
      )
      .optional()
      .meta({ description: 'Repositories and folders of specs. Only callers that see all of the estate get them' }),
    pin: z
      .object({ revision: z.string(), actor: z.string(), reason: z.string(), at: timestamp })
      .optional()
      .meta({ description: 'The estate is held at this revision' }),
  })
  .meta({ id: 'Fleet', description: 'The processes at work on an estate. Lists end after 1,000 items' })
  .register(examples, {
    example: {
      estate: story.estate,
      scopes: { running: 1, waiting: 0, held: 0, idle: 0 },
      workers: {
        known: true,
        items: [
          {
            worker: 'worker@setpoint-0 (process 1, 0c76b803)',
            state: 'working',
            lastSeenAt: story.askedAt,
            scopes: [
              {
                scope: story.scope,
                since: story.lookedAt,
                runningReconcile: { reconcileId: story.reconcile, startedAt: story.lookedAt },
              },
            ],
          },
        ],
      },
      queue: {
        known: true,
        items: [
          {
            scope: story.scope,
            provider: 'aws',
            state: 'running',
            criticality: 'normal',
            urgency: 'periodic',
            queuedAt: story.lookedAt,
            failures: 0,
          },
        ],
      },
      rateLimits: {
        known: true,
        items: [{ key: `${story.scope}/RunInstances`, remaining: 0.5, units: 4.5, perSecond: 1.8 }],
      },
      tasks: [{ task: 'scheduler', worker: 'worker@setpoint-0 (process 1, 0c76b803)', since: story.appliedAt }],
      sources: [{ source: 'specs', state: 'followed', head: story.revision, since: story.appliedAt }],
    },
  });

const mostItems = 1000;

export function fleetAnswer(estate: string, report: FleetReport) {
  const { states, unknown, workers, queue, rateLimits, whole } = report;
  const noScopes = workers === undefined ? { known: false, note: unknown, items: [] } : undefined;
  return {
    estate,
    scopes: states,
    note: unknown,
    workers: noScopes ?? { known: true, items: (workers ?? []).slice(0, mostItems).map(workerAnswer) },
    queue: noScopes ?? queueAnswer(queue),
    rateLimits: noScopes ?? rateLimitsAnswer(rateLimits),
    tasks: whole?.tasks.map(({ task, worker, since }) => ({ task, worker, since })),
    sources: whole?.sources.map(({ source, state, head, why, since }) => ({
      ...{ source, state: state === 'away' ? ('unavailable' as const) : state, head, since },
      reason: why === '' ? undefined : why,
    })),
    pin: whole?.pin && {
      revision: whole.pin.revision,
      actor: whole.pin.by.person,
      reason: whole.pin.by.reason,
      at: whole.pin.at,
    },
  };
}

const workerAnswer = ({ worker, isHere, lastSeenAt, scopes }: WorkerSeen) => ({
  ...{ worker, state: isHere ? ('working' as const) : ('seen' as const), lastSeenAt },
  scopes: scopes.slice(0, mostItems).map(({ scope, since, reconcile }) => {
    return { scope, since, runningReconcile: reconcile && { reconcileId: reconcile.id, startedAt: reconcile.began } };
  }),
});

function queueAnswer(queue: FleetReport['queue']) {
  if (queue === undefined)
    return { known: false, note: 'This process cannot read the queue now: ask a worker.', items: [] };
  const { reconciles, truncated } = queue;
  const isCut = truncated || reconciles.length > mostItems;
  return {
    known: true,
    ...(isCut ? { truncated: true as const } : {}),
    items: reconciles.slice(0, mostItems).map(queuedAnswer),
  };
}

const queuedAnswer = ({ scope, cloud, state, criticality, urgency, queuedAt, failures }: QueuedReconcile) => ({
  ...{ scope, provider: cloud, state, criticality, queuedAt, failures },
  urgency: urgency && urgencyWords[urgency],
});

const urgencyWords = { now: 'requested', periodic: 'periodic' } as const;

function rateLimitsAnswer(rateLimits: readonly RateLimitLevel[] | undefined) {
  if (rateLimits === undefined)
    return {
      known: false,
      note: 'This process runs no reconciles: ask a worker, at /rate-limits of its health port.',
      items: [],
    };
  const emptiest = rateLimits.toSorted((a, b) => a.level - b.level);
  return {
    known: true,
    ...(emptiest.length > mostItems ? { truncated: true as const } : {}),
    items: emptiest.slice(0, mostItems).map(({ key, level, size, slowedUntil, waiting: [first] = [] }) => ({
      ...{ key, remaining: level, units: size?.units, perSecond: size?.perSecond, slowedUntil },
      windowSeconds: size?.windowMs === undefined ? undefined : size.windowMs / 1000,
      waiting: first && { units: first.units, since: first.since },
    })),
  };
}
