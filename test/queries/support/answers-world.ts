import assert from 'node:assert/strict';
import { answersOf } from '../../../src/bootstrap/http-server.ts';
import type { Caller } from '../../../src/http/api/route.ts';
import { actorsRoutes } from '../../../src/http/api/routes/actors.ts';
import { approvalsRoutes } from '../../../src/http/api/routes/approvals.ts';
import { driftRoutes } from '../../../src/http/api/routes/drift.ts';
import { editsRoutes } from '../../../src/http/api/routes/edits.ts';
import { explanationsRoutes } from '../../../src/http/api/routes/explanations.ts';
import { patchesRoutes } from '../../../src/http/api/routes/patches.ts';
import { pausesRoutes } from '../../../src/http/api/routes/pauses.ts';
import { plansRoutes } from '../../../src/http/api/routes/plans.ts';
import { resourceNotesRoutes } from '../../../src/http/api/routes/resource-notes.ts';
import { trafficRoutes } from '../../../src/http/api/routes/traffic.ts';
import { windowsRoutes } from '../../../src/http/api/routes/windows.ts';
import { type ApiWorld, apiWorld, callerOf } from '../../http/api/support/api-world.ts';
import { machineIn, network, rule } from '../../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, treeOf, where } from '../../support/fleet-world.ts';

/** A fleet in memory, and the API that answers out of its store. */
export interface AnswersWorld extends FleetWorld {
  readonly api: ApiWorld;
  /** Somebody changes the machines behind our back. */
  meddle(tier: string): void;
}

export const machine = machineIn({ image: 'img-1', size: 'small' });

export function answersWorld(callers: Readonly<Record<string, Caller>> = {}): AnswersWorld {
  const world = fleetWorld();
  const { store, context, cloud, clock } = world;
  const answers = answersOf(context);
  const desk = {
    ...answers,
    estates: () => store.estates.list(),
    entryPages: store.entryPages,
    figures: store.figures,
    authors: store.authors,
  };
  const routes = [
    actorsRoutes,
    driftRoutes,
    editsRoutes,
    explanationsRoutes,
    approvalsRoutes,
    patchesRoutes,
    pausesRoutes,
    plansRoutes,
    resourceNotesRoutes,
    trafficRoutes,
    windowsRoutes,
  ].flatMap((of) => of(desk));
  return {
    ...world,
    api: apiWorld({ routes, callers, clock }),
    meddle: (tier) => {
      const ids = cloud.inspect.live().flatMap(({ type, id }) => (type === 'instance' ? [id] : []));
      cloud.outside.do('TagObjects', { ids, tags: { tier } });
    },
  };
}

/** Somebody with a role in acme, by the credential `id`, whom these names are proven of. */
const person = (id: string, identities: readonly string[], role: 'approver' | 'operator' | 'admin' = 'admin'): Caller =>
  callerOf(role, { id, person: id, identities });

const ada = ['ada@acme.example'];

export const people: Readonly<Record<string, Caller>> = {
  root: person('root', ['root@acme.example']),
  bob: person('bob', ['bob@acme.example']),
  ada: person('ada', ada),
  adaAgain: person('token-2', ada),
  adaLoud: person('token-3', ['ADA@Acme.EXAMPLE']),
  adaWide: person('token-4', ['\uff41da@acme.example']),
  adaSpaced: person('token-5', [' ada@acme.example ']),
  adaTagged: person('token-11', ['ada+ci@acme.example']),
  adaSecond: person('token-6', ['ops@acme.example', 'ada@acme.example']),
  adaApprover: person('token-7', ada, 'approver'),
  adaByPerson: callerOf('admin', { id: 'token-8', person: 'Ada@acme.example', identities: ['x@acme.example'] }),
  adaBySubject: person('token-9', ['ada']),
  nobody: person('token-10', []),
  operator: person('operator', ['carl@acme.example'], 'operator'),
  ci: person('ci', []),
};

const base = [network({ internet: false }), rule('https')];
export const labelled = (tier: string) => [...base, machine('web', {}, { labels: { tier } })];
const waits = { mode: 'plan' };

/** The next generation, made by these; undefined: nobody knows by whom. */
export async function bringIn(
  { accept, store }: AnswersWorld,
  documents: readonly object[],
  names: readonly string[] | undefined,
  more = false,
): Promise<number> {
  const after = (await store.generations.current('acme'))?.number ?? 0;
  const number = await accept(documents, waits);
  const { revision } = (await store.generations.current('acme')) ?? assert.fail();
  if (names !== undefined) await store.authors.record({ estate: 'acme', revision, after }, { names, more });
  return number;
}

interface Offer {
  readonly digest: string;
  readonly actions: readonly { readonly address: string }[];
  readonly generation: number;
  readonly authors: { readonly denialReason?: string; readonly unknown: boolean };
}

export async function offered({ api }: AnswersWorld, who: string): Promise<Offer> {
  const { status, body, text } = await api.ask(who, 'GET /v1/approvals');
  assert.equal(status, 200, text);
  return body as Offer; // why: the schema of the route has checked it
}

export const approve = async (world: AnswersWorld, who: string, more: object = {}, headers = {}) => {
  const { digest } = await offered(world, who);
  return world.api.ask(who, 'POST /v1/approvals', { body: { digest, reason: 'seen', ...more }, headers });
};

/** One generation in force, made by root and approved by bob, and everything done. */
export async function activeWorld(others: Readonly<Record<string, Caller>> = {}): Promise<AnswersWorld> {
  const world = answersWorld({ ...people, ...others });
  await bringIn(world, labelled('a'), ['root@acme.example']);
  await world.reconcile();
  const { status, text } = await approve(world, 'bob');
  assert.equal(status, 201, text);
  assert.equal((await world.reconcile()).outcome, 'done');
  assert.equal(await world.store.fleet.rollouts.standing(where), 1);
  await world.clock.advance(1_000);
  return world;
}

/** The same, and a change of ada's that waits: a label of a machine. */
export async function waiting(): Promise<AnswersWorld> {
  const world = await activeWorld();
  await bringIn(world, labelled('b'), ['root@acme.example', 'Ada@acme.example']);
  await world.reconcile();
  return world;
}

export const tierOf = ({ cloud }: AnswersWorld): unknown =>
  cloud.inspect.live().find(({ type }) => type === 'instance')?.record.tags['tier'];

/** One generation in force, of a folder: others may be posted. */
export const activeWorldByFolder = (): Promise<AnswersWorld> => activeWorld();

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
  await world.reconcile();
  return id;
}
export const specsOf = (documents: readonly object[], estate: object = waits) => treeOf(documents, estate).specs;

export const post = (world: AnswersWorld, specs: readonly object[], more: object = {}, who = 'ada') =>
  world.api.ask(who, 'POST /v1/plans', { body: { specs, ...more } });

interface Plan extends PlanState {
  readonly id: string;
  readonly subject: string;
  readonly summary: { readonly update: number };
  readonly actions: readonly { readonly address: string; readonly documents: readonly { readonly file: string }[] }[];
}

interface PlanState {
  readonly generation: number;
  readonly activeGeneration: number;
  readonly stale: boolean;
  readonly expiresAt: string;
  readonly observed: { readonly complete: boolean };
}

export const planOf = (body: unknown): Plan => body as Plan; // why: the schema of the route has checked it
