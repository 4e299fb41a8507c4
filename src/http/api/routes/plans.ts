import { z } from 'zod';
import { boundsFor, mayDo, type Permission } from '../../../core/access/grant.ts';
import type { PlanAnswers, PlanNamed, PlanReader } from '../../../ports/queries.ts';
import { forbidden, orDeclinedProblem, ProblemError } from '../../problem.ts';
import { sha256 } from '../../sha256.ts';
import {
  afterField,
  estateField,
  limitField,
  nextField,
  reasonField,
  resolveEstate,
  targetsBodyField,
} from '../fields.ts';
import { type Caller, posterOf, type Route, route } from '../route.ts';
import { exampleOf, examples, story } from '../schemas/examples.ts';
import { madePlanAnswer, madePlanSchema, planHeadAnswer, planHeadSchema } from '../schemas/plan.ts';

export interface PlansDependencies {
  readonly plans: PlanAnswers;
  estates(): Promise<readonly string[]>;
}

export const plansRoutes = (dependencies: PlansDependencies): readonly Route[] => [
  make(dependencies),
  listed(dependencies),
  read(dependencies),
  apply(dependencies),
];

const mostBytes = 8 * 1024 * 1024;
const mostFiles = 2000;

/** In one another, as of any tree of specs: deeper ones are refused before a folder of them is made. */
const mostFolders = 16;

const path = z
  .string()
  .min(1)
  .max(1000)
  .regex(new RegExp(`^[^/]+(?:/[^/]+){0,${mostFolders}}$`), `names parted by /, in at most ${mostFolders} folders`)
  .meta({ description: `In the tree, with /; in at most ${mostFolders} folders` });
const once = <T extends { readonly path: string }>(files: readonly T[]): boolean =>
  new Set(files.map((file) => file.path)).size === files.length;

const spec = z.strictObject({ path, text: z.string().max(4 * 1024 * 1024) });
const script = z.strictObject({ path, base64: z.base64().max(512 * 1024) });

const make = ({ plans, estates }: PlansDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/plans',
    operation: {
      id: 'createPlan',
      tag: 'Plans',
      summary: 'Plan specs that you send, as for a pull request, or the active specs',
      description:
        'Setpoint does not trust the specs that you send. It uses the active credentials, targets, limits and modes, and rejects specs that change them with 422. The plan uses the newest observations, calls no cloud and changes nothing. Setpoint keeps it for 7 days.',
      responses: { 201: { description: 'The plan', schema: madePlanSchema } },
    },
    permission: 'plan',
    maySendLargeBody: plansWhole,
    request: {
      bodyBytes: mostBytes,
      body: z
        .strictObject({
          estate: estateField,
          specs: z.array(spec).min(1).max(mostFiles).refine(once, 'each path once').optional(),
          userData: z.array(script).max(mostFiles).refine(once, 'each path once').default([]),
          team: z
            .string()
            .min(1)
            .max(200)
            .optional()
            .meta({ description: 'The source whose repository the specs belong to' }),
          active: z.literal(true).optional().meta({ description: 'Plan the active specs; instead of `specs`' }),
          targets: targetsBodyField.meta({ description: 'With `active`: only the scopes of these targets' }),
        })
        .refine(({ specs, active }) => (specs === undefined) === (active === true), {
          error: 'either `specs` or `active`',
          path: ['specs'],
        })
        .refine(({ specs, targets }) => specs === undefined || targets === undefined, {
          error: 'nothing, where specs are sent',
          path: ['targets'],
        }),
    },
    handle: async ({ body, context: { caller, now } }) => {
      const { specs, userData, team, targets } = body;
      const estate = await resolveEstate({ asked: body.estate, in: 'body', permission: 'plan' }, caller, estates);
      // why: a refusal and a plan show all active specs
      if (specs !== undefined) refuseBounded(caller, 'plan', estate);
      const made = await orDeclinedProblem(
        plans.make({
          estate,
          seen: boundsFor(caller.grants, 'plan'),
          by: posterOf(caller),
          targets,
          posted: specs && { specs, userData, team },
        }),
      );
      const headers = { location: `/v1/plans/${made.head.id}` };
      return { status: 201, body: madePlanAnswer(made, { now, hash: sha256 }), headers };
    },
  });

