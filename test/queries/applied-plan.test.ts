import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, callerOf } from '../http/api/support/api-world.ts';
import { network } from '../support/engine-world/documents.ts';
import { where } from '../support/fleet-world.ts';
import type { AnswersWorld } from './support/answers-world.ts';
import { approve, inForce, labelled, tierOf } from './support/change.ts';
import { planOf, post, postPlan, specsOf } from './support/posted.ts';

const listOf = ({ text }: Answer): { readonly items: readonly { readonly id: string }[]; readonly next?: string } =>
  JSON.parse(text);

const apply = (world: AnswersWorld, id: string, who = 'operator') =>
  world.api.ask(who, `POST /v1/plans/${id}/apply`, { body: { reason: 'launch' } });

describe('a plan that is brought into force', () => {
  it('is the next generation, with its poster among the authors; others approve it, and workers do it', async () => {
    const world = await inForce();
    const id = await postPlan(world, 'ada');
    const { status, text } = await apply(world, id);
    assert.equal(status, 202, text);
    assert.deepEqual(
      { ...JSON.parse(text), revision: '' },
      { estate: 'acme', generation: 2, revision: '', scopes: [where.scope] },
    );
    const [authors] = await world.store.authors.since('acme', 1, 10);
    assert.ok(authors?.told?.names.includes('ada@acme.example') && authors.told.names.includes('carl@acme.example'));
    assert.match((await world.store.fleet.requests.pulse(where)).reason ?? '', /generation 2/);
    await world.pass();
    assert.equal(tierOf(world), 'a', 'the mode is plan: a person lets it pass');
    assert.equal((await approve(world, 'bob')).status, 201);
    await world.pass();
    assert.equal(tierOf(world), 'b');
  });

  it('is refused, action by action, where the clouds have moved since', async () => {
    const world = await inForce();
    const id = await postPlan(world, 'ada');
    world.meddle('by hand');
    await world.pass();
    const { status, text } = await apply(world, id);
    assert.equal(status, 409);
    assert.deepEqual(
      JSON.parse(text).stale.map((one: { address: string; verb: string }) => [one.address, one.verb]),
      [['memory/acme/north/instance/web-0', 'update']],
    );
    assert.equal((await world.store.generations.current('acme'))?.number, 1);
  });

  it('is refused where it would do more than was shown', async () => {
    const world = await inForce();
    const { body } = await post(world, specsOf([...labelled('b'), network({}, { name: 'other' })]));
    const { id } = planOf(body);
    const kept = (await world.store.proposals.read(id)) ?? assert.fail();
    const [plan] = kept.planned.plans;
    assert.ok(plan && plan.actions.length > 1);
    // why: as if it had been made while the other network still stood
    const planned = { ...kept.planned, plans: [{ ...plan, actions: plan.actions.slice(0, 1) }] };
    await world.store.proposals.keep({ ...kept, planned, head: { ...kept.head, id: 'less' } }, 10);
    const { status, text } = await apply(world, 'less');
    assert.equal(status, 409);
    assert.match(text, /it was not in the plan/);
  });

  it('is refused where what is in force came out of a repository', async () => {
    const world = await inForce();
    const { revision, guards } = (await world.store.generations.current('acme')) ?? assert.fail();
    const tree = (await world.store.fleet.trees.read('acme', revision)) ?? assert.fail();
    const commit = `git:${'a'.repeat(40)}`;
    await world.store.fleet.trees.keep('acme', commit, tree);
    await world.store.generations.accept('acme', commit, guards);
    const { status, text } = await apply(world, await postPlan(world, 'ada'));
    assert.equal(status, 409);
    assert.match(text, /Merge it/);
  });
});

describe('plans of others', () => {
  it('are not brought into force by whoever operates a part, and of another’s estate there are none', async () => {
    const callers = {
      part: callerOf('operator', {
        id: 'part',
        grants: [
          { role: 'operator', estates: ['acme'], targets: ['here'] },
          { role: 'viewer', estates: ['acme'] },
        ],
      }),
      other: callerOf('admin', { id: 'other', grants: [{ role: 'admin', estates: ['other'] }] }),
    };
    const world = await inForce(callers);
    const id = await postPlan(world, 'ada');
    assert.equal((await apply(world, id, 'part')).status, 403);
    const foreign = await apply(world, id, 'other');
    const missing = await apply(world, 'no-such-plan', 'other');
    assert.deepEqual([foreign.status, foreign.text], [404, missing.text]);
  });

  it('are listed newest first, in pages: all to whoever sees the estate, else one’s own', async () => {
    const part = callerOf('planner', {
      id: 'part',
      grants: [{ role: 'planner', estates: ['acme'], owners: ['team-web'] }],
    });
    const world = await inForce({ part });
    const ids = [await postPlan(world, 'ada', 'b'), await postPlan(world, 'bob', 'c')];
    const mine = planOf((await world.api.ask('part', 'POST /v1/plans', { body: { inForce: true } })).body).id;
    const list = async (who: string, query = '') => listOf(await world.api.ask(who, `GET /v1/plans${query}`));
    assert.deepEqual(
      (await list('viewer')).items.map(({ id }) => id),
      [mine, ...ids.toReversed()],
    );
    const first = await list('viewer', '?limit=2');
    assert.equal(first.items.length, 2);
    assert.deepEqual(
      (await list('viewer', `?limit=2&after=${first.next}`)).items.map(({ id }) => id),
      [ids[0]],
    );
    assert.deepEqual(
      (await list('part')).items.map(({ id }) => id),
      [mine],
    );
    assert.equal((await world.api.ask('part', `GET /v1/plans/${ids[0]}`)).status, 404);
  });
});
