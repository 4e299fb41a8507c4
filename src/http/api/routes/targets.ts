import { z } from 'zod';
import { boundsFor, mayDo } from '../../../core/access/grant.ts';
import type { TargetReport, Targets } from '../../../ports/queries.ts';
import type { RateLimitLevel } from '../../../ports/telemetry.ts';
import { forbidden, notFound, orDeclinedProblem, ProblemError } from '../../problem.ts';
import { estateField, reasonField, resolveEstate } from '../fields.ts';
import { type RequestContext, type Route, route } from '../route.ts';
import { exampleOf, examples, story } from '../schemas/examples.ts';
import { observationSchema, oldestObservation } from '../schemas/observation.ts';
import { type TargetContext, targetAnswer, targetSchema } from '../schemas/target.ts';

export interface TargetsDependencies {
  readonly targets: Targets;
  estates(): Promise<readonly string[]>;
  /** The rate budgets that this process uses; absent: it carries out no reconciles. */
  rateLimits?(): Promise<readonly RateLimitLevel[]>;
}

const params = z.strictObject({ name: z.string().min(1).max(200) });
const query = z.strictObject({ estate: estateField });

const listSchema = z
  .object({ items: z.array(targetSchema), observed: observationSchema })
  .meta({ id: 'Targets', description: 'By the specs in force, sorted by name' })
  .register(examples, { example: { items: [exampleOf(targetSchema)], observed: exampleOf(observationSchema) } });

export const targetsRoutes = (dependencies: TargetsDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/targets',
    operation: {
      id: 'listTargets',
      tag: 'Targets',
      summary: 'Where the estate lies: how old and complete each look is, what it found, and when the next pass comes',
      responses: { 200: { description: 'All that you see', schema: listSchema } },
    },
    permission: 'read',
    request: { query },
    handle: async ({ query: asked, context }) => {
      const { reports, ...around } = await seenTargets(
        { asked: asked.estate, in: 'query', permission: 'read' },
        context,
        dependencies,
      );
      const rateLimits = await dependencies.rateLimits?.();
      const items = reports.map((one) => targetAnswer(one, { ...around, now: context.now, rateLimits }));
      return { status: 200, body: { items, observed: oldestObservation(reports.map(lookOf), context.now) } };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/targets/{name}',
    operation: {
      id: 'readTarget',
      tag: 'Targets',
      summary: 'One target',
      responses: { 200: { description: 'How it stands', schema: targetSchema } },
    },
    permission: 'read',
    request: { params, query },
    handle: async ({ params: { name }, query: asked, context }) => {
      const { reports, ...around } = await seenTargets(
        { asked: asked.estate, in: 'query', permission: 'read' },
        context,
        dependencies,
      );
      const rateLimits = await dependencies.rateLimits?.();
      return { status: 200, body: targetAnswer(named(name, reports), { ...around, now: context.now, rateLimits }) };
    },
  }),
  reconcileRoute(dependencies),
];

const requestedReconcileSchema = z
  .object({
    estate: z.string(),
    target: z.string(),
    scope: z.string(),
    reason: z
      .string()
      .meta({ description: 'As the pass will say it to those who see all of the estate: /v1/reconciles?target=…' }),
  })
  .meta({ id: 'ReconcileRequest', description: 'A worker sees it within a second' })
  .register(examples, {
    example: {
      estate: story.estate,
      target: story.target,
      scope: story.scope,
      reason: `${story.person}: after the change of the network`,
    },
  });

const reconcileRoute = (dependencies: TargetsDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/targets/{name}/reconcile',
    operation: {
      id: 'reconcileTarget',
      tag: 'Targets',
      summary: 'Ask for a pass now',
      description:
        'Of all of the scope that the target lies in. One that runs there begins again, by what is in force then. Whoever is bounded to owners may not.',
      responses: { 202: { description: 'It was asked for', schema: requestedReconcileSchema } },
    },
    permission: 'operate',
    request: {
      params,
      body: z.strictObject({
        estate: estateField,
        reason: reasonField.max(300).meta({ description: 'For those who read it later' }),
      }),
    },
    handle: async ({ params: { name }, body, context }) => {
      const { estate, reports } = await seenTargets(
        { asked: body.estate, in: 'body', permission: 'operate' },
        context,
        dependencies,
      );
      const { scope } = named(name, reports).place;
      if (!mayDo(context.caller.grants, 'operate', { estate, targets: [name] }))
        throw new ProblemError(forbidden('operate'));
      const reason = `${context.caller.person}: ${body.reason}`;
      await dependencies.targets.requestReconcile({ estate, scope, reason });
      return { status: 202, body: { estate, target: name, scope, reason } };
    },
  });

interface SeenTargets extends Pick<TargetContext, 'estate' | 'seen'> {
  readonly reports: readonly TargetReport[];
}

async function seenTargets(
  question: Parameters<typeof resolveEstate>[0],
  { caller, now }: RequestContext,
  { targets, estates }: TargetsDependencies,
): Promise<SeenTargets> {
  const estate = await resolveEstate(question, caller, estates);
  const seen = boundsFor(caller.grants, 'read');
  return { estate, seen, reports: await orDeclinedProblem(targets.list({ estate, seen, now })) };
}

function named(name: string, reports: readonly TargetReport[]): TargetReport {
  const found = reports.find((one) => one.name === name);
  if (found === undefined) throw new ProblemError(notFound);
  return found;
}

const lookOf = ({ look }: TargetReport) => look;
