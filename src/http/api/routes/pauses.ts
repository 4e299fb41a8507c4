import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { PauseDraft } from '../../../core/pause.ts';
import type { PauseAnswers } from '../../../ports/queries.ts';
import { badInput, orDeclinedProblem, ProblemError } from '../../problem.ts';
import { estateField, reasonField, resolveEstate } from '../fields.ts';
import { type Caller, type Route, route } from '../route.ts';
import { exampleOf, examples, story } from '../schemas/examples.ts';
import {
  incidentName,
  pauseAnswer,
  pauseModeSchema,
  pauseSchema,
  pendingCallsField,
  stoppedRolloutAnswer,
  stoppedRolloutSchema,
  subjectOf,
  subjectSchema,
} from '../schemas/pause.ts';

export interface PausesDependencies {
  readonly pauses: PauseAnswers;
  estates(): Promise<readonly string[]>;
}

const usualMs = 86_400_000;
const longestMs = 366 * 86_400_000;

const held = {
  estate: estateField,
  mode: pauseModeSchema.default('all'),
  subject: subjectSchema.default({ type: 'estate' }).meta({ description: 'Absent: the whole estate' }),
  reason: reasonField,
};

const list = z
  .object({ estate: z.string(), items: z.array(pauseSchema) })
  .meta({ id: 'Pauses' })
  .register(examples, { example: { estate: story.estate, items: [exampleOf(pauseSchema)] } });

export const pausesRoutes = (dependencies: PausesDependencies): readonly Route[] => [
  listed(dependencies),
  begin(dependencies),
  end(dependencies),
];

const listed = ({ pauses, estates }: PausesDependencies): Route =>
  route({
    method: 'GET',
    path: '/v1/pauses',
    operation: {
      id: 'listPauses',
      tag: 'Pauses',
      summary: 'List pauses',
      responses: { 200: { description: 'The active pauses, oldest first', schema: list } },
    },
    permission: 'read',
    request: { query: z.strictObject({ estate: estateField }) },
    handle: async ({ query, context: { caller } }) => {
      const estate = await resolveEstate({ asked: query.estate, in: 'query', permission: 'read' }, caller, estates);
      const items = await orDeclinedProblem(pauses.list({ estate, seen: boundsFor(caller.grants, 'read') }));
      return { status: 200, body: { estate, items: items.map(pauseAnswer) } };
    },
  });

const begin = ({ pauses, estates }: PausesDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/pauses',
    operation: {
      id: 'pause',
      tag: 'Pauses',
      summary: 'Pause healing, rollouts or both for an estate or a part of it',
      description: 'Workers and people change nothing there until then. The default is 24 h.',
      responses: {
        201: {
          description: 'The pause is active',
          schema: z
            .object({
              estate: z.string(),
              pause: pauseSchema,
              scopes: z.array(z.string()),
              inFlight: pendingCallsField,
            })
            .meta({ id: 'StartedPause' })
            .register(examples, {
              example: {
                estate: story.estate,
                pause: exampleOf(pauseSchema),
                scopes: [story.scope],
                inFlight: 0,
              },
            }),
        },
      },
    },
    permission: 'operate',
    request: {
      body: z.strictObject({
        ...held,
        until: z.iso.datetime({ offset: true }).optional(),
        incident: incidentName.optional(),
        holdNarrowing: z.boolean().optional().meta({
          description:
            'Whether to stop healing that only narrows traffic too. Default: false with `incident`, true without it',
        }),
      }),
    },
    handle: async ({ body, context: { caller, now } }) => {
      const { mode, subject, reason, incident, holdNarrowing = incident === undefined } = body;
      const until = body.until === undefined ? now + usualMs : Date.parse(body.until);
      if (until <= now || until - now > longestMs)
        throw new ProblemError(badInput([{ in: 'body', at: 'until', expected: 'a time to come, within a year' }]));
      const estate = await resolveEstate({ asked: body.estate, in: 'body', permission: 'operate' }, caller, estates);
      const draft: PauseDraft = {
        ...{ what: mode, of: subjectOf(subject), reason, person: caller.person, until },
        ...(incident === undefined ? {} : { incident }),
        ...(holdNarrowing ? {} : { letsNarrow: true }),
      };
      const { pause, scopes, onTheWay } = await orDeclinedProblem(pauses.begin({ estate, ...boundsOf(caller) }, draft));
      return { status: 201, body: { estate, pause: pauseAnswer(pause), scopes, inFlight: onTheWay } };
    },
  });

