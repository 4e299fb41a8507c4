import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markLabels } from '../../../providers/gcp/marks/labels.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { InstanceAttributes } from '../../../src/core/resource.ts';
import { desired, observed } from '../../support/actions.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { scriptedCloud } from './scripted-cloud.ts';

const attributes: InstanceAttributes = {
  placement: { subnet: 'projects/acme/regions/europe-west1/subnetworks/app#1', publicIp: false },
  machine: { image: 'i', size: 'e2-small', power: 'running' },
  labels: {},
};
const path = 'zones/europe-west1-b/instances/web-0';

for (const status of ['STOPPING', 'PENDING_STOP', 'SUSPENDING']) {
  test(`a machine that is ${status} is not said to have been started`, async () => {
    const mark = { estate: 'acme', store: 's1', address: 'gcp/acme/europe-west1-b/instance/web-0' };
    const body = { id: '7', name: 'web-0', status, zone: 'zones/europe-west1-b', labels: markLabels(mark) };
    const cloud = await scriptedCloud(() => ({ body }));
    try {
      const session = await cloud.open();
      const seen: Observed<'instance'> = {
        ...observed('instance', `projects/acme/${path}#7`, attributes),
        signs: { mark },
      };
      const changes = [{ field: 'machine.power', from: 'stopped', to: 'running' }];
      const item = { desired: desired('instance', 'web-0', attributes), observed: seen, changes };
      const [result] = await session.actuators.instance.update([item], recordedCall());
      assert.equal(result?.ok === false && result.failure.kind, 'conflict');
      assert.deepEqual(
        cloud.asked.filter(({ path: asked }) => asked.endsWith('/start')),
        [],
      );
    } finally {
      await cloud.close();
    }
  });
}
