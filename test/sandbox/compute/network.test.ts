import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { begun, bench, core, custom, endOf, PROJECT, refusalOf } from './network-bench.ts';

const BASE = `https://www.googleapis.com/compute/v1/projects/${PROJECT}`;

describe('networks', () => {
  it('are made by an operation, with the default route, and then read, listed and deleted with it', async () => {
    await using made = await bench();
    const { networks, routes } = made.sdk;
    const operation = begun(
      await networks.insert({ project: PROJECT, networkResource: { ...custom('core'), mtu: 1500 } }),
    );
    assert.equal(operation.status, 'PENDING');
    assert.equal(refusalOf(await made.raw('GET', 'global/networks/core')), '404 notFound');
    made.sandbox.control.clock.advance(4000);
    const [network] = await networks.get({ project: PROJECT, network: 'core' });
    assert.deepEqual(
      [network.name, network.autoCreateSubnetworks, network.mtu, network.selfLink, network.routingConfig?.routingMode],
      ['core', false, 1500, `${BASE}/global/networks/core`, 'REGIONAL'],
    );
    assert.equal(String(network.id), String(operation.targetId));
    const [listed] = await networks.list({ project: PROJECT }, { autoPaginate: false });
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['core'],
    );
    const [[route]] = await routes.list({ project: PROJECT }, { autoPaginate: false });
    assert.match(route?.name ?? '', /^default-route-[0-9a-f]{16}$/);
    assert.deepEqual(
      [route?.destRange, route?.priority, route?.description, route?.nextHopGateway],
      ['0.0.0.0/0', 1000, 'Default route to the Internet.', `${BASE}/global/gateways/default-internet-gateway`],
    );
    assert.equal(endOf(await made.done('DELETE', 'global/networks/core')), 'DONE');
    assert.equal(refusalOf(await made.raw('GET', 'global/networks/core')), '404 notFound');
    assert.equal((await made.raw('GET', 'global/routes')).body.items, undefined);
  });

  it('name their subnetworks', async () => {
    await using made = await bench();
    await core(made);
    const { body } = await made.raw('GET', 'global/networks/core');
    assert.deepEqual(body.subnetworks, [`${BASE}/regions/europe-west1/subnetworks/app`]);
  });

  it('let only their routing mode be changed', async () => {
    await using made = await bench();
    await core(made);
    const mode = { routingConfig: { routingMode: 'GLOBAL' } };
    assert.equal(endOf(await made.done('PATCH', 'global/networks/core', { ...custom('core'), ...mode })), 'DONE');
    assert.equal((await made.raw('GET', 'global/networks/core')).body.routingConfig.routingMode, 'GLOBAL');
    for (const other of [{ description: 'x' }, { mtu: 1500 }, { name: 'other' }])
      assert.equal(refusalOf(await made.raw('PATCH', 'global/networks/core', other)), '400 invalid');
  });
});

describe('networks that cannot be deleted or made', () => {
  it('in use fail the operation that deletes them, not the request', async () => {
    await using made = await bench();
    await core(made);
    const deleted = await made.done('DELETE', 'global/networks/core');
    assert.deepEqual(
      [endOf(deleted), deleted.body.httpErrorStatusCode, deleted.body.httpErrorMessage],
      ['DONE RESOURCE_IN_USE_BY_ANOTHER_RESOURCE', 400, 'BAD REQUEST'],
    );
    assert.equal(
      deleted.body.error.errors[0].message,
      "The network resource 'projects/acme/global/networks/core' is already being used by 'projects/acme/regions/europe-west1/subnetworks/app'",
    );
    await made.done('DELETE', 'regions/europe-west1/subnetworks/app');
    await made.done('POST', 'global/firewalls', {
      name: 'web',
      network: 'global/networks/core',
      allowed: [{ IPProtocol: 'tcp' }],
    });
    assert.match(endOf(await made.done('DELETE', 'global/networks/core')), /IN_USE/);
    await made.done('DELETE', 'global/firewalls/web');
    assert.equal(endOf(await made.done('DELETE', 'global/networks/core')), 'DONE');
  });

  it('beyond the quota fail their operation, and are not there', async () => {
    await using made = await bench({ compute: { quotas: { networks: 1 } } });
    await made.done('POST', 'global/networks', custom('one'));
    const second = await made.done('POST', 'global/networks', custom('two'));
    assert.deepEqual([endOf(second), second.body.httpErrorStatusCode], ['DONE QUOTA_EXCEEDED', 403]);
    assert.equal(refusalOf(await made.raw('GET', 'global/networks/two')), '404 notFound');
  });
});

const refused: readonly {
  readonly name: string;
  readonly body: object;
  readonly want: string;
  readonly says: RegExp;
}[] = [
  { name: 'no name', body: { autoCreateSubnetworks: false }, want: '400 required', says: /resource\.name/ },
  { name: 'a bad name', body: custom('Core'), want: '400 invalid', says: /Must be a match of regex/ },
  { name: 'a name of 64 letters', body: custom('a'.repeat(64)), want: '400 invalid', says: /resource\.name/ },
  { name: 'a name in use', body: custom('taken'), want: '409 alreadyExists', says: /networks\/taken' already exists/ },
  { name: 'auto mode', body: { name: 'a', autoCreateSubnetworks: true }, want: '400 invalid', says: /no auto mode/ },
  { name: 'a legacy network', body: { name: 'a' }, want: '400 required', says: /autoCreateSubnetworks/ },
  { name: 'a small MTU', body: { ...custom('a'), mtu: 1299 }, want: '400 invalid', says: /1300 and 8896/ },
  {
    name: 'what the sandbox does not model',
    body: { ...custom('a'), networkProfile: 'x' },
    want: '400 invalid',
    says: /networkProfile.*does not model/,
  },
  { name: 'what Google does not know', body: { ...custom('a'), colour: 1 }, want: '400 badRequest', says: /"colour"/ },
  { name: 'text for a number', body: { ...custom('a'), mtu: 'big' }, want: '400 badRequest', says: /TYPE_INT32/ },
];

describe('networks are refused for', () => {
  for (const { name, body, want, says } of refused) {
    it(name, async () => {
      await using made = await bench();
      await made.done('POST', 'global/networks', custom('taken'));
      const answer = await made.raw('POST', 'global/networks', body);
      assert.equal(refusalOf(answer), want);
      assert.match(answer.body.error.message, says);
    });
  }

  it('not for empty values of what the sandbox does not model, which clients send unasked', async () => {
    await using made = await bench();
    const body = { ...custom('a'), params: { resourceManagerTags: {} }, enableUlaInternalIpv6: false };
    assert.equal(refusalOf(await made.raw('POST', 'global/networks', body)), 'accepted');
  });
});
