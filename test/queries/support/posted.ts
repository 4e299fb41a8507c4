import assert from 'node:assert/strict';
import { treeOf } from '../../support/fleet-world.ts';
import type { AnswersWorld } from './answers-world.ts';
import { inForce, labelled } from './change.ts';

/** One generation in force, of a folder: others may be posted. */
export const inForceByFolder = (): Promise<AnswersWorld> => inForce();

/** A plan of posted specs that label a machine otherwise; answers with its id. */
export async function postPlan({ api }: AnswersWorld, who: string, tier = 'b'): Promise<string> {
  const { specs } = treeOf(labelled(tier), { mode: 'plan' });
  const { status, text, body } = await api.ask(who, 'POST /v1/plans', { body: { specs } });
  assert.equal(status, 201, text);
  return (body as { id: string }).id; // why: the schema of the route has checked it
}

/** Posted by one and brought into force by another; a worker has looked at it. Answers with the plan's id. */
export async function applied(world: AnswersWorld, poster: string, applier: string): Promise<string> {
  const id = await postPlan(world, poster);
  const { status, text } = await world.api.ask(applier, `POST /v1/plans/${id}/apply`, { body: { reason: 'go' } });
  assert.equal(status, 202, text);
  await world.pass();
  return id;
}

const waits = { mode: 'plan' };
export const specsOf = (documents: readonly object[], estate: object = waits) => treeOf(documents, estate).specs;

export const post = (world: AnswersWorld, specs: readonly object[], more: object = {}, who = 'ada') =>
  world.api.ask(who, 'POST /v1/plans', { body: { specs, ...more } });

export interface Plan extends PlanState {
  readonly id: string;
  readonly of: string;
  readonly summary: { readonly update: number };
  readonly actions: readonly { readonly address: string; readonly documents: readonly { readonly file: string }[] }[];
}

interface PlanState {
  readonly generation: number;
  readonly beside: number;
  readonly stale: boolean;
  readonly expiresAt: string;
  readonly observed: { readonly complete: boolean };
}

export const planOf = (body: unknown): Plan => body as Plan; // why: the schema of the route has checked it
