import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { firewallRuleActuator } from '../../../providers/azure/firewall-rule.ts';
import { makeListings } from '../../../providers/azure/listings.ts';
import { readRaw } from '../../../providers/azure/raw.ts';
import { nothingKnown, type Scope } from '../../../providers/azure/scope.ts';
import { subnetActuator } from '../../../providers/azure/subnet.ts';
import { writable } from '../../../providers/azure/writable.ts';
import { creationOf, desiredOf, markFor, recordedCall } from '../../support/fixtures.ts';
import { codes } from './estate.ts';
import { account, network, type ScriptedArm, scope as scopeKey, scriptedArm } from './scripted-arm.ts';

const open: ScriptedArm[] = [];
after(async () => {
  for (const arm of open) await arm.close();
});

const prefix = `${scopeKey}/rg`;
const vnetId = network('virtualNetworks/core');
const nsgId = network('networkSecurityGroups/core-nsg');

/** Things that a newer API has, and our SDK's models do not know. */
const newer = { someNewerFeature: { enabled: true, at: [1, 2.5, 'x', null] } };
const mark = markFor(`${prefix}/network/core`, 'i-1');
const tags = {
  'setpoint:estate': mark.estate,
  'setpoint:store': mark.store,
  'setpoint:address': mark.address,
  'setpoint:part': 'nsg',
};
const vnet = {
  id: vnetId,
  etag: 'W/"7"',
  location: 'westeurope',
  ...newer,
  properties: {
    ...newer,
    resourceGuid: 'aaaa',
    subnets: [
      {
        name: 'old',
        etag: 'W/"7"',
        properties: {
          ...newer,
          addressPrefix: '10.0.9.0/24',
          networkSecurityGroup: { id: nsgId },
          defaultOutboundAccess: false,
        },
      },
    ],
  },
};
const nsg = {
  id: nsgId,
  etag: 'W/"9"',
  location: 'westeurope',
  tags,
  ...newer,
  properties: {
    ...newer,
    resourceGuid: 'bbbb',
    securityRules: [{ name: 'lab', ...newer, properties: { ...newer, priority: 4000, direction: 'Inbound' } }],
  },
};

/** A cloud that holds these two, and takes every write. */
async function holding(given: { readonly vnet: object; readonly nsg: object }) {
  const arm: ScriptedArm = await scriptedArm(({ method, path, body }) => {
    if (method !== 'GET') return { body: { ...JSON.parse(body), properties: { provisioningState: 'Succeeded' } } };
    if (/\/subnets\/[ab]$/.test(path)) return { status: 404, body: { error: { code: 'NotFound', message: 'none' } } };
    return { body: path.includes('networkSecurityGroups') ? given.nsg : given.vnet };
  });
  open.push(arm);
  const client = await arm.open();
  const where = { client, account, location: 'westeurope', clock: arm.clock };
  const scope: Scope = {
    ...where,
    listings: makeListings(where),
    known: nothingKnown(),
  };
  return { arm, scope };
}

const subnet = (name: string, cidr: string) =>
  creationOf(
    desiredOf('subnet', {
      address: `${prefix}/subnet/core.${name}`,
      name,
      attributes: { network: `${vnetId.toLowerCase()}#aaaa`, cidr, filter: true, labels: {} },
    }),
    `i-${name}`,
  );
const rule = creationOf(
  desiredOf('firewall-rule', {
    address: `${prefix}/firewall-rule/core.a-0`,
    name: 'a-0',
    attributes: {
      network: `${vnetId.toLowerCase()}#aaaa`,
      match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '1', peers: ['any'], targets: [] },
      description: '',
      order: { priority: 100 },
    },
  }),
  'i-a',
);

const puts = ({ came }: ScriptedArm) => came.filter(({ method }) => method === 'PUT');

describe('what stands goes back as the cloud wrote it, with what our SDK does not know', () => {
  test('a VNet with its subnets', async () => {
    const { arm, scope } = await holding({ vnet, nsg });
    const batch = [subnet('a', '10.0.1.0/24'), subnet('b', '10.0.2.0/24')];
    assert.deepEqual(codes(await subnetActuator(scope).create(batch, recordedCall())), ['ok', 'ok']);
    const [put] = puts(arm);
    const { subnets, ...properties } = JSON.parse(put?.body ?? '').properties;
    assert.deepEqual(subnets.slice(0, 1), writable(vnet).properties.subnets);
    assert.deepEqual(
      subnets.map(({ name }: { name: string }) => name),
      ['old', 'a', 'b'],
    );
    assert.deepEqual(
      { ...JSON.parse(put?.body ?? ''), properties: { ...properties, subnets: writable(vnet).properties.subnets } },
      writable(vnet),
    );
    assert.equal(put?.headers['if-match'], 'W/"7"');
  });

  test('an NSG with its rules', async () => {
    const { arm, scope } = await holding({ vnet, nsg });
    assert.deepEqual(codes(await firewallRuleActuator(scope).create([rule], recordedCall())), ['ok']);
    const [put] = puts(arm);
    const { securityRules, ...properties } = JSON.parse(put?.body ?? '').properties;
    assert.deepEqual(securityRules.slice(0, 1), writable(nsg).properties.securityRules);
    assert.equal(securityRules.length, 2);
    assert.deepEqual(
      {
        ...JSON.parse(put?.body ?? ''),
        properties: { ...properties, securityRules: writable(nsg).properties.securityRules },
      },
      writable(nsg),
    );
    assert.equal(put?.headers['if-match'], 'W/"9"');
  });
});

describe('without an etag nothing is written whole', () => {
  test('subnets go by their own URLs', async () => {
    const { etag: _, ...bare } = vnet;
    const { arm, scope } = await holding({ vnet: bare, nsg });
    await subnetActuator(scope).create([subnet('a', '10.0.1.0/24'), subnet('b', '10.0.2.0/24')], recordedCall());
    assert.deepEqual(
      puts(arm).map(({ path }) => path.split('/').slice(-2).join('/')),
      ['subnets/a', 'subnets/b'],
    );
  });

  test('rules are not written at all', async () => {
    const { etag: _, ...bare } = nsg;
    const { arm, scope } = await holding({ vnet, nsg: bare });
    assert.deepEqual(codes(await firewallRuleActuator(scope).create([rule], recordedCall())), ['terminal NoEtag']);
    assert.deepEqual(puts(arm), []);
  });
});

test('what is no resource is no answer', () => {
  for (const body of ['', {}, { id: 'x' }, [], null, undefined]) assert.throws(() => readRaw(body));
});
