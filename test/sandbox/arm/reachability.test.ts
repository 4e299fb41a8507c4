import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Verdict } from '../../../sandbox/packet.ts';
import { NETWORK, QUICK, ruleBody, SUBSCRIPTION } from './bench.ts';
import { GROUP, given, ID, type MachineBench, machineBench, standing } from './machine-bench.ts';

interface Spot {
  readonly subnet: string;
  readonly address?: string;
  readonly security?: string;
  readonly group?: string;
}

/** Machines by name: the subnet of their interface, and its groups and filters. */
const SPOTS: Readonly<Record<string, Spot>> = {
  web: { subnet: ID.subnet('app'), address: 'web', group: 'web' },
  hidden: { subnet: ID.subnet('app'), group: 'web' },
  db: { subnet: ID.subnet('db') },
  bare: { subnet: ID.subnet('open') },
  naked: { subnet: ID.subnet('open'), address: 'naked' },
  basic: { subnet: ID.subnet('open'), address: 'basic' },
  guarded: { subnet: ID.subnet('open'), address: 'guarded', security: 'own' },
  far: { subnet: ID.subnet('app', 'other'), address: 'far' },
};

const resource = (type: string, name: string, properties: object, more: object = {}): object => ({
  type: `Microsoft.Network/${type}`,
  group: GROUP,
  name,
  properties,
  ...more,
});

const open = ruleBody('https', 100);
const ssh = ruleBody('ssh', 110, { sourceAddressPrefix: 'Internet', destinationPortRange: '22', access: 'Deny' });
const fromWeb = ruleBody('web', 100, {
  sourceAddressPrefix: undefined,
  sourceApplicationSecurityGroups: [{ id: ID.group('web') }],
  destinationPortRange: '5432',
});
const shut = ruleBody('shut', 4096, {
  sourceAddressPrefix: 'VirtualNetwork',
  protocol: '*',
  destinationPortRange: '*',
  access: 'Deny',
});
const stay = ruleBody('stay', 4096, {
  direction: 'Outbound',
  protocol: '*',
  destinationPortRange: '*',
  access: 'Deny',
});

async function estate(): Promise<MachineBench> {
  const at = await machineBench();
  const group = (name: string, ...securityRules: readonly object[]) =>
    resource('networkSecurityGroups', name, { securityRules });
  const subnet = (network: string, name: string, addressPrefix: string, security: string) =>
    resource('virtualNetworks/subnets', `${network}/${name}`, {
      addressPrefix,
      defaultOutboundAccess: false,
      networkSecurityGroup: { id: ID.security(security) },
    });
  const address = (name: string) =>
    resource(
      'publicIPAddresses',
      name,
      { publicIPAllocationMethod: name === 'basic' ? 'Dynamic' : 'Static' },
      { body: { sku: { name: name === 'basic' ? 'Basic' : 'Standard' } } },
    );
  const nic = ([name, spot]: readonly [string, Spot]) => {
    const properties = {
      subnet: { id: spot.subnet },
      ...(spot.address === undefined ? {} : { publicIPAddress: { id: ID.address(spot.address) } }),
      ...(spot.group === undefined ? {} : { applicationSecurityGroups: [{ id: ID.group(spot.group) }] }),
    };
    const security = spot.security === undefined ? {} : { networkSecurityGroup: { id: ID.security(spot.security) } };
    return resource('networkInterfaces', `${name}-nic`, { ...security, ipConfigurations: [{ name: 'c', properties }] });
  };
  given(
    at,
    resource('applicationSecurityGroups', 'web', {}),
    group('front', open, ssh),
    group('back', fromWeb, shut, stay),
    group('own', open),
    subnet('core', 'app', '10.20.1.0/24', 'front'),
    subnet('core', 'db', '10.20.2.0/24', 'back'),
    subnet('other', 'app', '10.30.1.0/24', 'front'),
    ...['web', 'naked', 'basic', 'guarded', 'far'].map(address),
    ...Object.entries(SPOTS).map(nic),
    ...Object.keys(SPOTS).flatMap((name) => standing(name).slice(1)),
  );
  return at;
}