const named = z.string().min(1).max(1000).optional();

const endBody = z.strictObject({
  estate: estateField,
  mode: pauseModeSchema.optional().meta({ description: 'Absent: all' }),
  subject: subjectSchema.optional().meta({ description: 'Absent: the whole estate' }),
  reason: reasonField,
  all: z.literal(true).optional(),
  incident: incidentName.optional().meta({ description: 'The name of the incident; all of its pauses end' }),
  rolloutOf: named.meta({
    description:
      "The document of the stopped rollout, by its address or a unique end of it; for a target's rollout its scope; `all`: every rollout that you may resume",
  }),
  quarantined: named.meta({ description: 'The scope in quarantine' }),
});

const goesOn = z
  .object({
    estate: z.string(),
    items: z.array(pauseSchema).meta({ description: 'Pauses that ended' }),
    rollouts: z
      .array(stoppedRolloutSchema)
      .optional()
      .meta({ description: 'The restarted rollouts; only with `rolloutOf`' }),
    released: z.string().optional().meta({ description: 'The released scope; only with `quarantined`' }),
  })
  .meta({ id: 'Resumed' })
  .register(examples, { example: { estate: story.estate, items: [exampleOf(pauseSchema)] } });

const end = ({ pauses, estates }: PausesDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/pauses/end',
    operation: {
      id: 'resume',
      tag: 'Pauses',
      summary: 'Resume paused, stopped or quarantined work',
      description:
        'Ends the pauses with exactly this mode and subject; `all` ends every one that you may end and that is of no incident. Alone, `incident` ends the pauses of an incident, `rolloutOf` restarts a stopped rollout, and `quarantined` releases a scope from quarantine.',
      responses: {
        200: { description: 'The ended pauses, the restarted rollouts, or the released scope', schema: goesOn },
      },
    },
    permission: 'operate',
    request: { body: endBody },
    handle: async ({ body, context: { caller } }) => {
      refuseMixed(body);
      const { incident } = body;
      const { mode = 'all', subject = { type: 'estate' as const }, reason, all, rolloutOf, quarantined } = body;
      const estate = await resolveEstate({ asked: body.estate, in: 'body', permission: 'operate' }, caller, estates);
      const asked = { estate, ...boundsOf(caller) };
      const by = { person: caller.person, reason };
      if (rolloutOf !== undefined) {
        const rollouts = await orDeclinedProblem(pauses.goOn(asked, rolloutOf, by));
        return { status: 200, body: { estate, items: [], rollouts: rollouts.map(stoppedRolloutAnswer) } };
      }
      if (quarantined !== undefined) {
        await orDeclinedProblem(pauses.release(asked, quarantined, by));
        return { status: 200, body: { estate, items: [], released: quarantined } };
      }
      const ending = incident === undefined ? { what: mode, of: subjectOf(subject) } : { incident };
      const items = await orDeclinedProblem(pauses.end(asked, all ? 'all' : ending, by));
      return { status: 200, body: { estate, items: items.map(pauseAnswer) } };
    },
  });

/** One that names a rollout or a scope says all by it: with more beside it nobody knows what was meant. */
function refuseMixed(body: z.output<typeof endBody>): void {
  const { all, mode, subject } = body;
  const [at, ...others] = (['rolloutOf', 'quarantined', 'incident'] as const).filter((one) => body[one] !== undefined);
  if (at === undefined || (others.length === 0 && [all, mode, subject].every((one) => one === undefined))) return;
  throw new ProblemError(badInput([{ in: 'body', at, expected: 'nothing beside it but estate and reason' }]));
}

const boundsOf = ({ grants }: Caller) => ({ seen: boundsFor(grants, 'read'), mine: boundsFor(grants, 'operate') });
