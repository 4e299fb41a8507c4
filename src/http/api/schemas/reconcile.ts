import { z } from 'zod';
import type { KeptReconcile } from '../../../ports/reconciles.ts';
import { shownOutcome } from '../../../ports/telemetry.ts';
import type { VisibleEntry, VisibleTimeline } from '../visible-records.ts';
import { doneVerbSchema, kindSchema } from './action.ts';
import { examples, story } from './examples.ts';
import { timestamp } from './timestamp.ts';

const outcomes = ['done', 'partial', 'unfinished', 'stopped', 'busy', 'idle', 'quarantined', 'failed'] as const;

export const outcomeSchema = z.enum(outcomes).meta({
  description:
    "done: every permitted change is made; partial: something failed, or waits for a person; unfinished: attempts or time ran out; stopped: a newer request, another scope's turn, or the end of the worker; busy: another worker held the scope; idle: no specs name it; quarantined: skipped, because its reconciles failed in Setpoint's own code; failed: it failed in Setpoint's own code.",
});

const countsSchema = z.object({
  reads: z.int(),
  writes: z.int(),
  settled: z.int(),
  failed: z.int(),
  withheld: z.int(),
  waitedMs: z.int().meta({ description: 'The sum of all waits; some of them overlapped' }),
});

export const reconcileBody = {
  reconcileId: z.string(),
  estate: z.string(),
  scope: z.string(),
  targets: z.array(z.string()),
  state: z.enum(['running', 'ended', 'lost']).meta({
    description: 'lost: its worker died or lost its lease before it recorded the outcome',
  }),
  reason: z.string().optional().meta({
    description:
      'The actor and reason of its request; only callers that see the whole estate get it. Absent: it was due, or continued an earlier one',
  }),
  generation: z.int().optional(),
  revision: z.string().optional(),
  worker: z.string().optional(),
  startedAt: timestamp,
  endedAt: timestamp.optional(),
  durationMs: z.int().optional(),
  outcome: outcomeSchema.optional(),
  message: z.string().optional().meta({
    description: 'Open work, or the error; only callers that see all its targets get it',
  }),
  counts: countsSchema.optional(),
} as const;

export const reconcileSchema = z
  .object(reconcileBody)
  .meta({ id: 'Reconcile', description: 'One reconcile of a scope' })
  .register(examples, {
    example: {
      reconcileId: story.reconcile,
      estate: story.estate,
      scope: story.scope,
      targets: [story.target],
      state: 'ended',
      reason: `${story.person}: after the change of the network`,
      generation: 7,
      revision: story.revision,
      worker: 'worker@setpoint-0 (process 1, 0c76b803)',
      startedAt: '2027-01-31T07:59:59.600Z',
      endedAt: '2027-01-31T08:00:00.361Z',
      durationMs: 761,
      outcome: 'done',
      message: 'withheld: mode 1',
      counts: { reads: 9, writes: 0, settled: 0, failed: 0, withheld: 0, waitedMs: 0 },
    },
  });

export function reconcileAnswer({ id, ground, ending, ...reconcile }: KeptReconcile) {
  const { targets, generation, revision, lease } = ground;
  const { estate, scope, state, reason, began } = reconcile;
  const { ended, outcome, why: message, counts } = ending ?? {};
  return {
    ...{ reconcileId: id, estate, scope, targets, state, reason, startedAt: began },
    generation: generation === 0 ? undefined : generation,
    revision: revision === '' ? undefined : revision,
    worker: lease?.holder,
    ...{ endedAt: ended, outcome: outcome && shownOutcome(outcome), message, counts },
    durationMs: ended === undefined ? undefined : ended - began,
  };
}

const durationMs = z.int();

const call = z
  .object({
    at: timestamp,
    type: z.literal('call'),
    action: z.string().meta({ description: "The API's own name", examples: ['RunInstances'] }),
    mutating: z.boolean(),
    rateLimits: z.array(z.string()).meta({ description: 'The rate limits that it spent' }),
    durationMs,
    requestId: z.string().optional().meta({ description: "The cloud's id of the request" }),
    code: z.string().optional().meta({ description: 'The code of its failure; absent: it succeeded' }),
  })
  .meta({ id: 'ReconcileCall', description: 'A request to the cloud; `at`: when it was sent' });