interface Row {
  readonly from: string;
  readonly to: string;
  readonly protocol?: string;
  readonly port?: number;
  /** The reason why the packet is stopped; undefined when it arrives. */
  readonly stop?: RegExp;
}

const rows: readonly Row[] = [
  { from: 'internet', to: 'web', port: 443 },
  { from: 'internet', to: 'web', port: 80, stop: /^front on the subnet of web, inbound$/ },
  { from: 'internet', to: 'web', port: 22, stop: /^front on the subnet of web, inbound$/ },
  { from: 'internet', to: 'web', port: 443, protocol: 'udp', stop: /^front/ },
  { from: '198.51.100.7', to: 'web', port: 443 },
  { from: 'internet', to: 'hidden', port: 443, stop: /^public address of hidden$/ },
  { from: 'internet', to: 'naked', port: 443, stop: /^Standard address of naked$/ },
  { from: 'internet', to: 'basic', port: 443 },
  { from: 'internet', to: 'guarded', port: 443 },
  { from: 'internet', to: 'guarded', port: 80, stop: /^own on the network interface of guarded, inbound$/ },
  { from: 'web', to: 'db', port: 5432 },
  { from: 'hidden', to: 'db', port: 5432 },
  { from: 'web', to: 'db', port: 5433, stop: /^back on the subnet of db, inbound$/ },
  { from: 'bare', to: 'db', port: 5432, stop: /^back on the subnet of db, inbound$/ },
  { from: 'db', to: 'web', port: 443, stop: /^back on the subnet of db, outbound$/ },
  { from: 'bare', to: 'web', port: 22 },
  { from: 'web', to: 'bare', port: 9 },
  { from: 'web', to: 'internet', port: 443 },
  { from: 'hidden', to: 'internet', port: 443, stop: /^outbound access of hidden$/ },
  { from: 'bare', to: 'internet', port: 443 },
  { from: 'web', to: 'far', port: 443 },
  { from: 'hidden', to: 'far', port: 443, stop: /^outbound access of hidden$/ },
  { from: 'far', to: 'db', port: 5432, stop: /^public address of db$/ },
  { from: 'internet', to: 'nobody', port: 443, stop: /^ends$/ },
];

const endOf = (name: string): string => (/^(?:internet|[\d.]+)$/.test(name) ? name : ID.machine(name));

const asked = ({ sandbox }: MachineBench, { from, to, protocol = 'tcp', port }: Row): Verdict =>
  sandbox.control.arm.packet(SUBSCRIPTION, { from: endOf(from), to: endOf(to), protocol, port });

const stopOf = ({ allowed, steps }: Verdict): string | undefined => (allowed ? undefined : steps.at(-1)?.gate);

