import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InstanceViewStatus, VirtualMachineAgentInstanceView } from '@azure/arm-compute';
import { healthIn } from '../../../providers/azure/instance/health.ts';
import { account } from '../../support/azure-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { createOne } from './estate.ts';
import { machineOf, makeLand } from './machines.ts';

const provisioned: InstanceViewStatus = { code: 'ProvisioningState/succeeded', level: 'Info' };
const running: InstanceViewStatus = { code: 'PowerState/running', level: 'Info' };
const failed: InstanceViewStatus = {
  code: 'ProvisioningState/failed/OSProvisioningTimedOut',
  level: 'Error',
  displayStatus: 'Provisioning failed',
  message: 'it did not finish in the allotted time',
};
const agent = (vmAgentVersion: string, ...statuses: InstanceViewStatus[]): VirtualMachineAgentInstanceView => ({
  vmAgentVersion,
  statuses,
});
const unready: InstanceViewStatus = {
  code: 'ProvisioningState/Unavailable',
  level: 'Warning',
  displayStatus: 'Not Ready',
  message: 'nothing was heard of it',
};

const cases: readonly (readonly [
  name: string,
  statuses: InstanceViewStatus[],
  vmAgent: VirtualMachineAgentInstanceView | undefined,
  want: RegExp,
])[] = [
  ['its agent is ready', [provisioned, running], agent('2.9.1.1', provisioned), /^passed $/],
  [
    'its agent was heard of and is not ready',
    [provisioned, running],
    agent('2.9.1.1', unready),
    /^checking .*Not Ready/,
  ],
  ['its agent never reported', [provisioned, running], agent('Unknown', unready), /^passed $/],
  ['it has no agent', [provisioned, running], undefined, /^passed $/],
  ['provisioning failed', [failed, running], agent('Unknown', unready), /^failed .*OSProvisioningTimedOut: it did not/],
  ['provisioning failed, and the agent is ready', [failed, running], agent('2.9.1.1', provisioned), /^failed /],
];

describe('whether a machine came up', () => {
  for (const [name, statuses, vmAgent, want] of cases)
    test(name, () => {
      const health = healthIn({ statuses, ...(vmAgent === undefined ? {} : { vmAgent }) });
      assert.match(`${health.state} ${'detail' in health ? health.detail : ''}`, want);
    });

  test('is asked of each machine, and one that is not found is waited for', async () => {
    const land = await makeLand();
    try {
      const { badBoots } = land.stage.sandbox.control.arm.subscription(account);
      const wanted = machineOf(land, 'agent-0');
      const { id } = await createOne(land.session, wanted);
      land.stage.sandbox.control.clock.advance(600_000);
      const statesOf = async (...ids: readonly string[]) => {
        const results = await land.session.actuators.instance.health?.(ids, recordedCall());
        return (results ?? []).map((one) => (one.ok ? one.value.state : one.failure.code));
      };
      assert.deepEqual(await statesOf(id, `${id.replace('agent-0', 'agent-1')}`), ['passed', 'checking']);
      const [publisher, offer, sku] = wanted.desired.attributes.machine.image?.split(':') ?? [];
      badBoots.set([publisher, offer, sku].join(':').toLowerCase(), 'loses its agent');
      assert.deepEqual(await statesOf(id), ['checking']);
    } finally {
      await land.stage.close();
    }
  });
});
