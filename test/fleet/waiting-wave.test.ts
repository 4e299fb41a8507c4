import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
// why: as text, since an object with a `then` may be taken for a promise
const waves: unknown = JSON.parse('{ "canary": 1, "then": ["rest"] }');
const labelled = (tier: string) => [
  network({ internet: false }),
  machine('web', { replicas: 3, minReady: 0, rollout: waves }, { labels: { tier } }),
];

describe('a wave that waits for what only a person lets go on', () => {
  it('is not looked for again and again', async () => {
    const { accept, pass, store, cloud, clock } = fleetWorld();
    const { pauses } = store.fleet;
    await accept(labelled('a'));
    while ((await pass()).ended !== 'done');
    await accept(labelled('b'));
    const later = ['web-1', 'web-2'].map(
      (name) => ({ by: 'address', name: `${where.scope}/instance/${name}` }) as const,
    );
    const said = { reason: 'debugging', person: 'ada' };
    const until = clock.now() + 86_400_000;
    for (const of of later) await pauses.begin(where.estate, { what: 'rollout', of, ...said, until });
    await pass();
    await pauses.begin(where.estate, { what: 'healing', of: { by: 'estate' }, ...said, until });
    const [canary] = cloud.inspect.live().filter(({ record }) => record.tags['tier'] === 'b');
    cloud.outside.do('TagObjects', { ids: [canary?.id ?? ''], tags: { tier: 'by hand' } });
    for (const of of later) await pauses.end(where.estate, { what: 'rollout', of }, said);
    await clock.advance(60_000);
    const held = await pass();
    assert.deepEqual([held.ended, held.outcome], ['done', 'partly']);
  });
});