describe('the packet check of the Azure sandbox', () => {
  for (const row of rows) {
    const { from, to, protocol = 'tcp', port, stop } = row;
    it(`${from} → ${to} ${protocol}/${port}: ${stop ? `stopped at ${stop.source}` : 'arrives'}`, async () => {
      await using at = await estate();
      const verdict = asked(at, row);
      if (stop) assert.match(stopOf(verdict) ?? 'arrived', stop);
      else assert.equal(stopOf(verdict), undefined, JSON.stringify(verdict.steps));
    });
  }

  it('asks for power on both sides', async () => {
    await using at = await estate();
    await at.compute.virtualMachines.powerOff(GROUP, 'web', QUICK);
    assert.equal(stopOf(asked(at, { from: 'internet', to: 'web', port: 443 })), 'receiver runs');
    assert.equal(stopOf(asked(at, { from: 'web', to: 'db', port: 5432 })), 'sender runs');
    await at.compute.virtualMachines.start(GROUP, 'web', QUICK);
    assert.equal(stopOf(asked(at, { from: 'internet', to: 'web', port: 443 })), undefined);
  });

  it('takes ids in any case, and is asked over HTTP', async () => {
    await using at = await estate();
    const question = { from: 'internet', to: ID.machine('web').toUpperCase(), protocol: 'tcp', port: 443 };
    const answer = await fetch(`${at.sandbox.url}/_sandbox/packet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ cloud: 'azure', subscription: SUBSCRIPTION, ...question }),
    });
    assert.equal(JSON.parse(await answer.text()).allowed, true);
  });
});

const core = `${NETWORK}/virtualNetworks/core`;

function manage({ sandbox }: MachineBench, name: string, access: string, more: object): void {
  const rule = { network: core, name, access, direction: 'Inbound', ...more };
  sandbox.control.arm.load({ subscriptions: [{ id: SUBSCRIPTION, adminRules: [rule] }] });
}

describe('security admin rules of a network manager', () => {
  it('come before the security groups: the first that matches denies, always allows, or leaves it to them', async () => {
    await using at = await estate();
    const stops = (to: string, port: number, from = 'internet') => stopOf(asked(at, { from, to, port }));
    manage(at, 'no-https', 'Deny', { ports: ['443'], priority: 20 });
    assert.equal(stops('web', 443), 'security admin rules on web, inbound');
    manage(at, 'https', 'Allow', { ports: ['443'], priority: 10 });
    assert.equal(stops('web', 443), undefined);
    assert.equal(stops('db', 443, 'web'), 'back on the subnet of db, inbound', 'Allow asks the groups');
    manage(at, 'ssh', 'AlwaysAllow', { ports: ['22'], sources: ['198.51.100.0/24'] });
    assert.equal(stops('web', 22, '198.51.100.7'), undefined);
    assert.equal(stops('naked', 22, '198.51.100.7'), undefined, 'nor does its address need a group then');
    assert.equal(stops('web', 22), 'front on the subnet of web, inbound', 'of another sender');
    assert.equal(stops('far', 443), undefined, 'in another network');
  });

  it('hold in both directions, by service tags and protocols', async () => {
    await using at = await estate();
    manage(at, 'shut', 'Deny', { direction: 'Outbound', protocol: 'Any', destinations: ['Internet'] });
    assert.equal(
      stopOf(asked(at, { from: 'web', to: 'internet', port: 443 })),
      'security admin rules on web, outbound',
    );
    assert.equal(stopOf(asked(at, { from: 'web', to: 'db', port: 5432 })), undefined);
  });

  it('are listed by page for their network, and the listing is no write', async () => {
    await using at = await estate();
    const path = `${core}/listNetworkManagerEffectiveSecurityAdminRules`;
    for (let number = 0; number < 21; number += 1) manage(at, `rule-${number}`, 'Deny', { priority: number + 1 });
    const first = await at.send('POST', path, { body: {} });
    assert.deepEqual([first.status, first.body.value.length], [200, 20]);
    assert.match(first.body.value[0].id, /\/rules\/rule-0$/);
    const { access, direction, priority } = first.body.value[0].properties;
    assert.deepEqual([first.body.value[0].kind, access, direction, priority], ['Custom', 'Deny', 'Inbound', 1]);
    const second = await at.send('POST', path, { body: { skipToken: first.body.skipToken } });
    assert.deepEqual([second.body.value.length, second.body.skipToken], [1, '']);
    assert.equal((await at.send('POST', path, { body: { skipToken: 'x' } })).status, 400);
    assert.equal((await at.send('POST', path.replace('/core/', '/none/'))).status, 404);
    const others = await at.send('POST', path.replace('/core/', '/other/'));
    assert.deepEqual(others.body.value, []);
    assert.deepEqual(at.sandbox.control.log.entries({ mutating: true }), []);
  });
});
