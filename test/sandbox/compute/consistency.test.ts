import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, core, custom, endOf, REGION, refusalOf } from './network-bench.ts';

const LAG_MS = 30_000;

describe('with lag', () => {
  it('what was made is done, and yet not seen for a while, nor by writes that refer to it', async () => {
    await using made = await bench({ lag: { ms: LAG_MS } });
    assert.equal(endOf(await made.done('POST', 'global/networks', custom('core'))), 'DONE');
    assert.equal(refusalOf(await made.raw('GET', 'global/networks/core')), '404 notFound');
    assert.equal((await made.raw('GET', 'global/networks')).body.items, undefined);
    assert.equal(refusalOf(await made.raw('POST', 'global/networks', custom('core'))), '409 alreadyExists');
    const app = { name: 'app', network: 'global/networks/core', ipCidrRange: '10.0.1.0/24' };
    assert.equal(refusalOf(await made.raw('POST', `regions/${REGION}/subnetworks`, app)), '400 invalid');
    made.sandbox.control.clock.advance(LAG_MS);
    assert.equal((await made.raw('GET', 'global/networks')).body.items.length, 1);
    assert.equal(refusalOf(await made.raw('POST', `regions/${REGION}/subnetworks`, app)), 'accepted');
  });

  it('what was deleted is listed for a while', async () => {
    await using made = await bench();
    await core(made);
    made.sandbox.control.lag.set({ ms: LAG_MS });
    await made.done('DELETE', `regions/${REGION}/subnetworks/app`);
    const count = async () =>
      (await made.raw('GET', 'aggregated/subnetworks')).body.items[`regions/${REGION}`].subnetworks?.length;
    assert.equal(await count(), 1);
    made.sandbox.control.clock.advance(LAG_MS);
    assert.equal(await count(), undefined);
  });

  it('operations are always seen as they are', async () => {
    await using made = await bench({ lag: { ms: LAG_MS } });
    assert.equal(endOf(await made.done('POST', 'global/networks', custom('core'))), 'DONE');
    assert.equal((await made.raw('GET', 'global/operations')).body.items[0].status, 'DONE');
    const { global } = (await made.raw('GET', 'aggregated/operations')).body.items;
    assert.equal(global.operations?.[0].status, 'DONE');
  });
});
