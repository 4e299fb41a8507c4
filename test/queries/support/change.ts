import assert from 'node:assert/strict';
import type { Caller } from '../../../src/http/api/route.ts';
import { callerOf } from '../../http/api/support/api-world.ts';
import { network, rule } from '../../support/engine-world/documents.ts';
import { where } from '../../support/fleet-world.ts';
import { type AnswersWorld, answersWorld, machine } from './answers-world.ts';

/** Somebody with a role in acme, by the credential `id`, whom these names are proven of. */
export const person = (
  id: string,
  identities: readonly string[],
  role: 'approver' | 'operator' | 'admin' = 'admin',
): Caller => callerOf(role, { id, person: id, identities });

const ada = ['ada@acme.example'];

export const people: Readonly<Record<string, Caller>> = {
  root: person('root', ['root@acme.example']),
  bob: person('bob', ['bob@acme.example']),
  ada: person('ada', ada),
  adaAgain: person('token-2', ada),
  adaLoud: person('token-3', ['ADA@Acme.EXAMPLE']),
  adaWide: person('token-4', ['\uff41da@acme.example']),
  adaSpaced: person('token-5', [' ada@acme.example ']),
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
  if (names !== undefined) await store.authors.tell({ estate: 'acme', revision, after }, { names, more });
  return number;
}

export interface Offer {
  readonly digest: string;
  readonly actions: readonly { readonly address: string }[];
  readonly generation: number;
  readonly authors: { readonly refused?: string; readonly unknown: boolean };
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
export async function inForce(others: Readonly<Record<string, Caller>> = {}): Promise<AnswersWorld> {
  const world = answersWorld({ ...people, ...others });
  await bringIn(world, labelled('a'), ['root@acme.example']);
  await world.pass();
  const { status, text } = await approve(world, 'bob');
  assert.equal(status, 201, text);
  assert.equal((await world.pass()).outcome, 'done');
  assert.equal(await world.store.fleet.rollouts.standing(where), 1);
  await world.clock.advance(1_000);
  return world;
}

/** The same, and a change of ada's that waits: a label of a machine. */
export async function waiting(): Promise<AnswersWorld> {
  const world = await inForce();
  await bringIn(world, labelled('b'), ['root@acme.example', 'Ada@acme.example']);
  await world.pass();
  return world;
}

export const tierOf = ({ cloud }: AnswersWorld): unknown =>
  cloud.inspect.live().find(({ type }) => type === 'instance')?.record.tags['tier'];
