import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { permissionsOf, type Role, roles } from '../../../src/core/access/grant.ts';
import type { Caller } from '../../../src/http/api/route.ts';
import { sameForAll } from '../support/same-for-all.ts';
import { type Answer, type ApiWorld, apiWorld, callerOf } from './support/api-world.ts';
import { everyQuestion, type Question } from './support/every-question.ts';
import { everyRoute } from './support/every-route.ts';
import { nowhere, type Place, strange, type TwoEstates, twoEstates } from './support/two-estates.ts';

/** The answers to operations on the caller's own things that are no success: nothing waits, changes or has this number. */
const ownAnswers: Readonly<Record<string, number>> = {
  ...{ approve: 409, refuseApproval: 409, applyPlan: 409, withdrawApproval: 404 },
  // why: its end is too far off, and there is none to end
  ...{ patch: 409, endPatch: 404 },
  // why: no instance is there; test/queries/traffic.test.ts has more
  readReach: 404,
};

/** One who sees all; and one of each role in a part of the estate that nothing here is of. */
const callers: Readonly<Record<string, Caller>> = {
  all: callerOf('admin', { id: 'all', grants: [{ role: 'admin' }] }),
  ...Object.fromEntries(
    roles.map((role) => [
      `${role} of others`,
      callerOf(role, {
        id: `${role} of others`,
        grants: [{ role, estates: ['acme'], targets: ['elsewhere'], owners: ['others'] }],
      }),
    ]),
  ),
};

// why: signIn asks for no credential, and answers by the token in its body: see test/http/auth/session.test.ts
const questions = everyQuestion(everyRoute).filter(({ id }) => id !== 'signIn');
const holds = (role: Role, { permission }: Question): boolean =>
  permission === undefined || permissionsOf[role].some((one) => one === permission);

const wantedOf = (role: Role, question: Question): number | 'done' =>
  holds(role, question) ? (ownAnswers[question.id] ?? 'done') : 403;

describe('permissions: every operation of the document, five roles, their own estates and others', () => {
  let api: ApiWorld;
  let places: { readonly own: Place; readonly foreign: Place };
  let taken: TwoEstates['taken'];
  const figures = { asked: 0, unexpected: 0, told: 0 };

  before(async () => {
    const { routes, clock, own, foreign, ...world } = await twoEstates();
    taken = world.taken;
    api = apiWorld({ routes, clock, callers });
    places = { own: await withPlan(api, own), foreign: await withPlan(api, foreign) };
  });
  after(async () => {
    await api.close();
    process.stdout.write(`authz: ${JSON.stringify({ operations: questions.length, ...figures })}\n`);
  });

  const ask = async (who: string, question: Question, place: Place): Promise<Answer> => {
    figures.asked += 1;
    // why: no caller may use up its requests of a second
    await api.clock.advance(100);
    const { what, ...sent } = question.ask(place);
    return api.ask(who, what, sent);
  };

  for (const question of questions) {
    it(`${question.id}: nobody without a credential, unless anybody may`, async () => {
      const { status } = await ask('', question, places.own);
      const isOpen = question.permission === undefined && question.id !== 'whoami';
      assert.equal(status < 300 ? 'done' : status, isOpen ? 'done' : 401);
    });
    for (const role of roles)
      it(`${question.id}: ${role}, where it is not theirs, and where there is nothing: the same`, async () => {
        const [foreign, missing] = [await ask(role, question, places.foreign), await ask(role, question, nowhere)];
        if (question.isPlaced && foreign.status < 400) figures.unexpected += 1;
        if (JSON.stringify(sameForAll(foreign)) !== JSON.stringify(sameForAll(missing))) figures.told += 1;
        assert.deepEqual(sameForAll(foreign), sameForAll(missing));
        assert.ok(!question.isPlaced || foreign.status >= 400, `${foreign.status}`);
        if (!holds(role, question)) assert.equal(foreign.status, 403);
        assert.ok(!foreign.text.includes(strange), foreign.text);
      });
  }

  for (const question of questions)
    for (const role of roles)
      it(`${question.id}: ${role}, about their own`, async () => {
        const { status, text } = await ask(role, question, places.own);
        if (!holds(role, question) && status < 300) figures.unexpected += 1;
        assert.equal(status < 300 ? 'done' : status, wantedOf(role, question), text);
        assert.ok(!text.includes(strange), text);
      });

  for (const question of questions.filter(({ path }) => path.includes('{')))
    for (const role of roles)
      it(`${question.id}: ${role} of another part of the estate: as if it were not there`, async () => {
        const others = await ask(`${role} of others`, question, places.own);
        const missing = await ask(`${role} of others`, question, { ...nowhere, estate: places.own.estate });
        if (others.status < 400) figures.unexpected += 1;
        if (JSON.stringify(sameForAll(others)) !== JSON.stringify(sameForAll(missing))) figures.told += 1;
        assert.deepEqual(sameForAll(others), sameForAll(missing));
      });

  it('asks the store the same about what is not theirs as about what is not there, so neither takes longer', async () => {
    const callsFor = async (question: Question, place: Place): Promise<readonly string[]> => {
      taken();
      await ask('viewer', question, place);
      return taken();
    };
    for (const question of questions.filter(({ method, isPlaced }) => method === 'GET' && isPlaced))
      assert.deepEqual(await callsFor(question, places.foreign), await callsFor(question, nowhere), question.id);
  });
});

/** A plan of the estate, as somebody made one. */
async function withPlan(api: ApiWorld, place: Place): Promise<Place> {
  const { status, headers, text } = await api.ask('all', 'POST /v1/plans', {
    body: { estate: place.estate, active: true },
  });
  assert.equal(status, 201, text);
  return { ...place, ids: { ...place.ids, plan: String(headers['location']).split('/').at(-1) ?? '' } };
}
