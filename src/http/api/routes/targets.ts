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
  .meta({ id: 'Targets', description: 'Targets of the active specs, sorted by name' })
  .register(examples, { example: { items: [exampleOf(targetSchema)], observed: exampleOf(observationSchema) } });

export const targetsRoutes = (dependencies: TargetsDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/targets',
    operation: {
      id: 'listTargets',
      tag: 'Targets',
      summary: 'List targets with their observations, resource counts and next reconciles',
      responses: { 200: { description: 'The targets that you see', schema: listSchema } },
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
      summary: 'Read one target',
      responses: { 200: { description: 'The target', schema: targetSchema } },
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
      .meta({ description: 'The reason as /v1/reconciles?target=… shows it to callers that see all of the estate' }),
  })
  .meta({ id: 'ReconcileRequest', description: 'A stored request; a worker sees it within a second' })
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
      summary: 'Request a reconcile now',
      description:
        'It covers the whole scope of the target. A running reconcile there starts again with the active generation. A grant limited to owners does not permit this.',
      responses: { 202: { description: 'The reconcile request', schema: requestedReconcileSchema } },
    },
    permission: 'operate',
    request: {
      params,
      body: z.strictObject({
        estate: estateField,
        reason: reasonField.max(300).meta({ description: 'The reason, for later readers' }),
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
