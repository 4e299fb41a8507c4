import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, core, custom, endOf, type NetworkBench, PROJECT, REGION, refusalOf } from './network-bench.ts';

const DONE_MS = 4_000;
const ROUTERS = `regions/${REGION}/routers`;
const nat = (name: string, more: object = {}) => ({
  name,
  natIpAllocateOption: 'AUTO_ONLY',
  sourceSubnetworkIpRangesToNat: 'ALL_SUBNETWORKS_ALL_IP_RANGES',
  ...more,
});
const hub = (more: object = {}) => ({ name: 'hub', network: 'global/networks/core', ...more });

async function routersOf({ sdk }: NetworkBench): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const found: Record<string, readonly unknown[]> = {};
  for await (const [scope, { routers, warning }] of sdk.routers.aggregatedListAsync({ project: PROJECT }))
    found[scope] = routers?.length
      ? routers.flatMap(({ name, nats }) => (nats ?? []).map((each) => `${name}/${each.name}`))
      : [warning?.code];
  return found;
}

describe('routers and their NAT gateways', () => {
  it('are made, changed and deleted with the SDK, and listed over all regions', async () => {
    await using made = await bench();
    await core(made);
    const { routers } = made.sdk;
    const place = { project: PROJECT, region: REGION };
    await routers.insert({ ...place, routerResource: hub({ bgp: { asn: 64_512 }, nats: [nat('out')] }) });
    assert.equal((await routers.list(place))[0].length, 0, 'its operation runs');
    made.sandbox.control.clock.advance(DONE_MS);
    const [router] = await routers.get({ ...place, router: 'hub' });
    assert.match(router.network ?? '', /\/global\/networks\/core$/);
    assert.match(router.region ?? '', /\/regions\/europe-west1$/);
    assert.deepEqual(
      [router.kind, router.bgp?.asn, router.bgp?.advertiseMode, router.bgp?.keepaliveInterval],
      ['compute#router', 64_512, 'DEFAULT', 20],
    );
    assert.deepEqual(
      router.nats?.map((each) => [each.name, each.type, each.autoNetworkTier, each.endpointTypes]),
      [['out', 'PUBLIC', 'PREMIUM', ['ENDPOINT_TYPE_VM']]],
    );
    assert.deepEqual(await routersOf(made), {
      'regions/europe-west1': ['hub/out'],
      'regions/europe-west4': ['NO_RESULTS_ON_PAGE'],
      'regions/us-central1': ['NO_RESULTS_ON_PAGE'],
    });
    const some = {
      sourceSubnetworkIpRangesToNat: 'LIST_OF_SUBNETWORKS',
      subnetworks: [{ name: `regions/${REGION}/subnetworks/app` }],
    };
    await routers.patch({ ...place, router: 'hub', routerResource: { nats: [nat('a', some), nat('b', some)] } });
    made.sandbox.control.clock.advance(DONE_MS);
    const [after] = await routers.get({ ...place, router: 'hub' });
    assert.deepEqual(
      after.nats?.map((each) => [each.name, each.subnetworks?.[0]?.sourceIpRangesToNat]),
      [
        ['a', ['ALL_IP_RANGES']],
        ['b', ['ALL_IP_RANGES']],
      ],
    );
    assert.equal(after.bgp?.asn, 64_512, 'a merge patch keeps the rest');
    // why: the SDK leaves an empty list out
    assert.equal(endOf(await made.done('PATCH', `${ROUTERS}/hub`, { nats: [] })), 'DONE');
    assert.equal((await made.raw('GET', `${ROUTERS}/hub`)).body.nats, undefined);
    assert.equal(endOf(await made.done('DELETE', 'global/networks/core')), 'DONE RESOURCE_IN_USE_BY_ANOTHER_RESOURCE');
    await routers.delete({ ...place, router: 'hub' });
    made.sandbox.control.clock.advance(DONE_MS);
    assert.equal(refusalOf(await made.raw('GET', `${ROUTERS}/hub`)), '404 notFound');
  });

  it('of two regions may share a name, and a region that is not reached is named', async () => {
    await using made = await bench();
    made.sandbox.control.compute.load({
      projects: [
        {
          project: PROJECT,
          networks: [
            {
              name: 'core',
              routers: [
                { name: 'hub', region: 'europe-west1', nats: [nat('out')] },
                {
                  name: 'hub',
                  region: 'us-central1',
                  nats: [nat('out', { type: 'PRIVATE', natIpAllocateOption: null })],
                },
              ],
            },
          ],
        },
      ],
    });
    const first = await made.raw('GET', 'aggregated/routers?maxResults=1');
    assert.equal(first.body.kind, 'compute#routerAggregatedList');
    const rest = await made.raw('GET', `aggregated/routers?maxResults=1&pageToken=${first.body.nextPageToken}`);
    assert.deepEqual(
      [first, rest].map(({ body }) => [
        body.items['regions/europe-west1'].routers?.length,
        body.items['regions/us-central1'].routers?.length,
      ]),
      [
        [1, undefined],
        [undefined, 1],
      ],
    );
    assert.equal(rest.body.items['regions/us-central1'].routers[0].nats[0].natIpAllocateOption, undefined);
    made.sandbox.control.faults.add({
      match: { action: 'compute.routers.aggregatedList' },
      effect: { kind: 'unreachable', scope: 'regions/us-central1' },
    });
    const { body } = await made.raw('GET', 'aggregated/routers');
    assert.equal(body.items['regions/us-central1'].warning.code, 'UNREACHABLE');
    assert.match(body.unreachables[0], /\/regions\/us-central1$/);
  });
});

