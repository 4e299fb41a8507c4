import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Grant } from '../../src/core/access/grant.ts';
import type { KeptRow } from '../../src/ports/inventory-rows.ts';
import { callerOf } from '../http/api/support/api-world.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { where } from '../support/fleet-world.ts';
import { type AnswersWorld, answersWorld, approve, bringIn, machine, people } from './support/answers-world.ts';

const address = `${where.scope}/instance/web-0`;

const withGrants = (id: string, ...grants: readonly Grant[]) =>
  callerOf('viewer', { id, person: id, grants: grants.map((grant) => ({ estates: ['acme'], ...grant })) });

const callers = {
  ...people,
  viewer: withGrants('viewer', { role: 'viewer' }),
  web: withGrants('web', { role: 'planner', owners: ['team-web'] }),
  db: withGrants('db', { role: 'planner', owners: ['team-db'] }),
  dbSeesAll: withGrants('seer', { role: 'planner', owners: ['team-db'] }, { role: 'viewer' }),
};

const owned = (owner: string) => [
  network({ internet: false }),
  rule('https'),
  machine('web', {}, { owner, labels: { tier: 'a' } }),
];

/** A machine of team-web, in sync, that somebody changes then. */
async function drifted(): Promise<AnswersWorld> {
  const world = answersWorld(callers);
  await bringIn(world, owned('team-web'), ['root@acme.example']);
  await world.reconcile();
  assert.equal((await approve(world, 'bob')).status, 201);
  await world.reconcile();
  await world.clock.advance(1_000);
  world.meddle('by hand');
  await world.clock.advance(1_000);
  await world.reconcile();
  await world.clock.advance(1_000);
  return world;
}

const post = async ({ api }: AnswersWorld, who: string, path: string, more: object = {}) => {
  const { status, text } = await api.ask(who, `POST /v1/${path}`, { body: { address, ...more } });
  return { status, body: JSON.parse(text) };
};

async function driftOf({ api }: AnswersWorld, who: string) {
  const { status, text } = await api.ask(who, 'GET /v1/drift');
  assert.equal(status, 200, text);
  const { actions, assignments, comments } = JSON.parse(text);
  return { actions, assignments, comments };
}

const notesIn = ({ store }: AnswersWorld) => store.fleet.resourceNotes.list('acme', [address]);

describe('an assignment over the API', () => {
  it('is shown with the drift of the resource, until another person takes it on', async () => {
    const world = await drifted();
    const first = await post(world, 'web', 'assignments', { reason: 'mine' });
    assert.equal(first.status, 201);
    const { at, ...assignment } = first.body.assignment;
    assert.deepEqual([first.body.estate, assignment], ['acme', { address, actor: 'web', reason: 'mine' }]);
    assert.equal(new Date(at).getTime(), world.clock.now());
    assert.deepEqual((await driftOf(world, 'viewer')).assignments, [first.body.assignment]);
    const second = await post(world, 'bob', 'assignments');
    assert.deepEqual(second.body.replaced, first.body.assignment);
    assert.deepEqual((await driftOf(world, 'viewer')).assignments, [second.body.assignment]);
    assert.equal('reason' in second.body.assignment, false);
  });

  it('is neither replaced nor ended by one who saw another', async () => {
    const world = await drifted();
    const { body: first } = await post(world, 'web', 'assignments', { expected: null });
    const seen = { actor: 'web', at: first.assignment.at };
    for (const expected of [null, { ...seen, actor: 'ann' }, { ...seen, at: '2020-01-01T00:00:00.000Z' }])
      for (const path of ['assignments', 'assignments/end']) {
        const { status, body } = await post(world, 'bob', path, { expected });
        assert.deepEqual([status, body.assignment], [409, first.assignment]);
      }
    const { assignments } = await notesIn(world);
    assert.deepEqual(
      assignments.map(({ person }) => person),
      ['web'],
    );
    const second = await post(world, 'bob', 'assignments', { expected: seen });
    assert.deepEqual([second.status, second.body.replaced], [201, first.assignment]);
    const bobs = { actor: second.body.assignment.actor, at: second.body.assignment.at };
    const ended = await post(world, 'web', 'assignments/end', { expected: bobs });
    assert.deepEqual([ended.status, ended.body.ended], [200, second.body.assignment]);
    assert.equal((await post(world, 'web', 'assignments/end', { expected: bobs })).status, 200, 'it ended already');
    assert.equal((await post(world, 'web', 'assignments', { expected: { actor: 'web' } })).status, 400);
  });

  it('ends by a person, once', async () => {
    const world = await drifted();
    const { body } = await post(world, 'web', 'assignments');
    const ended = await post(world, 'bob', 'assignments/end', { reason: 'on leave' });
    assert.deepEqual([ended.status, ended.body], [200, { estate: 'acme', ended: body.assignment }]);
    assert.deepEqual((await post(world, 'bob', 'assignments/end')).body, { estate: 'acme' });
    assert.deepEqual((await driftOf(world, 'viewer')).assignments, []);
  });

  it('ends once a reconcile finds the resource in sync, and not while a listing fails', async () => {
    const world = await drifted();
    assert.equal((await post(world, 'web', 'assignments')).status, 201);
    world.meddle('a');
    await world.clock.advance(1_000);
    world.cloud.faults.add({ on: 'ListNetworks', fault: { do: 'refuse', code: 'Denied' } });
    await world.reconcile();
    assert.equal((await notesIn(world)).assignments.length, 1);
    world.cloud.faults.clear();
    await world.clock.advance(1_000);
    await world.reconcile();
    assert.deepEqual((await notesIn(world)).assignments, []);
  });
});

