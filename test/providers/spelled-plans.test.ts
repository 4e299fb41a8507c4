import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aws } from '../../providers/aws/index.ts';
import { account, openAwsStage, region } from '../support/aws-session.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type EngineWorld, engineWorld } from '../support/engine-world/engine-world.ts';
import { machine as azureMachine, azureWorld } from './azure/scenarios/azure-world.ts';
import { machine as gcpMachine, gcpWorld } from './gcp/scenarios/gcp-world.ts';

type MachineDocument = ReturnType<typeof machineIn>;

interface Case {
  readonly open: () => Promise<EngineWorld>;
  readonly machine: MachineDocument;
}

const clouds: Readonly<Record<string, Case>> = {
  aws: {
    open: async () => {
      const stage = await openAwsStage();
      await stage.open(); // why: it brings the keys that the sandbox knows
      const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
      return engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
    },
    machine: machineIn({ image: 'ami-0abc0abc0abc0abc0', size: 't3.small' }),
  },
  gcp: { open: gcpWorld, machine: gcpMachine },
  azure: { open: azureWorld, machine: azureMachine },
};

const documents = (machine: MachineDocument, ports: readonly number[]) => [
  network(),
  rule('https', { ports, peers: { cidrs: ['192.0.2.7/32', '10.0.0.0/8', '2001:db8::7/128'] } }),
  rule('lb', { ports: [8080], peers: { groups: ['lb'] } }),
  rule('out', { direction: 'egress', ports: [443], peers: { cidrs: ['0.0.0.0/0'] } }),
  machine('web'),
];

/** Without the cloud's own default objects. */
const own = (left: readonly string[]): readonly string[] => left.filter((each) => !each.startsWith('unmanaged '));

for (const [cloud, { open, machine }] of Object.entries(clouds)) {
  test(`${cloud}: an applied estate plans to nothing, however its answers are spelled, and a change to that change alone`, async () => {
    await using world = await open();
    const { spellings } = world.sandbox.control;
    const built = await world.apply(documents(machine, [443]));
    assert.deepEqual(own(built.left), []);
    for (let number = 1; number <= 12; number++) {
      spellings.set({ kind: 'seed', number });
      const again = await world.apply(documents(machine, [443]));
      assert.deepEqual([again.writes, own(again.left)], [[], []], `spelling ${number}`);
    }
    const changed = await world.apply(documents(machine, [443, 8443]));
    assert.notDeepEqual(changed.writes, []);
    assert.deepEqual(own(changed.left), []);
    spellings.set({ kind: 'own' });
    const settled = await world.apply(documents(machine, [443, 8443]));
    assert.deepEqual([settled.writes, own(settled.left)], [[], []]);
  });
}
