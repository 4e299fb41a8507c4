import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { begun, bench, core, custom, endOf, PROJECT, REGION, refusalOf } from './network-bench.ts';

const ALL = `regions/${REGION}/subnetworks`;

const pods = (ipCidrRange: string) => ({ rangeName: 'pods', ipCidrRange });

const named = (name: string, ipCidrRange: string, network = 'global/networks/core') => ({ name, network, ipCidrRange });

describe('subnetworks', () => {
  it('are made in a region, with their gateway and their route, and listed over all regions', async () => {
    await using made = await bench();
    await core(made);
    const { subnetworks, routes } = made.sdk;
    const inserted = begun(
      await subnetworks.insert({
        project: PROJECT,
        region: 'us-central1',
        subnetworkResource: { ...named('db', '10.0.2.0/24'), privateIpGoogleAccess: true },
      }),
    );
    assert.match(inserted.region ?? '', /\/regions\/us-central1$/);
    made.sandbox.control.clock.advance(4000);
    const [db] = await subnetworks.get({ project: PROJECT, region: 'us-central1', subnetwork: 'db' });
    assert.deepEqual(
      [db.ipCidrRange, db.gatewayAddress, db.privateIpGoogleAccess, db.purpose, db.stackType],
      ['10.0.2.0/24', '10.0.2.1', true, 'PRIVATE', 'IPV4_ONLY'],
    );
    assert.match(db.fingerprint ?? '', /^[A-Za-z0-9_-]{11}=$/);
    const found: Record<string, readonly unknown[] | undefined | null> = {};
    for await (const [scope, { subnetworks: list, warning }] of subnetworks.aggregatedListAsync({ project: PROJECT }))
      found[scope] = list?.length ? list.map(({ name }) => name) : [warning?.code];
    assert.deepEqual(found, {
      'regions/europe-west1': ['app'],
      'regions/europe-west4': ['NO_RESULTS_ON_PAGE'],
      'regions/us-central1': ['db'],
    });
    const [local] = await routes.list({ project: PROJECT, filter: 'destRange = "10.0.2.0/24"' });
    assert.deepEqual(
      local.map(({ description, nextHopNetwork }) => [description, nextHopNetwork?.split('/').at(-1)]),
      [['Default local route to the subnetwork 10.0.2.0/24.', 'core']],
    );
  });

  it('take their route with them, and leave the way free for another of their name elsewhere', async () => {
    await using made = await bench();
    await core(made);
    await made.done('DELETE', `${ALL}/app`);
    assert.equal((await made.raw('GET', 'global/routes')).body.items.length, 1);
    await made.done('POST', 'global/networks', custom('other'));
    assert.equal(endOf(await made.done('POST', ALL, named('app', '10.0.1.0/24', 'global/networks/other'))), 'DONE');
    assert.equal((await made.raw('GET', 'global/networks/core')).body.subnetworks, undefined);
    assert.equal((await made.raw('GET', 'global/networks/other')).body.subnetworks.length, 1);
  });

  it('that overlap fail the operation, in whichever region', async () => {
    await using made = await bench();
    await core(made);
    const overlapping = await made.done('POST', 'regions/us-central1/subnetworks', named('b', '10.0.1.128/25'));
    assert.equal(endOf(overlapping), 'DONE INVALID_USAGE');
    assert.equal(
      overlapping.body.error.errors[0].message,
      "Invalid IPCidrRange: 10.0.1.128/25 conflicts with existing subnetwork 'app' in region 'europe-west1'.",
    );
    await made.done('POST', 'global/networks', custom('other'));
    assert.equal(endOf(await made.done('POST', ALL, named('b', '10.0.1.0/24', 'global/networks/other'))), 'DONE');
  });
});