describe('comments over the API', () => {
  it('are shown with the drift, newest first, and are entries of the ledger', async () => {
    const world = await drifted();
    for (const text of ['from the load test', 'ends on friday']) {
      const { status, body } = await post(world, 'web', 'comments', { text });
      assert.deepEqual([status, body.comment.text, body.comment.actor], [201, text, 'web']);
    }
    const { comments } = await driftOf(world, 'viewer');
    assert.deepEqual(
      comments.map(({ text }: { readonly text: string }) => text),
      ['ends on friday', 'from the load test'],
    );
    const entries: unknown[] = [];
    for await (const { body } of world.store.ledger.entries({ estate: 'acme', address })) entries.push(body['note']);
    const of = { by: 'address', name: address };
    assert.deepEqual(entries.at(-1), { comment: { of, person: 'web', reason: 'ends on friday' } });
  });
});

/** The caller, and the answer to a word on a machine of team-web. */
const askers: readonly (readonly [who: string, status: number])[] = [
  ['web', 201],
  ['bob', 201],
  ['operator', 201],
  ['viewer', 403],
  ['db', 404],
  ['dbSeesAll', 403],
];

describe('the bounds of words on a resource', () => {
  for (const [who, status] of askers)
    it(`${who}: ${status}`, async () => {
      const world = await drifted();
      assert.equal((await post(world, who, 'assignments')).status, status);
      assert.equal((await post(world, who, 'comments', { text: 'seen' })).status, status);
      assert.equal((await post(world, who, 'assignments/end')).status, status === 201 ? 200 : status);
      const { assignments, comments } = await notesIn(world);
      assert.deepEqual([assignments.length, comments.length], [0, status === 201 ? 1 : 0]);
    });

  it('is the address of a resource or a unique end of it, and a text of one line', async () => {
    const world = await drifted();
    for (const wrong of ['0', 'eb-0', 'instance/web', `${where.scope}/instance/nothing`])
      assert.equal((await post(world, 'web', 'assignments', { address: wrong })).status, 404, wrong);
    const { status, body } = await post(world, 'web', 'assignments', { address: 'instance/web-0' });
    assert.deepEqual([status, body.assignment.address], [201, address]);
    const [row] = await world.store.rows.find({ seen: [{}], of: address });
    const twin = `${where.scope}/group/web-0`;
    const rows = row === undefined ? [] : [row, { ...row, key: twin, called: { ...row.called, address: twin } }];
    await world.store.rows.keep(where, { at: world.clock.now(), rows, gaps: [] });
    const several = await post(world, 'web', 'assignments', { address: 'web-0' });
    assert.deepEqual([several.status, several.body.addresses], [409, [twin, address]]);
    const dotted = { ...row, key: 'dotted', called: { ...row?.called, address: `${where.scope}/instance/my.box` } };
    const many = Array.from({ length: 2_100 }, (_, at) => {
      const name = `${where.scope}/instance/web-0${String(at).padStart(4, '0')}`;
      return { ...row, key: name, called: { ...row?.called, address: name } };
    });
    const all = [row, dotted, ...many].filter((one): one is KeptRow => one?.place !== undefined);
    await world.clock.advance(1_000);
    await world.store.rows.keep(where, { at: world.clock.now(), rows: all, gaps: [] });
    const one = await post(world, 'bob', 'comments', { address: 'web-0', text: 'the only one' });
    assert.deepEqual([one.status, one.body.comment?.address], [201, address]);
    const last = await post(world, 'bob', 'comments', { address: 'web-02099', text: 'the last one' });
    assert.deepEqual([last.status, last.body.comment?.address], [201, `${where.scope}/instance/web-02099`]);
    const subnet = `${where.scope}/subnet/web-0`;
    const other = [row].flatMap((one) =>
      one ? [{ ...one, key: subnet, called: { ...one.called, address: subnet } }] : [],
    );
    await world.clock.advance(1_000);
    await world.store.rows.keep(where, { at: world.clock.now(), rows: [...all, ...other], gaps: [] });
    const far = await post(world, 'bob', 'comments', { address: 'web-0', text: 'of a later page' });
    assert.deepEqual([far.status, far.body.addresses], [409, [address, subnet]]);
    const box = await post(world, 'bob', 'comments', { address: 'box', text: 'after the dot' });
    assert.deepEqual([box.status, box.body.comment?.address], [201, `${where.scope}/instance/my.box`]);
    const most = await post(world, 'bob', 'comments', { address: 'nothing', text: 'there is none' });
    assert.equal(most.status, 404);
    assert.equal((await post(world, 'web', 'comments', { text: ' ' })).status, 400);
    assert.equal((await post(world, 'web', 'comments', { text: 'a\nb' })).status, 400);
  });

  it('leaves out what other owners have, and what was said under an earlier owner', async () => {
    const world = await drifted();
    await post(world, 'web', 'assignments');
    await post(world, 'web', 'comments', { text: 'of team-web' });
    const seen = async (who: string) => {
      const { actions, assignments, comments } = await driftOf(world, who);
      return [actions.length, assignments.length, comments.length];
    };
    assert.deepEqual(
      [await seen('web'), await seen('db')],
      [
        [1, 1, 1],
        [0, 0, 0],
      ],
    );
    await bringIn(world, owned('team-db'), ['root@acme.example']);
    await world.clock.advance(1_000);
    await world.reconcile();
    await world.clock.advance(1_000);
    assert.deepEqual(
      [await seen('web'), await seen('db')],
      [
        [0, 0, 0],
        [1, 0, 0],
      ],
    );
    assert.deepEqual(await seen('viewer'), [1, 1, 1]);
    assert.equal((await post(world, 'db', 'comments', { text: 'of team-db' })).status, 201);
    assert.deepEqual(await seen('db'), [1, 0, 1]);
  });
});
