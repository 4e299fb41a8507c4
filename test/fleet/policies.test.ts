import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld } from '../support/fleet-world.ts';

const policy = (spec: object = {}): object => ({
  kind: 'Policy',
  metadata: { name: 'open' },
  spec: {
    ...{ kinds: ['firewall-rule'], mode: 'enforce' },
    rules: [
      { name: 'ssh', deny: "resource.direction == 'ingress' && resource.opens(22)", message: 'Use the bastion.' },
    ],
    ...spec,
  },
});

const exemptions = [{ resources: ['*'], owner: 'team-net', reason: 'a bastion', until: '9999-01-01' }];
const ground = network({ internet: true });
const ssh = rule('ssh', { ports: [22] });
const https = rule('https', { ports: [443] });

/** The ingress ports that stand. */
const openPorts = ({ cloud }: FleetWorld): readonly string[] =>
  cloud.outside
    .do('ListRules', {})
    .items.flatMap(({ match: { direction, from } }) => (direction === 'ingress' && from >= 0 ? [String(from)] : []))
    .toSorted();

describe('a policy in enforce mode, in a fleet', () => {
  it('withholds what it denies, and all else goes on', async () => {
    const world = fleetWorld();
    await world.accept([ground, ssh, https, policy()]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['443']);
    assert.match(world.said().at(-1) ?? '', /withheld: policy 1/);
  });

  for (const [name, specs] of [
    ['a policy that goes', []],
    ['a policy that is back in audit', [policy({ mode: 'audit' })]],
    ['an exemption that comes', [policy({ exemptions })]],
    ['a rule of a policy that is looser', [policy({ rules: [{ name: 'ssh', deny: 'false', message: 'x' }] })]],
    ['a policy that is of other targets', [policy({ targets: ['there'] })]],
  ] as const)
    it(`${name}, counts from the next generation on`, async () => {
      const there = {
        kind: 'Target',
        metadata: { name: 'there' },
        spec: { provider: 'memory', account: 'acme', region: 'south' },
      };
      const world = fleetWorld();
      await world.accept([there, ground, https, policy()]);
      await world.reconcile();
      await world.accept([there, ground, https, ssh, ...specs]);
      await world.reconcile();
      assert.deepEqual(openPorts(world), ['443'], 'in the generation that loosens it');
      await world.accept([there, ground, https, ssh, ...specs, rule('later', { ports: [8080] })]);
      await world.reconcile();
      assert.deepEqual(openPorts(world), ['22', '443', '8080'], 'in the next one');
    });

  it('an exemption that is there from the start lets it pass', async () => {
    const world = fleetWorld();
    await world.accept([ground, ssh, policy({ exemptions })]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['22']);
  });
});
