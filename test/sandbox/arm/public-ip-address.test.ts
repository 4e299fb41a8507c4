import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collect, LOCATION, outcome } from './bench.ts';
import { address, GROUP, ID, machineBench, nic } from './machine-bench.ts';

describe('a public address', () => {
  it('of the Standard SKU has its address at once and keeps it', async () => {
    await using at = await machineBench();
    await address(at, 'a');
    const made = await at.network.publicIPAddresses.get(GROUP, 'a');
    assert.match(made.ipAddress ?? '', /^198\.1[89]\.\d+\.\d+$/);
    assert.deepEqual(
      [made.sku?.name, made.sku?.tier, made.publicIPAllocationMethod],
      ['Standard', 'Regional', 'Static'],
    );
    const again = await at.send('PUT', ID.address('A'), {
      body: {
        location: LOCATION,
        sku: { name: 'Standard' },
        properties: { publicIPAllocationMethod: 'Static', deleteOption: 'Delete' },
      },
    });
    assert.equal(again.status, 200);
    assert.equal(again.body.properties.ipAddress, made.ipAddress);
    assert.equal(again.body.properties.deleteOption, 'Delete');
  });

  it('of the Standard SKU is never dynamic', async () => {
    await using at = await machineBench();
    const body = { location: LOCATION, sku: { name: 'Standard' }, properties: { publicIPAllocationMethod: 'Dynamic' } };
    assert.equal(
      outcome(await at.send('PUT', ID.address('a'), { body })),
      '400 StandardSkuPublicIPAddressesMustBeStatic',
    );
  });

  it('in use keeps its SKU', async () => {
    await using at = await machineBench();
    const basic = await address(at, 'a', true);
    await nic(at, 'n', { address: basic });
    const body = { location: LOCATION, sku: { name: 'Standard' }, properties: { publicIPAllocationMethod: 'Static' } };
    assert.equal(outcome(await at.send('PUT', ID.address('a'), { body })), '400 PublicIPAddressInUseCannotUpdate');
  });

  it('is listed, tagged, guarded by its etag, and deleted', async () => {
    await using at = await machineBench();
    for (const name of ['a', 'b']) await address(at, name);
    const { publicIPAddresses } = at.network;
    const names = async (): Promise<readonly (string | undefined)[]> =>
      (await collect(publicIPAddresses.list(GROUP))).map(({ name }) => name);
    assert.deepEqual(await names(), ['a', 'b']);
    assert.deepEqual((await publicIPAddresses.updateTags(GROUP, 'a', { tags: { x: 'y' } })).tags, { x: 'y' });
    const stale = await at.send('DELETE', ID.address('a'), { headers: { 'if-match': 'W/"0"' } });
    assert.equal(outcome(stale), '412 PreconditionFailed');
    assert.equal((await at.send('DELETE', ID.address('a'))).status, 202);
    assert.equal((await at.send('DELETE', ID.address('a'))).status, 204);
    assert.deepEqual(await names(), ['b']);
  });
});