describe('subnetworks change', () => {
  it('by patch with the fingerprint that was read last', async () => {
    await using made = await bench();
    await core(made);
    const { fingerprint } = (await made.raw('GET', `${ALL}/app`)).body;
    const patch = { fingerprint, logConfig: { enable: true, flowSampling: 1 } };
    assert.equal(refusalOf(await made.raw('PATCH', `${ALL}/app`, { enableFlowLogs: true })), '412 conditionNotMet');
    assert.equal(endOf(await made.done('PATCH', `${ALL}/app`, patch)), 'DONE');
    const { body } = await made.raw('GET', `${ALL}/app`);
    assert.deepEqual(body.logConfig, {
      enable: true,
      aggregationInterval: 'INTERVAL_5_SEC',
      flowSampling: 1,
      metadata: 'EXCLUDE_ALL_METADATA',
    });
    assert.notEqual(body.fingerprint, fingerprint);
    assert.equal(refusalOf(await made.raw('PATCH', `${ALL}/app`, patch)), '412 conditionNotMet');
    const fixed = { fingerprint: body.fingerprint, description: 'x' };
    assert.equal(refusalOf(await made.raw('PATCH', `${ALL}/app`, fixed)), '400 invalid');
  });

  it('by their own methods: access to Google, and a larger range with its route', async () => {
    await using made = await bench();
    await core(made);
    await made.done('POST', `${ALL}/app/setPrivateIpGoogleAccess`, { privateIpGoogleAccess: true });
    await made.done('POST', `${ALL}/app/expandIpCidrRange`, { ipCidrRange: '10.0.0.0/23' });
    const { body } = await made.raw('GET', `${ALL}/app`);
    assert.deepEqual([body.privateIpGoogleAccess, body.ipCidrRange], [true, '10.0.0.0/23']);
    const routes: readonly { readonly destRange: string }[] = (await made.raw('GET', 'global/routes')).body.items;
    assert.deepEqual(routes.map(({ destRange }) => destRange).sort(), ['0.0.0.0/0', '10.0.0.0/23']);
    const smaller = await made.raw('POST', `${ALL}/app/expandIpCidrRange`, { ipCidrRange: '10.0.0.0/24' });
    assert.equal(refusalOf(smaller), '400 invalid');
  });
});

const refused: readonly {
  readonly name: string;
  readonly body: object;
  readonly want: string;
  readonly says: RegExp;
}[] = [
  { name: 'a name in use', body: named('app', '10.0.9.0/24'), want: '409 alreadyExists', says: /subnetworks\/app/ },
  { name: 'host bits', body: named('b', '10.0.9.1/24'), want: '400 invalid', says: /valid IPV4 CIDR/ },
  { name: 'less than a /29', body: named('b', '10.0.9.0/30'), want: '400 invalid', says: /too small/ },
  { name: 'a prohibited range', body: named('b', '169.254.1.0/24'), want: '400 invalid', says: /169\.254\.0\.0\/16/ },
  { name: 'no range', body: { name: 'b', network: 'global/networks/core' }, want: '400 required', says: /ipCidrRange/ },
  {
    name: 'a network that is not there',
    body: named('b', '10.0.9.0/24', 'global/networks/none'),
    want: '400 invalid',
    says: /resource\.network.*cannot be found/,
  },
  { name: 'a bare name of a network', body: named('b', '10.0.9.0/24', 'core'), want: '400 invalid', says: /malformed/ },
  {
    name: 'another region than asked',
    body: { ...named('b', '10.0.9.0/24'), region: 'regions/us-central1' },
    want: '400 invalid',
    says: /resource\.region/,
  },
  {
    name: 'IPv6, which only an estate gives it',
    body: { ...named('b', '10.0.9.0/24'), stackType: 'IPV4_IPV6' },
    want: '400 invalid',
    says: /stackType/,
  },
  {
    name: 'two secondary ranges of one name',
    body: { ...named('b', '10.0.9.0/24'), secondaryIpRanges: [pods('10.8.0.0/24'), pods('10.9.0.0/24')] },
    want: '400 invalid',
    says: /secondaryIpRanges\[1\]\.rangeName/,
  },
  {
    name: 'a secondary range without a name',
    body: { ...named('b', '10.0.9.0/24'), secondaryIpRanges: [{ ipCidrRange: '10.8.0.0/24' }] },
    want: '400 required',
    says: /secondaryIpRanges\[0\]\.rangeName/,
  },
];

describe('subnetworks are refused for', () => {
  for (const { name, body, want, says } of refused) {
    it(name, async () => {
      await using made = await bench();
      await core(made);
      const answer = await made.raw('POST', ALL, body);
      assert.equal(refusalOf(answer), want);
      assert.match(answer.body.error.message, says);
    });
  }

  it('a region that Google has not', async () => {
    await using made = await bench();
    const answer = await made.raw('GET', 'regions/mars-north1/subnetworks');
    assert.equal(refusalOf(answer), '400 invalid');
    assert.match(answer.body.error.message, /'region': 'mars-north1'. Unknown region/);
  });
});
