import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Bench, bench, collect, LOCATION, NETWORK, networkBody, outcome, QUICK } from './bench.ts';
import { CORE, put } from './networks.ts';

const FAR = `${NETWORK}/virtualNetworks/far`;
const blocks = (...addressPrefixes: readonly string[]) => ({
  location: 'northeurope',
  properties: { addressSpace: { addressPrefixes } },
});
const leadsTo = (id: string, more: object = {}) => ({ properties: { remoteVirtualNetwork: { id }, ...more } });

async function two(): Promise<Bench> {
  const made = await bench();
  await put(made);
  assert.equal(outcome(await made.send('PUT', FAR, { body: blocks('10.1.0.0/16') })), '201');
  return made;
}

const peer = async (made: Bench, from: string, to: string, name = 'link') =>
  outcome(await made.send('PUT', `${from}/virtualNetworkPeerings/${name}`, { body: leadsTo(to) }));
const unpeer = async (made: Bench, from: string) =>
  outcome(await made.send('DELETE', `${from}/virtualNetworkPeerings/link`));
const states = async ({ network }: Bench) =>
  (await collect(network.virtualNetworks.listAll())).map(({ virtualNetworkPeerings = [] }) =>
    virtualNetworkPeerings.map(({ peeringState }) => peeringState).join(),
  );

describe('peerings of virtual networks', () => {
  it('are made, read, listed and deleted as the SDK does', async () => {
    await using made = await two();
    const { virtualNetworkPeerings: peerings, virtualNetworks } = made.network;
    const asked = { remoteVirtualNetwork: { id: FAR.toUpperCase() }, allowForwardedTraffic: true };
    const created = await peerings.createOrUpdate('RG', 'Core', 'Link', asked, QUICK);
    assert.deepEqual(
      [created.id, created.remoteVirtualNetwork?.id, created.allowForwardedTraffic, created.useRemoteGateways],
      [`${CORE}/virtualNetworkPeerings/Link`, FAR.toUpperCase(), true, false],
    );
    assert.deepEqual(created.remoteVirtualNetworkAddressSpace?.addressPrefixes, ['10.1.0.0/16']);
    assert.deepEqual([created.peeringState, created.provisioningState], ['Initiated', 'Succeeded']);
    assert.deepEqual(await peerings.get('rg', 'core', 'LINK'), created);
    assert.deepEqual(await collect(peerings.list('rg', 'core')), [created]);
    const network = await virtualNetworks.get('rg', 'core');
    assert.deepEqual([network.virtualNetworkPeerings, network.etag], [[created], created.etag]);
    await peerings.delete('rg', 'core', 'link', QUICK);
    assert.deepEqual(await collect(peerings.list('rg', 'core')), []);
    assert.equal(await unpeer(made, CORE), '204');
  });

  it('are connected by both sides, and disconnected by either', async () => {
    await using made = await two();
    assert.equal(await peer(made, CORE, FAR), '201');
    assert.deepEqual(await states(made), ['Initiated', '']);
    assert.equal(await peer(made, FAR, CORE), '201');
    assert.deepEqual(await states(made), ['Connected', 'Connected']);
    assert.equal(await peer(made, FAR, CORE), '200');
    assert.equal(await unpeer(made, FAR), '202');
    assert.deepEqual(await states(made), ['Disconnected', '']);
    assert.equal(await peer(made, FAR, CORE), '400 RemotePeeringIsDisconnected');
    assert.equal(await peer(made, CORE, FAR), '200');
    assert.deepEqual(await states(made), ['Initiated', '']);
    assert.equal(await peer(made, FAR, CORE), '201');
    assert.deepEqual(await states(made), ['Connected', 'Connected']);
    assert.equal(outcome(await made.send('DELETE', FAR)), '202');
    assert.deepEqual(await states(made), ['Disconnected']);
  });

  it('stand in their network’s own PUT, which replaces them', async () => {
    await using made = await two();
    await peer(made, FAR, CORE);
    const body = networkBody();
    const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/16'] } };
    const link = { name: 'link', ...leadsTo(FAR) };
    const withLink = { ...body, properties: { ...properties, virtualNetworkPeerings: [link] } };
    assert.equal(outcome(await made.send('PUT', CORE, { body: withLink })), '200');
    assert.deepEqual(await states(made), ['Connected', 'Connected']);
    const seen = await made.send('GET', CORE);
    assert.equal(
      outcome(await made.send('PUT', CORE, { body: seen.body })),
      '200',
      'a body that was read can be written',
    );
    assert.deepEqual(await states(made), ['Connected', 'Connected']);
    assert.equal(outcome(await made.send('PUT', CORE, { body })), '200');
    assert.deepEqual(await states(made), ['', 'Disconnected']);
  });
});

describe('a peering', () => {
  const rows: readonly (readonly [name: string, run: (made: Bench) => Promise<string>, want: string])[] = [
    ['with one that is not there', (made) => peer(made, CORE, `${FAR}2`), '400 InvalidResourceReference'],
    ['with itself', (made) => peer(made, CORE, CORE), '400 VnetAddressSpacesOverlap'],
    [
      'with one of overlapping blocks',
      async (made) => {
        await made.send('PUT', FAR, { body: blocks('10.1.0.0/16', '10.0.7.0/24') });
        return peer(made, CORE, FAR);
      },
      '400 VnetAddressSpacesOverlap',
    ],
    [
      'with one that it leads to already',
      async (made) => {
        await peer(made, CORE, FAR, 'first');
        return peer(made, CORE, FAR);
      },
      '400 AnotherPeeringAlreadyReferencesRemoteVnet',
    ],
    [
      'without another network',
      async (made) =>
        outcome(await made.send('PUT', `${CORE}/virtualNetworkPeerings/link`, { body: { properties: {} } })),
      '400 InvalidRequestFormat',
    ],
    ['in no network', (made) => peer(made, `${NETWORK}/virtualNetworks/no`, FAR), '404 ParentResourceNotFound'],
  ];
  for (const [name, run, want] of rows)
    it(`${name}: ${want}`, async () => {
      await using made = await two();
      assert.equal(await run(made), want);
    });

  it('may lead out of the subscription, and come with an estate', async () => {
    await using made = await bench();
    const foreign =
      '/subscriptions/99992222-3333-4444-8555-666677778888/resourceGroups/x/providers/Microsoft.Network/virtualNetworks/hub';
    made.sandbox.control.arm.load({
      subscriptions: [
        {
          outside: [foreign],
          resources: [
            {
              type: 'Microsoft.Network/virtualNetworks',
              group: 'Rg',
              name: 'core',
              location: LOCATION,
              ...networkBody(),
            },
            {
              type: 'Microsoft.Network/virtualNetworks/virtualNetworkPeerings',
              group: 'Rg',
              name: 'core/hub',
              ...leadsTo(foreign),
            },
          ],
        },
      ],
    });
    const [peering] = (await made.network.virtualNetworks.get('rg', 'core')).virtualNetworkPeerings ?? [];
    assert.deepEqual([peering?.remoteVirtualNetwork?.id, peering?.peeringState], [foreign, 'Initiated']);
  });
});