const wait = z
  .object({
    at: timestamp,
    type: z.literal('wait'),
    reason: z.enum(['rate-limit', 'backoff', 'ready', 'gone', 'visible', 'lease', 'wave']).meta({
      description:
        'rate-limit: a rate limit was empty; backoff: the cloud failed; ready: a machine started; gone: a machine ended; visible: listings did not show a write yet; lease: another worker held the scope; wave: machines of a wave started.',
    }),
    detail: z.string().optional().meta({ description: 'Only callers that see all targets of the reconcile get it' }),
    durationMs,
  })
  .meta({ id: 'ReconcileWait', description: 'A wait with its real duration' });

const steps = [
  z.object({ at: timestamp, type: z.literal('listed'), kind: kindSchema, count: z.int() }),
  z.object({
    at: timestamp,
    type: z.literal('planned'),
    observation: z.int().meta({ description: 'Its number in this reconcile' }),
    actions: z.int(),
    findings: z.int(),
  }),
  z.object({
    at: timestamp,
    type: z.literal('sent'),
    kind: kindSchema,
    verb: doneVerbSchema,
    count: z.int(),
    addresses: z.array(z.string()).meta({ description: 'The first ten addresses' }),
  }),
  z.object({
    at: timestamp,
    type: z.literal('settled'),
    kind: kindSchema,
    verb: doneVerbSchema,
    address: z.string(),
    code: z.string().optional().meta({ description: 'The code of its failure; absent: it succeeded' }),
    reason: z.string().optional(),
  }),
  z.object({
    at: timestamp,
    type: z.literal('withheld'),
    code: z.string(),
    address: z.string().optional(),
    reason: z.string(),
  }),
] as const;

const entries = [call, wait, ...steps] as const;

const sorts = ['call', 'wait', 'listed', 'planned', 'sent', 'settled', 'withheld'] as const;

/** `entries`, and the number of further ones that were too many to keep. */
export const timelineSchema = z
  .object({
    entries: z.array(z.discriminatedUnion('type', entries)),
    omitted: z
      .partialRecord(z.enum(sorts), z.int())
      .meta({ description: 'Further entries of each type: a timeline keeps the first 2,000' }),
  })
  .meta({ id: 'Timeline', description: 'The calls, waits and steps of a reconcile, in the order of their start' })
  .register(examples, {
    example: {
      entries: [
        {
          at: story.lookedAt,
          type: 'call',
          action: 'DescribeInstances',
          mutating: false,
          rateLimits: [`${story.scope}/DescribeInstances`],
          durationMs: 54,
          requestId: '396c86ae-d37e-47f0-a404-1639daf74624',
        },
        { at: '2027-01-31T08:00:00.055Z', type: 'listed', kind: 'instance', count: 4 },
        { at: '2027-01-31T08:00:00.120Z', type: 'planned', observation: 1, actions: 0, findings: 1 },
      ],
      omitted: {},
    },
  });

export const timelineAnswer = ({ timeline, rest }: VisibleTimeline) => ({
  entries: timeline.map(entryAnswer),
  omitted: rest,
});

function entryAnswer(entry: VisibleEntry): z.input<(typeof entries)[number]> {
  const { at } = entry;
  switch (entry.what) {
    case 'call': {
      const { action, mutating, lanes: rateLimits, durationMs, requestId, code } = entry;
      return { at, type: 'call', action, mutating, rateLimits: [...rateLimits], durationMs, requestId, code };
    }
    case 'wait': {
      const reason = entry.reason === 'budget' ? 'rate-limit' : entry.reason;
      return { at, type: 'wait', reason, detail: entry.detail, durationMs: entry.durationMs };
    }
    case 'listed':
      return { at, type: 'listed', kind: entry.kind, count: entry.count };
    case 'planned':
      return { at, type: 'planned', observation: entry.look, actions: entry.actions, findings: entry.findings };
    case 'sent': {
      const { kind, verb, count, addresses } = entry;
      return { at, type: 'sent', kind, verb, count, addresses: [...addresses] };
    }
    case 'settled': {
      const { kind, verb, address, code, why } = entry;
      return { at, type: 'settled', kind, verb, address, code, reason: why };
    }
    case 'withheld':
      return { at, type: 'withheld', code: entry.code, address: entry.address, reason: entry.why };
  }
}
