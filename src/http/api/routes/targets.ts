import { z } from 'zod';
import { boundsFor, mayDo } from '../../../core/access/grant.ts';
import type { TargetReport, Targets } from '../../../ports/queries.ts';
import type { LaneLevel } from '../../../ports/telemetry.ts';
import { askedEstate, estateField } from '../asked-estate.ts';
import { answered } from '../declined.ts';
import { forbidden, notFound } from '../problems.ts';
import { reasonField } from '../reason-field.ts';
import { Refusal } from '../refusal.ts';
import type { Circumstance, Route } from '../route.ts';
import { exampleOf, examples, story } from '../shapes/examples.ts';
import { lookShape, oldestLook } from '../shapes/look.ts';
import { type TargetAround, targetAnswer, targetShape } from '../shapes/target.ts';
import { route } from '../typed-route.ts';

export interface TargetsDesk {
  readonly targets: Targets;
  estates(): Promise<readonly string[]>;
  /** The rate budgets that this process uses; absent: it carries out no passes. */
  lanes?(): Promise<readonly LaneLevel[]>;
}

const params = z.strictObject({ name: z.string().min(1).max(200) });
const query = z.strictObject({ estate: estateField });

const listShape = z
  .object({ items: z.array(targetShape), observed: lookShape })
  .meta({ id: 'Targets', description: 'By the specs in force, sorted by name' })
  .register(examples, { example: { items: [exampleOf(targetShape)], observed: exampleOf(lookShape) } });

export const targetsRoutes = (desk: TargetsDesk): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/targets',
    says: {
      id: 'listTargets',
      tag: 'Targets',
      summary: 'Where the estate lies: how old and complete each look is, what it found, and when the next pass comes',
      answers: { 200: { description: 'All that you see', schema: listShape } },
    },
    needs: 'read',
    asks: { query },
    handle: async ({ query: asked, by }) => {
      const { reports, ...around } = await seenTargets({ asked: asked.estate, in: 'query', needs: 'read' }, by, desk);
      const lanes = await desk.lanes?.();
      const items = reports.map((one) => targetAnswer(one, { ...around, now: by.now, lanes }));
      return { status: 200, body: { items, observed: oldestLook(reports.map(lookOf), by.now) } };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/targets/{name}',
    says: {
      id: 'readTarget',
      tag: 'Targets',
      summary: 'One target',
      answers: { 200: { description: 'How it stands', schema: targetShape } },
    },
    needs: 'read',
    asks: { params, query },
    handle: async ({ params: { name }, query: asked, by }) => {
      const { reports, ...around } = await seenTargets({ asked: asked.estate, in: 'query', needs: 'read' }, by, desk);
      const lanes = await desk.lanes?.();
      return { status: 200, body: targetAnswer(named(name, reports), { ...around, now: by.now, lanes }) };
    },
  }),
  reconcileRoute(desk),
];

const wishedShape = z
  .object({
    estate: z.string(),
    target: z.string(),
    scope: z.string(),
    reason: z
      .string()
      .meta({ description: 'As the pass will say it to those who see all of the estate: /v1/reconciles?target=…' }),
  })
  .meta({ id: 'WishedPass', description: 'A worker sees it within a second' })
  .register(examples, {
    example: {
      estate: story.estate,
      target: story.target,
      scope: story.scope,
      reason: `${story.person}: after the change of the network`,
    },
  });

const reconcileRoute = (desk: TargetsDesk): Route =>
  route({
    method: 'POST',
    path: '/v1/targets/{name}/reconcile',
    says: {
      id: 'reconcileTarget',
      tag: 'Targets',
      summary: 'Ask for a pass now',
      description:
        'Of all of the scope that the target lies in. One that runs there begins again, by what is in force then. Whoever is bounded to owners may not.',
      answers: { 202: { description: 'It was asked for', schema: wishedShape } },
    },
    needs: 'operate',
    asks: {
      params,
      body: z.strictObject({
        estate: estateField,
        reason: reasonField.max(300).meta({ description: 'For those who read it later' }),
      }),
    },
    handle: async ({ params: { name }, body, by }) => {
      const { estate, reports } = await seenTargets({ asked: body.estate, in: 'body', needs: 'operate' }, by, desk);
      const { scope } = named(name, reports).place;
      if (!mayDo(by.caller.grants, 'operate', { estate, targets: [name] })) throw new Refusal(forbidden('operate'));
      const reason = `${by.caller.person}: ${body.reason}`;
      await desk.targets.wish({ estate, scope, reason });
      return { status: 202, body: { estate, target: name, scope, reason } };
    },
  });

interface SeenTargets extends Pick<TargetAround, 'estate' | 'seen'> {
  readonly reports: readonly TargetReport[];
}

async function seenTargets(
  question: Parameters<typeof askedEstate>[0],
  { caller, now }: Circumstance,
  { targets, estates }: TargetsDesk,
): Promise<SeenTargets> {
  const estate = await askedEstate(question, caller, estates);
  const seen = boundsFor(caller.grants, 'read');
  return { estate, seen, reports: await answered(targets.list({ estate, seen, now })) };
}

function named(name: string, reports: readonly TargetReport[]): TargetReport {
  const found = reports.find((one) => one.name === name);
  if (found === undefined) throw new Refusal(notFound);
  return found;
}

const lookOf = ({ look }: TargetReport) => look;
