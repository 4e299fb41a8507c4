import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { PauseAnswers } from '../../../ports/queries.ts';
import { askedEstate, estateField } from '../asked-estate.ts';
import { answered } from '../declined.ts';
import { badInput } from '../problems.ts';
import { reasonField } from '../reason-field.ts';
import { Refusal } from '../refusal.ts';
import type { Caller, Route } from '../route.ts';
import { exampleOf, examples, story } from '../shapes/examples.ts';
import { onTheWay } from '../shapes/on-the-way.ts';
import { heldWhat, pauseShape, subjectShape } from '../shapes/pause.ts';
import { stoppedRolloutShape } from '../shapes/stopped-rollout.ts';
import { route } from '../typed-route.ts';

export interface PausesDesk {
  readonly pauses: PauseAnswers;
  estates(): Promise<readonly string[]>;
}

const usualMs = 86_400_000;
const longestMs = 366 * 86_400_000;

const held = {
  estate: estateField,
  what: heldWhat.default('all'),
  of: subjectShape.default({ by: 'estate' }).meta({ description: 'Of whom; left out: everything of the estate' }),
  reason: reasonField,
};

const list = z
  .object({ estate: z.string(), items: z.array(pauseShape) })
  .meta({ id: 'Pauses' })
  .register(examples, { example: { estate: story.estate, items: [exampleOf(pauseShape)] } });

export const pausesRoutes = (desk: PausesDesk): readonly Route[] => [listed(desk), begin(desk), end(desk)];

const listed = ({ pauses, estates }: PausesDesk): Route =>
  route({
    method: 'GET',
    path: '/v1/pauses',
    says: {
      id: 'listPauses',
      tag: 'Pauses',
      summary: 'What people hold still',
      answers: { 200: { description: 'Those in force, oldest first', schema: list } },
    },
    needs: 'read',
    asks: { query: z.strictObject({ estate: estateField }) },
    handle: async ({ query, by: { caller } }) => {
      const estate = await askedEstate({ asked: query.estate, in: 'query', needs: 'read' }, caller, estates);
      const items = await answered(pauses.list({ estate, seen: boundsFor(caller.grants, 'read') }));
      return { status: 200, body: { estate, items } };
    },
  });

const begin = ({ pauses, estates }: PausesDesk): Route =>
  route({
    method: 'POST',
    path: '/v1/pauses',
    says: {
      id: 'pause',
      tag: 'Pauses',
      summary: 'Hold the estate, or a part of it, still for a while',
      description: 'Workers, and people who apply, leave it alone. For 24 h where nothing else is said.',
      answers: {
        201: {
          description: 'It holds',
          schema: z
            .object({ estate: z.string(), pause: pauseShape, scopes: z.array(z.string()), onTheWay })
            .meta({ id: 'BegunPause' })
            .register(examples, {
              example: {
                estate: story.estate,
                pause: exampleOf(pauseShape),
                scopes: [story.scope],
                onTheWay: 0,
              },
            }),
        },
      },
    },
    needs: 'operate',
    asks: { body: z.strictObject({ ...held, until: z.iso.datetime({ offset: true }).optional() }) },
    handle: async ({ body, by: { caller, now } }) => {
      const { what, of, reason } = body;
      const until = body.until === undefined ? now + usualMs : Date.parse(body.until);
      if (until <= now || until - now > longestMs)
        throw new Refusal(badInput([{ in: 'body', at: 'until', expected: 'a time to come, within a year' }]));
      const estate = await askedEstate({ asked: body.estate, in: 'body', needs: 'operate' }, caller, estates);
      const draft = { what, of, reason, person: caller.person, until };
      const begun = await answered(pauses.begin({ estate, ...boundsOf(caller) }, draft));
      return { status: 201, body: { estate, ...begun } };
    },
  });

const named = z.string().min(1).max(1000).optional();

const endBody = z.strictObject({
  estate: estateField,
  what: heldWhat.optional().meta({ description: 'Left out: all' }),
  of: subjectShape.optional().meta({ description: 'Of whom; left out: everything of the estate' }),
  reason: reasonField,
  all: z.literal(true).optional(),
  rolloutOf: named.meta({
    description:
      'The document whose rollout stopped, by its address or an ending of it that is unique; of a target’s the scope; `all`: every one that is yours',
  }),
  quarantined: named.meta({ description: 'The scope that is in quarantine' }),
});

const goesOn = z
  .object({
    estate: z.string(),
    items: z.array(pauseShape).meta({ description: 'Pauses that ended' }),
    rollouts: z.array(stoppedRolloutShape).optional().meta({ description: 'Where `rolloutOf` was asked for' }),
    released: z.string().optional().meta({ description: 'Where `quarantined` was: that scope' }),
  })
  .meta({ id: 'Resumed' })
  .register(examples, { example: { estate: story.estate, items: [exampleOf(pauseShape)] } });

const end = ({ pauses, estates }: PausesDesk): Route =>
  route({
    method: 'POST',
    path: '/v1/pauses/end',
    says: {
      id: 'resume',
      tag: 'Pauses',
      summary: 'Let go on what is held still',
      description:
        'Ends those that hold exactly this, named as it was when it was paused; with `all` every one that is yours. Or, alone: lets a rollout go on that stopped, or a scope have passes again that is in quarantine.',
      answers: { 200: { description: 'What goes on: pauses that ended, rollouts, or a scope', schema: goesOn } },
    },
    needs: 'operate',
    asks: { body: endBody },
    handle: async ({ body, by: { caller } }) => {
      refuseMixed(body);
      const { what = 'all', of = { by: 'estate' }, reason, all, rolloutOf, quarantined } = body;
      const estate = await askedEstate({ asked: body.estate, in: 'body', needs: 'operate' }, caller, estates);
      const asked = { estate, ...boundsOf(caller) };
      const by = { person: caller.person, reason };
      if (rolloutOf !== undefined) {
        const rollouts = await answered(pauses.goOn(asked, rolloutOf, by));
        return { status: 200, body: { estate, items: [], rollouts } };
      }
      if (quarantined !== undefined) {
        await answered(pauses.release(asked, quarantined, by));
        return { status: 200, body: { estate, items: [], released: quarantined } };
      }
      const items = await answered(pauses.end(asked, all ? 'all' : { what, of }, by));
      return { status: 200, body: { estate, items } };
    },
  });

/** One that names a rollout or a scope says all by it: with more beside it nobody knows what was meant. */
function refuseMixed(body: z.output<typeof endBody>): void {
  const { rolloutOf, quarantined, all, what, of } = body;
  const [alone, other] = rolloutOf === undefined ? [quarantined, undefined] : [rolloutOf, quarantined];
  if (alone === undefined || [other, all, what, of].every((one) => one === undefined)) return;
  const at = rolloutOf === undefined ? 'quarantined' : 'rolloutOf';
  throw new Refusal(badInput([{ in: 'body', at, expected: 'nothing beside it but estate and reason' }]));
}

const boundsOf = ({ grants }: Caller) => ({ seen: boundsFor(grants, 'read'), mine: boundsFor(grants, 'operate') });