describe('routers', () => {
  const refused: readonly (readonly [name: string, body: object, want: string, says: RegExp])[] = [
    ['no network', { name: 'a' }, '400 required', /resource\.network/],
    ['a network that is not there', hub({ network: 'global/networks/none' }), '400 invalid', /cannot be found/],
    ['another region', hub({ region: 'regions/us-central1' }), '400 invalid', /resource\.region/],
    ['a public ASN', hub({ bgp: { asn: 15_169 } }), '400 invalid', /resource\.bgp\.asn/],
    ['a NAT without a name', hub({ nats: [nat('')] }), '400 required', /nats\[0\]\.name/],
    [
      'no way to get addresses',
      hub({ nats: [nat('a', { natIpAllocateOption: null })] }),
      '400 required',
      /nats\[0\]\.natIpAllocateOption/,
    ],
    [
      'no subnetworks to serve',
      hub({ nats: [nat('a', { sourceSubnetworkIpRangesToNat: null })] }),
      '400 required',
      /sourceSubnetworkIpRangesToNat/,
    ],
    [
      'a list of none',
      hub({ nats: [nat('a', { sourceSubnetworkIpRangesToNat: 'LIST_OF_SUBNETWORKS' })] }),
      '400 required',
      /nats\[0\]\.subnetworks/,
    ],
    ['two of one name', hub({ nats: [nat('a'), nat('a')] }), '400 invalid', /nats\[1\]\.name/],
    ['two that serve all', hub({ nats: [nat('a'), nat('b')] }), '400 invalid', /serves all subnetworks/],
    ['what the sandbox does not model', hub({ interfaces: [{ name: 'x' }] }), '400 invalid', /does not model/],
  ];
  for (const [name, body, want, says] of refused)
    it(`are refused for ${name}`, async () => {
      await using made = await bench();
      await core(made);
      const answer = await made.raw('POST', ROUTERS, body);
      assert.equal(refusalOf(answer), want);
      assert.match(answer.body.error.message, says);
    });

  it('are refused for another network or a name in use, and one NAT for all allows no other router', async () => {
    await using made = await bench();
    await core(made);
    await made.done('POST', 'global/networks', custom('other'));
    await made.done('POST', ROUTERS, hub({ nats: [nat('out')] }));
    assert.equal(refusalOf(await made.raw('POST', ROUTERS, hub())), '409 alreadyExists');
    const moved = { network: 'global/networks/other' };
    assert.equal(refusalOf(await made.raw('PATCH', `${ROUTERS}/hub`, moved)), '400 invalid');
    const second = hub({ name: 'two', nats: [nat('more')] });
    assert.equal(refusalOf(await made.raw('POST', ROUTERS, second)), '400 invalid');
    assert.equal(endOf(await made.done('POST', ROUTERS, { ...second, ...moved })), 'DONE');
    assert.equal(endOf(await made.done('POST', 'regions/us-central1/routers', second)), 'DONE');
  });
});

const peering = (name: string, network: string, more: object = {}) => ({
  networkPeering: { name, network, exchangeSubnetRoutes: true, ...more },
});
const far = `projects/${PROJECT}/global/networks/far`;

