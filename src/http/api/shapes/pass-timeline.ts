import { z } from 'zod';
import { kindShape, verbShape } from './action.ts';
import { examples, story } from './examples.ts';
import { moment } from './moment.ts';

const durationMs = z.int();

const call = z
  .object({
    at: moment,
    what: z.literal('call'),
    action: z.string().meta({ description: "The API's own name", examples: ['RunInstances'] }),
    mutating: z.boolean(),
    lanes: z.array(z.string()).meta({ description: 'The rate budgets that it spent' }),
    durationMs,
    requestId: z.string().optional().meta({ description: "The cloud's own: what its support asks for" }),
    code: z.string().optional().meta({ description: 'Of its failure; absent: it was answered well' }),
  })
  .meta({ id: 'PassCall', description: 'A request to the cloud; `at`: when it was sent' });

const wait = z
  .object({
    at: moment,
    what: z.literal('wait'),
    reason: z.enum(['budget', 'backoff', 'ready', 'gone', 'visible', 'lease', 'wave']).meta({
      description:
        'budget: a rate budget was empty; backoff: the cloud failed; ready: a machine came up; gone: one went; visible: what was written was not listed yet; lease: somebody else had the scope; wave: machines of a wave came up.',
    }),
    detail: z.string().optional().meta({ description: 'For those who see all targets of the pass' }),
    durationMs,
  })
  .meta({ id: 'PassWait', description: 'A wait, as long as it really was' });

const steps = [
  z.object({ at: moment, what: z.literal('listed'), kind: kindShape, count: z.int() }),
  z.object({
    at: moment,
    what: z.literal('planned'),
    look: z.int().meta({ description: 'Which one of this pass' }),
    actions: z.int(),
    findings: z.int(),
  }),
  z.object({
    at: moment,
    what: z.literal('sent'),
    kind: kindShape,
    verb: verbShape,
    count: z.int(),
    addresses: z.array(z.string()).meta({ description: 'The first ten' }),
  }),
  z.object({
    at: moment,
    what: z.literal('settled'),
    kind: kindShape,
    verb: verbShape,
    address: z.string(),
    code: z.string().optional().meta({ description: 'Of its failure; absent: it went well' }),
    why: z.string().optional(),
  }),
  z.object({
    at: moment,
    what: z.literal('withheld'),
    code: z.string(),
    address: z.string().optional(),
    why: z.string(),
  }),
] as const;

const entries = [call, wait, ...steps] as const;

const sorts = ['call', 'wait', 'listed', 'planned', 'sent', 'settled', 'withheld'] as const;

/** `entries` and what of them was too much to keep. */
export const timelineShape = z
  .object({
    entries: z.array(z.discriminatedUnion('what', entries)),
    rest: z
      .partialRecord(z.enum(sorts), z.int())
      .meta({ description: 'How many more there were of each sort: a timeline keeps the first 2,000' }),
  })
  .meta({ id: 'Timeline', description: 'What a pass did and waited for, in the order in which it began' })
  .register(examples, {
    example: {
      entries: [
        {
          at: story.lookedAt,
          what: 'call',
          action: 'DescribeInstances',
          mutating: false,
          lanes: [`${story.scope}/DescribeInstances`],
          durationMs: 54,
          requestId: '396c86ae-d37e-47f0-a404-1639daf74624',
        },
        { at: '2027-01-31T08:00:00.055Z', what: 'listed', kind: 'instance', count: 4 },
        { at: '2027-01-31T08:00:00.120Z', what: 'planned', look: 1, actions: 0, findings: 1 },
      ],
      rest: {},
    },
  });
