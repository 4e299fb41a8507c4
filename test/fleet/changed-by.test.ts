import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const labelled = (tier: string) => machine('web', {}, { labels: { tier } });
const estate = [network({ internet: false }), rule('https'), labelled('a')];

/** Somebody writes another label by hand, and the cloud tells of it. */
async function byHand({ cloud, clock, store }: FleetWorld, who: string): Promise<void> {
  const [one] = cloud.inspect.live().filter(({ type }) => type === 'instance');
  const id = one?.id ?? '';
  cloud.outside.do('TagObjects', { ids: [id], tags: { tier: 'by hand' } });
  const actor = { who, action: 'TagObjects', from: '203.0.113.9', agent: 'console' };
  const touch = { scope: where.scope, event: `e-${who}`, at: clock.now(), actor, objects: [id] };
  assert.deepEqual(await store.touches.keep(where.estate, [touch]), [touch]);
}

/** `verb who` of the intents that heal something. */
async function healed({ store }: FleetWorld): Promise<readonly string[]> {
  const named: string[] = [];
  for await (const { type, body } of store.ledger.entries({ estate: where.estate })) {
    // why: whatever it is, `by` is asked for as of an object
    const { by } = { ...(body['details'] as { readonly by?: { readonly who: string } }) };
    if (type === 'intent' && by !== undefined) named.push(`${body['verb']} ${by.who}`);
  }
  return named;
}

describe('a pass that heals what somebody changed', () => {
  it('writes who it was into the ledger, with what it does', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    await world.pass();
    assert.deepEqual(await healed(world), []);
    await world.clock.advance(60_000);
    await byHand(world, 'bob');
    assert.equal((await world.pass()).outcome, 'done');
    assert.deepEqual(await healed(world), ['update bob']);
  });

  it('names nobody for what comes of a new generation, nor an earlier one for later drift', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    await world.pass();
    await world.clock.advance(60_000);
    await byHand(world, 'bob');
    await world.pass();
    await world.clock.advance(60_000);
    const [one] = world.cloud.inspect.live().filter(({ type }) => type === 'instance');
    world.cloud.outside.do('TagObjects', { ids: [one?.id ?? ''], tags: { tier: 'unseen' } });
    assert.deepEqual(new Set((await world.pass()).writes), new Set(['TagObjects']));
    await world.accept([network({ internet: false }), rule('https'), labelled('b')]);
    assert.equal((await world.pass()).outcome, 'done');
    assert.deepEqual(await healed(world), ['update bob']);
  });

  it('names him, too, while a newer generation is held and the former one is healed', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    await world.pass();
    await world.accept([network({ internet: false }), rule('https'), labelled('b')]);
    const hold = { what: 'rollout', of: { by: 'estate' }, reason: 'a freeze', person: 'ada' } as const;
    await world.store.fleet.pauses.begin(where.estate, { ...hold, until: world.clock.now() + 3_600_000 });
    await world.clock.advance(60_000);
    await byHand(world, 'eve');
    await world.pass();
    assert.deepEqual(await healed(world), ['update eve']);
  });
});
