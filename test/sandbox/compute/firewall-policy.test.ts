import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, endOf, type NetworkBench, PROJECT, REGION, refusalOf } from './network-bench.ts';

const zone = `${REGION}-b`;
const [web, db] = [`zones/${zone}/instances/web`, `zones/${zone}/instances/db`] as const;

/** HTTPS is open to everybody. `order`: of firewalls and of the policies of the network. */
const estateIn = (order: 'AFTER_CLASSIC_FIREWALL' | 'BEFORE_CLASSIC_FIREWALL') => ({
  projects: [
    {
      project: PROJECT,
      networks: [
        {
          name: 'core',
          enforcementOrder: order,
          subnetworks: [{ name: 'app', region: REGION, cidr: '10.0.1.0/24' }],
          firewalls: [
            { name: 'https', allowed: [{ IPProtocol: 'tcp', ports: ['443'] }], sourceRanges: ['0.0.0.0/0'] },
            { name: 'no-telnet', denied: [{ IPProtocol: 'tcp', ports: ['23'] }], sourceRanges: ['0.0.0.0/0'] },
          ],
        },
      ],
      instances: [
        { name: 'web', zone, subnetwork: 'app', externalIp: true },
        { name: 'db', zone, subnetwork: 'app' },
      ],
    },
  ],
});
const estate = estateIn('AFTER_CLASSIC_FIREWALL');

const rule = (action: string, port: string, more: object = {}) => ({
  ...{ priority: Number(port), action, direction: 'INGRESS' },
  match: { layer4Configs: [{ ipProtocol: 'tcp', ports: [port] }], srcIpRanges: ['0.0.0.0/0'] },
  ...more,
});

async function policyAt(made: NetworkBench, place: string, ...rules: readonly object[]): Promise<void> {
  assert.equal(endOf(await made.done('POST', `${place}/firewallPolicies`, { name: 'edge', rules })), 'DONE');
  const here = { name: 'here', attachmentTarget: `projects/${PROJECT}/global/networks/core` };
  assert.equal(endOf(await made.done('POST', `${place}/firewallPolicies/edge/addAssociation`, here)), 'DONE');
}

const passes = ({ sandbox }: NetworkBench, port: number, from = 'internet', to: string = web): boolean =>
  sandbox.control.compute.packet(PROJECT, { from, to, protocol: 'tcp', port }).allowed;

const effective = async (made: NetworkBench) => {
  const path = `regions/${REGION}/firewallPolicies/getEffectiveFirewalls?network=projects/${PROJECT}/global/networks/core`;
  const { body } = await made.raw('GET', path);
  return body;
};

describe('firewall policies', () => {
  it('have four rules of Google, which leave the decision to the next', async () => {
    await using made = await bench();
    made.sandbox.control.compute.load(estate);
    await policyAt(made, 'global');
    const { body } = await made.raw('GET', 'global/firewallPolicies/edge');
    assert.deepEqual(
      body.rules.map((one: { priority: number; action: string }) => [one.priority, one.action]),
      [2147483644, 2147483645, 2147483646, 2147483647].map((priority) => [priority, 'goto_next']),
    );
    assert.match(
      (await made.raw('GET', 'global/networks/core')).body.firewallPolicy,
      /global\/firewallPolicies\/edge$/,
    );
    assert.deepEqual([passes(made, 443), passes(made, 22)], [true, false]);
  });

  it('of a network come after its firewalls, and before the implied rules', async () => {
    await using made = await bench();
    made.sandbox.control.compute.load(estate);
    await policyAt(made, 'global', rule('deny', '443'), rule('allow', '22'), rule('allow', '23'));
    assert.deepEqual([passes(made, 443), passes(made, 22), passes(made, 23)], [true, true, false]);
  });

  it('come before its firewalls where the network says so', async () => {
    await using made = await bench();
    made.sandbox.control.compute.load(estateIn('BEFORE_CLASSIC_FIREWALL'));
    assert.equal(passes(made, 443), true);
    await policyAt(made, `regions/${REGION}`, rule('deny', '443'), rule('goto_next', '23'));
    assert.deepEqual([passes(made, 443), passes(made, 23)], [false, false]);
    assert.equal(passes(made, 443, db, web), false, 'inside of the network too');
  });

  it('of the organisation come before all', async () => {
    await using made = await bench();
    made.sandbox.control.compute.load(estate);
    const policies = [
      { parent: 'organizations/1', shortName: 'baseline', rules: [rule('deny', '443'), rule('allow', '23')] },
    ];
    made.sandbox.control.compute.load({ projects: [{ project: PROJECT, policies }] });
    assert.deepEqual([passes(made, 443), passes(made, 23), passes(made, 22)], [false, true, false]);
    assert.deepEqual(
      (await effective(made)).firewallPolicys.map((one: { type: string; displayName: string }) => [
        one.type,
        one.displayName,
      ]),
      [['HIERARCHY', 'baseline']],
    );
  });
});

describe('firewall policies over the wire', () => {
  it('are listed for a network and region, with its firewalls', async () => {
    await using made = await bench();
    made.sandbox.control.compute.load(estate);
    assert.deepEqual(Object.keys(await effective(made)), ['firewalls']);
    await policyAt(made, 'global', rule('deny', '80'));
    await policyAt(made, `regions/${REGION}`, rule('deny', '81'));
    const told = await effective(made);
    assert.deepEqual(
      told.firewallPolicys.map((one: { name: string; type: string }) => `${one.type} ${one.name}`),
      ['NETWORK edge', 'NETWORK_REGIONAL edge'],
    );
    assert.equal(told.firewalls.length, 2);
    const { body: ofNetwork } = await made.raw('GET', 'global/networks/core/getEffectiveFirewalls');
    assert.deepEqual(
      ofNetwork.firewallPolicys.map((one: { type: string }) => one.type),
      ['NETWORK'],
    );
  });

  it('take and lose rules and networks, and stay while they hold one', async () => {
    await using made = await bench();
    made.sandbox.control.compute.load(estate);
    await policyAt(made, 'global');
    const edge = 'global/firewallPolicies/edge';
    await made.done('POST', `${edge}/addRule`, rule('allow', '22'));
    assert.equal(passes(made, 22), true);
    assert.equal(refusalOf(await made.raw('POST', `${edge}/addRule`, rule('deny', '22'))), '400 invalid');
    await made.done('POST', `${edge}/removeRule?priority=22`);
    assert.equal(passes(made, 22), false);
    assert.equal(refusalOf(await made.raw('DELETE', edge)), '400 resourceInUseByAnotherResource');
    const again = { name: 'again', attachmentTarget: 'global/networks/core' };
    assert.equal(refusalOf(await made.raw('POST', `${edge}/addAssociation`, again)), '400 invalid');
    assert.equal(refusalOf(await made.raw('POST', `${edge}/removeAssociation?name=nobody`)), '404 notFound');
    await made.done('POST', `${edge}/removeAssociation?name=here`);
    assert.equal(endOf(await made.done('DELETE', edge)), 'DONE');
    assert.equal(refusalOf(await made.raw('GET', edge)), '404 notFound');
  });
});
