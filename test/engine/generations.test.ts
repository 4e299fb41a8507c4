import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { smallWorld } from '../support/small-world.ts';

const network = (tier?: string) => ({
  kind: 'Network',
  metadata: { name: 'core', ...(tier === undefined ? {} : { labels: { tier } }) },
  spec: { targets: ['here'], cidr: '10.0.0.0/16', deletionPolicy: 'delete' },
});

describe('a pass of an older generation', () => {
  it('leaves alone what a newer one has applied, and says so once', async () => {
    const world = smallWorld();
    await world.apply([network('old')]);
    await world.apply([network('new')]);
    const late = await world.apply([network('old')], { generation: 1 });
    assert.deepEqual([late.outcome, late.writes, late.passes.length], ['failed', [], 1]);
    const [finding] = late.passes.flatMap(({ findings }) => findings);
    assert.ok(finding?.type === 'withheld' && finding.code === 'stale');
    assert.match(finding.why, /generation 2 is already in force .*plan again with the newest specs/);
  });

  it('does not make again what a newer one has removed', async () => {
    const world = smallWorld();
    await world.apply([network()]);
    const gone = await world.apply([]);
    assert.ok(gone.writes.includes('DeleteNetwork'));
    assert.deepEqual((await world.apply([network()], { generation: 1 })).writes, []);
    assert.ok((await world.apply([network()])).writes.includes('CreateNetwork'));
  });
});