async function peerings({ raw }: NetworkBench, network: string): Promise<readonly unknown[]> {
  const { body } = await raw('GET', `global/networks/${network}`);
  return (body.peerings ?? []).map(
    (each: { readonly name: string; readonly network: string; readonly state: string }) =>
      [each.name, each.network.split('/projects/')[1], each.state].join(' '),
  );
}

interface ListedRoute {
  readonly network: string;
  readonly destRange: string;
  readonly nextHopPeering?: string;
}

async function peeringRoutes({ raw }: NetworkBench): Promise<readonly string[]> {
  const items: readonly ListedRoute[] = (await raw('GET', 'global/routes')).body.items;
  return items
    .filter(({ nextHopPeering }) => nextHopPeering !== undefined)
    .map(({ network, destRange, nextHopPeering }) => `${network.split('/').at(-1)} ${destRange} ${nextHopPeering}`)
    .toSorted();
}

describe('peerings', () => {
  it('wait for the other side, then bring the routes of its subnetworks, and go from one side', async () => {
    await using made = await bench();
    await core(made);
    const { networks } = made.sdk;
    await made.done('POST', 'global/networks', custom('far'));
    const db = { name: 'db', network: 'global/networks/far', ipCidrRange: '10.7.0.0/24' };
    await made.done('POST', `regions/${REGION}/subnetworks`, db);
    await networks.addPeering({
      project: PROJECT,
      network: 'core',
      networksAddPeeringRequestResource: peering('to-far', far),
    });
    assert.equal(
      refusalOf(await made.raw('POST', 'global/networks/far/addPeering', peering('back', 'global/networks/core'))),
      '400 resourceNotReady',
      'the networks of a peering are held',
    );
    made.sandbox.control.clock.advance(DONE_MS);
    assert.deepEqual(await peerings(made, 'core'), ['to-far acme/global/networks/far INACTIVE']);
    assert.deepEqual(await peeringRoutes(made), []);
    const older = { name: 'back', peerNetwork: 'global/networks/core', autoCreateRoutes: true };
    assert.equal(endOf(await made.done('POST', 'global/networks/far/addPeering', older)), 'DONE');
    assert.deepEqual(await peerings(made, 'core'), ['to-far acme/global/networks/far ACTIVE']);
    assert.deepEqual(await peerings(made, 'far'), ['back acme/global/networks/core ACTIVE']);
    assert.deepEqual(await peeringRoutes(made), ['core 10.7.0.0/24 to-far', 'far 10.0.1.0/24 back']);
    const { body } = await made.raw('GET', 'global/routes?filter=nextHopPeering=to-far');
    assert.match(body.items[0].name, /^peering-route-[0-9a-f]{16}$/);
    assert.equal(refusalOf(await made.raw('DELETE', `global/routes/${body.items[0].name}`)), '400 invalid');

    await made.done('DELETE', `regions/${REGION}/subnetworks/db`);
    assert.deepEqual(await peeringRoutes(made), ['far 10.0.1.0/24 back']);
    await networks.removePeering({
      project: PROJECT,
      network: 'core',
      networksRemovePeeringRequestResource: { name: 'to-far' },
    });
    made.sandbox.control.clock.advance(DONE_MS);
    assert.deepEqual([await peerings(made, 'core'), await peeringRoutes(made)], [[], []]);
    assert.deepEqual(await peerings(made, 'far'), ['back acme/global/networks/core INACTIVE']);
  });

  it('with networks that overlap fail when the second side comes', async () => {
    await using made = await bench();
    await core(made);
    await made.done('POST', 'global/networks', custom('far'));
    const same = { name: 'app', network: 'global/networks/far', ipCidrRange: '10.0.1.128/25' };
    await made.done('POST', 'regions/us-central1/subnetworks', same);
    assert.equal(endOf(await made.done('POST', 'global/networks/core/addPeering', peering('a', far))), 'DONE');
    const back = await made.done('POST', 'global/networks/far/addPeering', peering('b', 'global/networks/core'));
    assert.equal(endOf(back), 'DONE INVALID_USAGE');
    assert.deepEqual(await peerings(made, 'far'), []);
  });

  it('with a network of another project are as the estate says, and bring nothing', async () => {
    await using made = await bench();
    const other = 'projects/partner/global/networks/hub';
    made.sandbox.control.compute.load({
      projects: [
        {
          project: PROJECT,
          networks: [
            { name: 'core', peerings: [{ name: 'on', network: other, connected: true }] },
            { name: 'lone', peerings: [{ name: 'off', network: other }] },
          ],
        },
      ],
    });
    assert.deepEqual(await peerings(made, 'core'), ['on partner/global/networks/hub ACTIVE']);
    assert.deepEqual(await peerings(made, 'lone'), ['off partner/global/networks/hub INACTIVE']);
    assert.deepEqual(await peeringRoutes(made), []);
  });
});

