import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { subnets1000 } from '../../bench/subnets-1000.ts';

test('all subnets go in one write of their VNet', async () => {
  const [figure] = await subnets1000(20);
  assert.deepEqual(figure, { name: 'subnets-1000', value: 1, unit: 'writes for 20 subnets', floor: 1, ratio: 1 });
});

test('beside a subnet of somebody else’s each goes by itself, and the figure says so', async () => {
  const [figure] = await subnets1000(4, ({ arm }) =>
    arm.load({
      subscriptions: [
        {
          resources: [
            {
              type: 'Microsoft.Network/virtualNetworks/subnets',
              group: 'rg-app',
              name: 'core/lab',
              properties: { addressPrefix: '10.20.255.0/24' },
            },
          ],
        },
      ],
    }),
  );
  assert.equal(figure && missed(figure), 'subnets-1000: value 4 is over 2');
});

test('each write that is sent counts, also one that was refused', async () => {
  const [figure] = await subnets1000(20, ({ faults }) =>
    faults.add({
      match: { action: 'virtualNetworks.createOrUpdate', times: 2 },
      effect: { kind: 'error', code: 'InternalServerError', status: 500 },
    }),
  );
  assert.equal(figure && missed(figure), 'subnets-1000: value 3 is over 2');
});
