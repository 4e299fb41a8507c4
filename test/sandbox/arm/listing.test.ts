import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PAGE_SIZES } from '../../../sandbox/arm/paging.ts';
import {
  type Bench,
  bench,
  collect,
  groupBody,
  LOCATION,
  NETWORK,
  networkBody,
  outcome,
  SUBSCRIPTION,
} from './bench.ts';
import { CORE, put } from './networks.ts';

const ALL = `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Network/virtualNetworks`;

async function several(made: Bench, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await made.send('PUT', `${CORE}${i}`, { body: networkBody() });
}

const names = async ({ network }: Bench): Promise<unknown> =>
  (await collect(network.virtualNetworks.listAll())).map(({ name }) => name);

describe('lists', () => {
  it('go on at nextLink until there is none', async () => {
    await using made = await bench();
    await several(made, 3);
    made.sandbox.control.faults.add({
      match: { action: 'virtualNetworks.listAll' },
      effect: { kind: 'short-page', items: 2 },
    });
    const first = await made.send('GET', ALL);
    assert.equal(first.body.value.length, 2);
    assert.match(first.body.nextLink, /^http:\/\/127\.0\.0\.1:\d+\/subscriptions\/.*\$skiptoken=/i);
    assert.match(first.body.nextLink, /api-version=2026-01-01/);
    const second = await made.send('GET', first.body.nextLink);
    assert.deepEqual([second.body.value.length, second.body.nextLink], [1, undefined]);
    assert.deepEqual(await names(made), ['core0', 'core1', 'core2']);
  });

  it('a page has the size of its table, and not one more', async () => {
    await using made = await bench();
    const many = PAGE_SIZES.applicationGroups + 1;
    for (let i = 0; i < many; i++)
      await made.send('PUT', `${NETWORK}/applicationSecurityGroups/g${i}`, { body: { location: LOCATION } });
    assert.equal((await collect(made.network.applicationSecurityGroups.listAll())).length, many);
    assert.equal(made.sandbox.control.log.counts()['applicationSecurityGroups.listAll'], 2);
  });

  it('an empty page may still have a next one', async () => {
    await using made = await bench();
    await several(made, 2);
    made.sandbox.control.faults.add({ match: { times: 1 }, effect: { kind: 'short-page', items: 0 } });
    assert.deepEqual(await names(made), ['core0', 'core1']);
  });

  it('a flickering one misses things and does not say so', async () => {
    await using made = await bench();
    await several(made, 2);
    made.sandbox.control.faults.add({ match: {}, effect: { kind: 'flicker', share: 1 } });
    assert.deepEqual(await names(made), []);
  });

  it('are empty, not absent, of nothing', async () => {
    await using made = await bench();
    assert.deepEqual((await made.send('GET', ALL)).body, { value: [] });
  });

  it('children come in pages too', async () => {
    await using made = await bench();
    const rules = Array.from({ length: 3 }, (_, i) => ({ ...rule(i) }));
    await made.send('PUT', `${NETWORK}/networkSecurityGroups/nsg`, { body: groupBody(...rules) });
    made.sandbox.control.faults.add({
      match: { action: 'securityRules.list' },
      effect: { kind: 'short-page', items: 2 },
    });
    const found = await collect(made.network.securityRules.list('rg', 'nsg'));
    assert.deepEqual(
      found.map(({ name }) => name),
      ['r0', 'r1', 'r2'],
    );
  });
});

const rule = (i: number): object => ({
  name: `r${i}`,
  properties: {
    protocol: '*',
    access: 'Allow',
    direction: 'Inbound',
    priority: 100 + i,
    sourceAddressPrefix: '*',
    sourcePortRange: '*',
    destinationAddressPrefix: '*',
    destinationPortRange: '*',
  },
});

describe('eventual consistency', () => {
  it('what was just made is seen by nobody until the lag has passed, and made again it is there', async () => {
    await using made = await bench({ lag: { ms: 10_000 } });
    made.sandbox.control.clock.advance(10_000);
    assert.equal(await put(made), '201');
    assert.deepEqual([outcome(await made.send('GET', CORE)), await names(made)], ['404 ResourceNotFound', []]);
    assert.equal(await put(made), '200');
    made.sandbox.control.clock.advance(10_000);
    assert.deepEqual([outcome(await made.send('GET', CORE)), await names(made)], ['200', ['core']]);
  });

  it('what is gone is seen for a while, with the etag that it had', async () => {
    await using made = await bench({ lag: { ms: 10_000 } });
    await put(made);
    made.sandbox.control.clock.advance(10_000);
    const { body } = await made.send('GET', CORE);
    await made.send('DELETE', CORE);
    assert.equal((await made.send('GET', CORE)).body.etag, body.etag);
    made.sandbox.control.clock.advance(10_000);
    assert.deepEqual(await names(made), []);
  });
});

describe('ids', () => {
  it('are the same in any case, and keep that of their creation', async () => {
    await using made = await bench();
    await put(made);
    for (const path of [CORE.toLowerCase(), CORE.toUpperCase()]) {
      const { body } = await made.send('GET', path);
      assert.equal(body.id, CORE);
    }
  });

  it('may come back with their resource group in capitals', async () => {
    await using made = await bench();
    await put(made);
    made.sandbox.control.faults.add({ match: { action: 'virtualNetworks.listAll' }, effect: { kind: 'capitals' } });
    const [network] = await collect(made.network.virtualNetworks.listAll());
    assert.equal(network?.id, CORE.replace('/Rg/', '/RG/'));
    assert.equal((await made.network.virtualNetworks.get('rg', 'core')).id, CORE);
  });
});
