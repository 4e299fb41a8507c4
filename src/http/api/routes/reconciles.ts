import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { Figures } from '../../../ports/figures.ts';
import type { Passes, PassFilter } from '../../../ports/passes.ts';
import { askedEstate, estateField } from '../asked-estate.ts';
import { afterField, limitField, nextField, paged } from '../paging.ts';
import { passWithin, timelineWithin } from '../pass-within.ts';
import { notFound } from '../problems.ts';
import { Refusal } from '../refusal.ts';
import type { Route } from '../route.ts';
import { exampleOf, examples } from '../shapes/examples.ts';
import { outcomeShape, passAnswer, passBody, passShape } from '../shapes/pass.ts';
import { timelineShape } from '../shapes/pass-timeline.ts';
import { route } from '../typed-route.ts';
import { whenField } from '../when.ts';

export interface ReconcilesDesk {
  readonly passes: Pick<Passes, 'page' | 'find'>;
  readonly figures: Pick<Figures, 'seen'>;
  estates(): Promise<readonly string[]>;
}

const query = z.strictObject({
  estate: estateField,
  scope: z.string().min(1).max(500).optional(),
  target: z.string().min(1).max(200).optional(),
  outcome: z
    .string()
    .max(200)
    .transform((text) => text.split(','))
    .pipe(z.array(outcomeShape))
    .optional()
    .meta({ description: 'Only those that ended so; several with commas between' }),
  since: whenField('That began then or later'),
  until: whenField('That began before'),
  limit: limitField,
  after: afterField,
});

const toldShape = z
  .object({ ...passBody, timeline: timelineShape.optional().meta({ description: 'Of one that has ended' }) })
  .meta({ id: 'ReconcileTimeline', description: 'One pass over a scope, and all that it did' })
  .register(examples, { example: { ...exampleOf(passShape), timeline: exampleOf(timelineShape) } });

export const reconcilesRoutes = ({ passes, figures, estates }: ReconcilesDesk): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/reconciles',
    says: {
      id: 'listReconciles',
      tag: 'Reconciles',
      summary: 'Passes that ran or run, newest first',
      description:
        'Kept for seven days: of each scope the newest 2,000, and of those in which nothing happened the newest 200. Who is bounded to owners sees none; who sees all of the estate is told who asked for one, and why.',
      answers: {
        200: {
          description: 'A page of them',
          schema: z
            .object({ items: z.array(passShape), next: nextField })
            .meta({ id: 'Reconciles' })
            .register(examples, { example: { items: [exampleOf(passShape)] } }),
        },
      },
    },
    needs: 'read',
    asks: { query },
    handle: async ({ query: { limit, after, ...asked }, by: { caller, now } }) => {
      const estate = await askedEstate({ asked: asked.estate, in: 'query', needs: 'read' }, caller, estates);
      const seen = boundsFor(caller.grants, 'read');
      const filter = filterOf({ ...asked, estate }, now);
      const page = await paged(passes.page({ seen, filter, limit, ...(after === undefined ? {} : { after }) }));
      return {
        status: 200,
        body: { items: page.passes.map((pass) => passAnswer(passWithin(pass, seen))), next: page.next },
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/reconciles/{id}',
    says: {
      id: 'readReconcile',
      tag: 'Reconciles',
      summary: 'The timeline of one pass: every call to the cloud, every wait and its reason',
      description:
        'A pass may be of several targets. Who does not see all of them is told its calls, times and counts, and of its steps those at addresses that they see.',
      answers: { 200: { description: 'The pass', schema: toldShape } },
    },
    needs: 'read',
    asks: { params: z.strictObject({ id: z.string().min(1).max(100) }) },
    handle: async ({ params: { id }, by: { caller } }) => {
      const seen = boundsFor(caller.grants, 'read');
      const pass = await passes.find(id, seen);
      if (pass === undefined) throw new Refusal(notFound);
      const { timeline: entries, rest } = (await timelineWithin(pass, seen, figures)) ?? {};
      return {
        status: 200,
        body: { ...passAnswer(passWithin(pass, seen)), ...(entries && { timeline: { entries, rest } }) },
      };
    },
  }),
];

type Asked = Omit<z.output<typeof query>, 'limit' | 'after'> & { readonly estate: string };

const filterOf = ({ estate, scope, target, outcome, since, until }: Asked, now: number): PassFilter => ({
  estate,
  ...(scope === undefined ? {} : { scope }),
  ...(target === undefined ? {} : { target }),
  ...(outcome === undefined ? {} : { outcomes: outcome }),
  ...(since === undefined ? {} : { since: since(now) }),
  ...(until === undefined ? {} : { until: until(now) }),
});