/** True where they may post specs at all: a plan of these shows all of an estate. */
const plansWhole = ({ grants }: Caller): boolean =>
  boundsFor(grants, 'plan').some(({ targets, owners }) => targets === undefined && owners === undefined);

/** For what cannot be divided. */
function refuseBounded({ grants }: Caller, permission: Permission, estate: string): void {
  if (!mayDo(grants, permission, { estate })) throw new ProblemError(forbidden(permission));
}

const listed = ({ plans, estates }: PlansDependencies): Route =>
  route({
    method: 'GET',
    path: '/v1/plans',
    operation: {
      id: 'listPlans',
      tag: 'Plans',
      summary: 'List saved plans, newest first: all if you see all of the estate, else your own',
      responses: {
        200: {
          description: 'The plans that have not expired',
          schema: z
            .object({ items: z.array(planHeadSchema), next: nextField })
            .meta({ id: 'Plans' })
            .register(examples, { example: { items: [exampleOf(planHeadSchema)] } }),
        },
      },
    },
    permission: 'read',
    request: { query: z.strictObject({ estate: estateField, limit: limitField, after: afterField }) },
    handle: async ({ query: { estate: asked, limit, after }, context: { caller } }) => {
      const estate = await resolveEstate({ asked, in: 'query', permission: 'read' }, caller, estates);
      const heads = await orDeclinedProblem(plans.list({ estate, ...readerOf(caller), limit: limit + 1, after }));
      const items = heads.slice(0, limit);
      const next = heads.length > limit ? items.at(-1)?.id : undefined;
      return { status: 200, body: { items: items.map(planHeadAnswer), next } };
    },
  });

const named = { params: z.strictObject({ id: z.string().min(1).max(100) }) };

const asked = (id: string, caller: Caller): PlanNamed => ({ id, ...readerOf(caller) });

const readerOf = (caller: Caller): PlanReader => ({
  by: posterOf(caller),
  reads: boundsFor(caller.grants, 'read'),
});

const read = ({ plans }: PlansDependencies): Route =>
  route({
    method: 'GET',
    path: '/v1/plans/{id}',
    operation: {
      id: 'readPlan',
      tag: 'Plans',
      summary: 'Read a saved plan',
      responses: {
        200: { description: 'The plan; `stale` if another generation is active now', schema: madePlanSchema },
      },
    },
    permission: 'read',
    request: named,
    handle: async ({ params: { id }, context: { caller, now } }) => {
      const made = await orDeclinedProblem(plans.read(asked(id, caller)));
      return { status: 200, body: madePlanAnswer(made, { now, hash: sha256 }) };
    },
  });

const apply = ({ plans }: PlansDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/plans/{id}/apply',
    operation: {
      id: 'applyPlan',
      tag: 'Plans',
      summary: 'Activate the specs of a plan as the next generation',
      description:
        'Refused if Setpoint follows a source: merge the specs there. Refused if another generation is active now, or a new plan differs. Workers apply it as far as modes and limits permit. You and its creator count as authors.',
      responses: {
        202: {
          description: 'The specs are active, and Setpoint requested reconciles',
          schema: z
            .object({
              estate: z.string(),
              generation: z.int(),
              revision: z.string(),
              scopes: z
                .array(z.string())
                .meta({ description: 'The scopes of the requested reconciles: see /v1/reconciles' }),
            })
            .meta({ id: 'AppliedPlan' })
            .register(examples, {
              example: {
                estate: story.estate,
                generation: 8,
                revision: 'posted:4f2a0c1be0f5a4b6f8b1c2d3e4f5a6b7c8d9e0f1',
                scopes: [story.scope],
              },
            }),
        },
      },
    },
    permission: 'operate',
    request: { ...named, body: z.strictObject({ reason: reasonField }) },
    handle: async ({ params: { id }, body: { reason }, context: { caller } }) => {
      const { head } = await orDeclinedProblem(plans.read(asked(id, caller)));
      refuseBounded(caller, 'operate', head.estate);
      return { status: 202, body: await orDeclinedProblem(plans.apply({ ...asked(id, caller), reason })) };
    },
  });
