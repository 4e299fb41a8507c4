import { z } from 'zod';
import type { KeptPass } from '../../../ports/passes.ts';
import { examples, story } from './examples.ts';
import { moment } from './moment.ts';

export const outcomes = ['done', 'partly', 'unfinished', 'stopped', 'busy', 'idle', 'quarantined', 'failed'] as const;

export const outcomeShape = z.enum(outcomes).meta({
  description:
    "done: nothing was left to do that may be done; partly: something failed, or waits for a person; unfinished: out of tries or patience; stopped: something newer came, others' turn, or the end of the worker; busy: somebody else held the scope; idle: no specs speak of it; quarantined: left alone, as its passes failed in our own code; failed: it failed in our own code.",
});

const countsShape = z.object({
  reads: z.int(),
  writes: z.int(),
  settled: z.int(),
  failed: z.int(),
  withheld: z.int(),
  waitedMs: z.int().meta({ description: 'All waits together, some of which were at the same time' }),
});

export const passBody = {
  reconcileId: z.string(),
  estate: z.string(),
  scope: z.string(),
  targets: z.array(z.string()),
  state: z.enum(['running', 'ended', 'lost']).meta({
    description: 'lost: its worker died or lost its lease, and nobody wrote down how it ended',
  }),
  reason: z.string().optional().meta({
    description: 'Who asked for it, for those who see all of the estate; absent: it was due, or there was more to do',
  }),
  generation: z.int().optional(),
  revision: z.string().optional(),
  worker: z.string().optional(),
  began: moment,
  ended: moment.optional(),
  durationMs: z.int().optional(),
  outcome: outcomeShape.optional(),
  why: z.string().optional().meta({
    description: 'What it left open, or what went wrong; for those who see all targets of the pass',
  }),
  counts: countsShape.optional(),
} as const;

export const passShape = z
  .object(passBody)
  .meta({ id: 'Reconcile', description: 'One pass over a scope' })
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
      began: '2027-01-31T07:59:59.600Z',
      ended: '2027-01-31T08:00:00.361Z',
      durationMs: 761,
      outcome: 'done',
      why: 'withheld: mode 1',
      counts: { reads: 9, writes: 0, settled: 0, failed: 0, withheld: 0, waitedMs: 0 },
    },
  });

export function passAnswer({ id, ground, ending, ...pass }: KeptPass) {
  const { targets, generation, revision, lease } = ground;
  const { estate, scope, state, reason, began } = pass;
  const { ended, outcome, why, counts } = ending ?? {};
  return {
    ...{ reconcileId: id, estate, scope, targets, state, reason, began },
    generation: generation === 0 ? undefined : generation,
    revision: revision === '' ? undefined : revision,
    worker: lease?.holder,
    ...{ ended, outcome, why, counts },
    durationMs: ended === undefined ? undefined : ended - began,
  };
}
