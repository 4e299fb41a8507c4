import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { Figures } from '../../../ports/figures.ts';
import type { ReconcileFilter, Reconciles } from '../../../ports/reconciles.ts';
import { notFound, ProblemError } from '../../problem.ts';
import {
  afterField,
  estateField,
  limitField,
  nextField,
  orForeignCursorProblem,
  resolveEstate,
  whenField,
} from '../fields.ts';
import { type Route, route } from '../route.ts';
import { exampleOf, examples } from '../schemas/examples.ts';
import {
  outcomeSchema,
  reconcileAnswer,
  reconcileBody,
  reconcileSchema,
  timelineAnswer,
  timelineSchema,
} from '../schemas/reconcile.ts';
import { visibleReconcile, visibleTimeline } from '../visible-records.ts';

export interface ReconcilesDependencies {
  readonly reconciles: Pick<Reconciles, 'page' | 'find'>;
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
    .pipe(z.array(outcomeSchema))
    .optional()
    .meta({ description: 'Only these outcomes, separated by commas' }),
  since: whenField('Only reconciles that began at that time or later'),
  until: whenField('Only reconciles that began before'),
  limit: limitField,
  after: afterField,
});

const reconcileDetailsSchema = z
  .object({ ...reconcileBody, timeline: timelineSchema.optional().meta({ description: 'Only of an ended reconcile' }) })
  .meta({ id: 'ReconcileTimeline', description: 'One reconcile of a scope, with its timeline' })
  .register(examples, { example: { ...exampleOf(reconcileSchema), timeline: exampleOf(timelineSchema) } });

export const reconcilesRoutes = ({ reconciles, figures, estates }: ReconcilesDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/reconciles',
    operation: {
      id: 'listReconciles',
      tag: 'Reconciles',
      summary: 'List reconciles, newest first',
      description:
        'Setpoint keeps seven days: the newest 2,000 of each scope, and the newest 200 of those without changes. A grant limited to owners sees none. Only callers that see all of the estate get the actor and the reason of a request.',
      responses: {
        200: {
          description: 'A page',
          schema: z
            .object({ items: z.array(reconcileSchema), next: nextField })
            .meta({ id: 'Reconciles' })
            .register(examples, { example: { items: [exampleOf(reconcileSchema)] } }),
        },
      },
    },
    permission: 'read',
    request: { query },
    handle: async ({ query: { limit, after, ...asked }, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked: asked.estate, in: 'query', permission: 'read' }, caller, estates);
      const seen = boundsFor(caller.grants, 'read');
      const filter = filterOf({ ...asked, estate }, now);
      const page = await orForeignCursorProblem(reconciles.page({ seen, filter, limit, after }));
      return {
        status: 200,
        body: {
          items: page.reconciles.map((reconcile) => reconcileAnswer(visibleReconcile(reconcile, seen))),
          next: page.next,
        },
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/reconciles/{id}',
    operation: {
      id: 'readReconcile',
      tag: 'Reconciles',
      summary: 'Read the timeline of one reconcile: every call to the cloud, every wait and its reason',
      description:
        'A reconcile can cover several targets. Callers that do not see all of them get its calls, times and counts, and only the steps at addresses that they see.',
      responses: { 200: { description: 'The reconcile', schema: reconcileDetailsSchema } },
    },
    permission: 'read',
    request: { params: z.strictObject({ id: z.string().min(1).max(100) }) },
    handle: async ({ params: { id }, context: { caller } }) => {
      const seen = boundsFor(caller.grants, 'read');
      const reconcile = await reconciles.find(id, seen);
      if (reconcile === undefined) throw new ProblemError(notFound);
      const timeline = await visibleTimeline(reconcile, seen, figures);
      return {
        status: 200,
        body: {
          ...reconcileAnswer(visibleReconcile(reconcile, seen)),
          ...(timeline && { timeline: timelineAnswer(timeline) }),
        },
      };
    },
  }),
];

type Asked = Omit<z.output<typeof query>, 'limit' | 'after'> & { readonly estate: string };

const filterOf = ({ estate, scope, target, outcome, since, until }: Asked, now: number): ReconcileFilter => ({
  estate,
  scope,
  target,
  outcomes: outcome?.map((one) => (one === 'partial' ? 'partly' : one)),
  since: since?.(now),
  until: until?.(now),
});