describe('new peerings', () => {
  const refused: readonly (readonly [name: string, body: object, want: string, says: RegExp])[] = [
    ['no name', peering('', far), '400 required', /networkPeering\.name/],
    ['no network', peering('a', ''), '400 required', /networkPeering\.network/],
    ['no exchange', peering('a', far, { exchangeSubnetRoutes: false }), '400 invalid', /Must be true/],
    ['itself', peering('a', 'global/networks/core'), '400 invalid', /itself/],
    ['a name in use', peering('old', 'global/networks/other'), '400 invalid', /has a peering of this name/],
    ['a network in use', peering('new', far), '400 invalid', /The peering old leads there/],
  ];
  for (const [name, body, want, says] of refused)
    it(`are refused for ${name}`, async () => {
      await using made = await bench();
      await core(made);
      await made.done('POST', 'global/networks/core/addPeering', peering('old', far));
      const answer = await made.raw('POST', 'global/networks/core/addPeering', body);
      assert.equal(refusalOf(answer), want);
      assert.match(answer.body.error.message, says);
      assert.equal(
        refusalOf(await made.raw('POST', 'global/networks/core/removePeering', { name: 'x' })),
        '400 invalid',
      );
    });
});

const APP = `regions/${REGION}/subnetworks/app`;
const pods = (ipCidrRange: string, rangeName = 'pods') => ({ rangeName, ipCidrRange });

describe('secondary ranges of subnetworks', () => {
  it('are made with it, replaced whole by patch, and have routes of their own', async () => {
    await using made = await bench();
    await made.done('POST', 'global/networks', custom('core'));
    const app = { name: 'app', network: 'global/networks/core', ipCidrRange: '10.0.1.0/24' };
    await made.done('POST', `regions/${REGION}/subnetworks`, { ...app, secondaryIpRanges: [pods('10.8.0.0/16')] });
    const routes = async () =>
      (await made.raw('GET', 'global/routes')).body.items
        .map(({ destRange }: { readonly destRange: string }) => destRange)
        .toSorted();
    assert.deepEqual(await routes(), ['0.0.0.0/0', '10.0.1.0/24', '10.8.0.0/16']);
    const { body } = await made.raw('GET', APP);
    assert.deepEqual(body.secondaryIpRanges, [pods('10.8.0.0/16')]);
    const secondaryIpRanges = [pods('10.8.0.0/16'), pods('10.9.0.0/20', 'services')];
    await made.sdk.subnetworks.patch({
      project: PROJECT,
      region: REGION,
      subnetwork: 'app',
      subnetworkResource: { fingerprint: body.fingerprint, secondaryIpRanges },
    });
    made.sandbox.control.clock.advance(DONE_MS);
    const after = (await made.raw('GET', APP)).body;
    assert.deepEqual(after.secondaryIpRanges, secondaryIpRanges);
    assert.notEqual(after.fingerprint, body.fingerprint);
    assert.deepEqual(await routes(), ['0.0.0.0/0', '10.0.1.0/24', '10.8.0.0/16', '10.9.0.0/20']);
    await made.done('PATCH', APP, { fingerprint: after.fingerprint, secondaryIpRanges: [] });
    assert.equal((await made.raw('GET', APP)).body.secondaryIpRanges, undefined);
  });

  it('overlap neither each other nor any range of the network', async () => {
    await using made = await bench();
    await core(made);
    const more = (ipCidrRange: string, secondaryIpRanges: readonly object[]) =>
      made.done('POST', `regions/${REGION}/subnetworks`, { ...hub(), name: 'b', ipCidrRange, secondaryIpRanges });
    assert.equal(endOf(await more('10.0.2.0/24', [pods('10.0.1.0/25')])), 'DONE INVALID_USAGE');
    assert.equal(endOf(await more('10.0.2.0/24', [pods('10.0.2.0/25')])), 'DONE INVALID_USAGE');
    assert.equal(endOf(await more('10.0.2.0/24', [pods('10.8.0.0/16')])), 'DONE');
    const third = { ...hub(), name: 'c', ipCidrRange: '10.8.1.0/24' };
    assert.equal(endOf(await made.done('POST', 'regions/us-central1/subnetworks', third)), 'DONE INVALID_USAGE');
  });
});

