import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network, rule } from '../support/engine-world/documents.ts';
import { where } from '../support/fleet-world.ts';
import {
  type AnswersWorld,
  answersWorld,
  approve,
  bringIn,
  machine,
  offered,
  people,
} from './support/answers-world.ts';

const root = ['root@acme.example'];
const ada = ['ada@acme.example'];
const bob = ['bob@acme.example'];
const base = [network({ internet: false }), rule('https')];
const web = (tier: string, spec: object = {}) =>
  machine('web', { deletionPolicy: 'delete', ...spec }, { labels: { tier } });
const db = (tier: string) => machine('db', {}, { labels: { tier } });
const hourMs = 3_600_000;

const refusal = async (world: AnswersWorld, who: string): Promise<string> =>
  (await offered(world, who)).authors.denialReason ?? '';

async function later(world: AnswersWorld, ms = 60_000): Promise<void> {
  await world.clock.run(() => world.clock.sleep(ms));
  await world.reconcile();
}

/** Of ada's generation 2: `web` is removed, bob approved that, and its grace runs. */
async function inGrace(removed: readonly object[]): Promise<AnswersWorld> {
  const world = answersWorld(people);
  await bringIn(world, [...base, web('a'), db('a')], root);
  await world.reconcile();
  assert.equal((await approve(world, 'bob')).status, 201);
  await world.reconcile();
  await later(world);
  await bringIn(world, removed, ada);
  await world.reconcile();
  assert.match(await refusal(world, 'ada'), /author .*generation 2/);
  assert.equal((await approve(world, 'bob')).status, 201);
  await world.reconcile();
  await later(world);
  assert.equal(await world.store.fleet.rollouts.standing(where), 1);
  return world;
}

describe('while a deletion waits for the end of its grace', () => {
  it('its author is none of changes that have nothing to do with it', async () => {
    const world = await inGrace([...base, db('a')]);
    await bringIn(world, [...base, db('b')], bob);
    await world.reconcile();
    assert.match(await refusal(world, 'bob'), /author .*generation 3/);
    assert.equal(await refusal(world, 'ada'), '');
    assert.equal((await approve(world, 'ada')).status, 201);
  });

  it('its author is one of it, however many generations came since', async () => {
    const world = await inGrace([...base, db('a')]);
    const [stone] = (await world.store.inventory.knowledge(where.estate, where.scope)).tombstones?.values() ?? [];
    const [seq = 0] = stone?.approval?.seqs ?? [];
    await bringIn(world, [...base, rule('ssh', { ports: [22] }), db('a')], bob);
    await world.reconcile();
    assert.equal((await approve(world, 'root')).status, 201);
    await world.reconcile();
    await world.store.fleet.approvals.withdraw(where.estate, seq, { person: 'bob', reason: 'wait' });
    await later(world, hourMs);
    assert.deepEqual(
      (await offered(world, 'ada')).actions.map(({ address }) => address),
      ['memory/acme/north/instance/web-0'],
    );
    assert.match(await refusal(world, 'ada'), /author .*generation 2/);
  });

  it('its author is one of what changed unseen with it, once it comes back', async () => {
    const world = await inGrace([...base, web('b', { replicas: 0 }), db('a')]);
    await bringIn(world, [...base, web('b', { replicas: 1 }), db('a')], bob);
    await world.reconcile();
    assert.deepEqual(
      (await offered(world, 'ada')).actions.map(({ address }) => address),
      ['memory/acme/north/instance/web-0'],
    );
    assert.match(await refusal(world, 'ada'), /author .*generation 2/);
    assert.match(await refusal(world, 'bob'), /author .*generation 3/);
    assert.equal(await refusal(world, 'root'), '');
  });

  it('so it is of other machines of its document', async () => {
    const world = await inGrace([...base, web('b', { replicas: 0 }), db('a')]);
    await bringIn(world, [...base, web('b', { replicas: 2 }), db('a')], bob);
    await world.reconcile();
    assert.match(await refusal(world, 'ada'), /author .*generation 2/);
  });
});
