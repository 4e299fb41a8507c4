import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Recorder } from '../../../scripts/demo/recorder.ts';
import { type Asked, words } from './cloud-words.ts';
import { type Packet, sandboxWorld } from './sandbox-world.ts';
import { type Rule, type Scenario, scenarios } from './scenarios.ts';

/**
 * Checks the traffic between machines after the same specs converged on this cloud. The packet check of its sandbox knows the
 * cloud's documents and nothing of ours. A second observation must find nothing to do.
 */
export function reachability(cloud: Asked, record?: Recorder): void {
  describe(`reachability: ${cloud}`, { concurrency: 1 }, () => {
    for (const scenario of scenarios) {
      if (scenario.clouds?.includes(cloud) === false) continue;
      test(scenario.name, () => holds(scenario, cloud, record));
    }
  });
}

async function holds(scenario: Scenario, cloud: Asked, record?: Recorder): Promise<void> {
  await using world = await sandboxWorld(cloud, record);
  const documents = documentsOf(cloud, scenario);
  const first = await world.apply(documents);
  assert.equal(first.outcome, 'done', JSON.stringify([first.rounds.at(-1)?.failed, first.last?.plan.findings]));
  const again = await world.apply(documents);
  assert.deepEqual(
    again.rounds.flatMap(({ settled }) => settled),
    [],
    'what was made is what was asked for',
  );
  for (const [way, wanted] of scenario.questions) {
    const { allowed, steps } = await world.reaches(packetOf(way));
    assert.equal(allowed, wanted, `${way}: ${JSON.stringify(steps, undefined, 1)}`);
  }
}

function packetOf(way: string): Packet {
  const [from = '', , to = '', protocol = '', port = ''] = way.split(' ');
  return { from, to, protocol, port: Number(port) };
}

function documentsOf(cloud: Asked, { network = {}, rules = [] }: Scenario): readonly object[] {
  const { internet = true } = network;
  return [
    {
      kind: 'Network',
      metadata: { name: 'core' },
      spec: {
        targets: ['here'],
        cidr: '10.20.0.0/16',
        internet,
        default: network.default ?? { ingress: 'deny', egress: 'allow' },
        subnets: [
          { name: 'near', cidr: '10.20.1.0/24' },
          { name: 'far', cidr: '10.20.2.0/24' },
        ],
      },
    },
    ...rules.map((rule, index) => ruleOf(rule, index)),
    machine(cloud, 'web', { groups: ['web'], publicIp: internet }),
    machine(cloud, 'db', { groups: ['db'] }),
    machine(cloud, 'lone', {}),
    machine(cloud, 'far', { groups: ['web'], subnet: 'far' }),
  ];
}

const ruleOf = (rule: Rule, index: number): object => ({
  kind: 'FirewallRule',
  metadata: { name: `rule-${index}` },
  spec: { network: 'core', ...rule },
});

const machine = (cloud: Asked, name: string, more: object): object => ({
  kind: 'Instance',
  metadata: { name },
  spec: { targets: ['here'], network: 'core', subnet: 'near', ...words[cloud].machine, ...more },
});