describe('an estate', () => {
  it('gives networks and subnetworks IPv6, secondary ranges and access to Google', async () => {
    await using made = await bench();
    const subnetwork = {
      name: 'app',
      region: REGION,
      cidr: '10.0.1.0/24',
      secondaryRanges: [{ name: 'pods', cidr: '10.8.0.0/16' }],
    };
    made.sandbox.control.compute.load({
      projects: [
        {
          project: PROJECT,
          networks: [
            {
              name: 'core',
              internalIpv6Range: 'fd20:0:1::/48',
              subnetworks: [
                { ...subnetwork, privateGoogleAccess: true, internalIpv6Prefix: 'fd20:0:1::/64' },
                { name: 'web', region: REGION, cidr: '10.0.2.0/24', externalIpv6Prefix: '2600:1900:4000:1::/64' },
              ],
            },
          ],
        },
      ],
    });
    const network = (await made.raw('GET', 'global/networks/core')).body;
    assert.deepEqual([network.enableUlaInternalIpv6, network.internalIpv6Range], [true, 'fd20:0:1::/48']);
    const app = (await made.raw('GET', APP)).body;
    assert.deepEqual(
      [app.stackType, app.ipv6AccessType, app.internalIpv6Prefix, app.privateIpGoogleAccess, app.secondaryIpRanges],
      ['IPV4_IPV6', 'INTERNAL', 'fd20:0:1::/64', true, [pods('10.8.0.0/16')]],
    );
    const web = (await made.raw('GET', `regions/${REGION}/subnetworks/web`)).body;
    assert.deepEqual([web.ipv6AccessType, web.externalIpv6Prefix], ['EXTERNAL', '2600:1900:4000:1::/64']);
    assert.equal(endOf(await made.done('PATCH', APP, { fingerprint: app.fingerprint, enableFlowLogs: true })), 'DONE');
    assert.equal((await made.raw('GET', APP)).body.internalIpv6Prefix, 'fd20:0:1::/64');
    assert.equal(
      endOf(await made.done('PATCH', 'global/networks/core', { routingConfig: { routingMode: 'GLOBAL' } })),
      'DONE',
    );
    assert.equal((await made.raw('GET', 'global/networks/core')).body.internalIpv6Range, 'fd20:0:1::/48');
  });

  it('that a network makes by the API has a block of Google, or the wanted one', async () => {
    await using made = await bench();
    const own = { ...custom('a'), enableUlaInternalIpv6: true };
    assert.equal(endOf(await made.done('POST', 'global/networks', own)), 'DONE');
    assert.match((await made.raw('GET', 'global/networks/a')).body.internalIpv6Range, /^fd20:[0-9a-f]{0,3}:.*\/48$/);
    const outside = await made.raw('POST', 'global/networks', { ...own, name: 'b', internalIpv6Range: 'fd30::/48' });
    assert.equal(refusalOf(outside), '400 invalid');
    const without = { ...custom('b'), internalIpv6Range: 'fd20:1::/48' };
    assert.equal(refusalOf(await made.raw('POST', 'global/networks', without)), '400 invalid');
  });

  const bad: readonly (readonly [name: string, network: object, says: RegExp])[] = [
    [
      'a router without a region',
      { routers: [{ name: 'hub' }] },
      /networks\[0\]\.routers\[0\]\.region: expected one of/,
    ],
    [
      'a NAT without a way',
      { routers: [{ name: 'hub', region: REGION, nats: [{ name: 'x' }] }] },
      /natIpAllocateOption/,
    ],
    [
      'a peering with itself',
      { peerings: [{ name: 'a', network: 'global/networks/core' }] },
      /peerings\[0\]: .*itself/,
    ],
    [
      'secondary ranges that overlap',
      {
        subnetworks: [
          { name: 'a', region: REGION, cidr: '10.0.0.0/24', secondaryRanges: [{ name: 'x', cidr: '10.0.1.0/24' }] },
          { name: 'b', region: REGION, cidr: '10.0.1.0/25' },
        ],
      },
      /overlaps/,
    ],
  ];
  for (const [name, network, says] of bad)
    it(`is refused for ${name}`, async () => {
      await using made = await bench();
      const estate = { projects: [{ project: PROJECT, networks: [{ name: 'core', ...network }] }] };
      assert.throws(() => made.sandbox.control.compute.load(estate), { message: says });
    });
});
