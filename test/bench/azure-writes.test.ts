import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nsg1000, subnets1000 } from '../../bench/azure-writes.ts';
import { missed } from '../../bench/bounds.ts';

describe('rules of one NSG', () => {
  test('all rules go in one write of their NSG', async () => {
    const [figure] = await nsg1000(20);
    assert.deepEqual(figure, { name: 'nsg-1000', value: 1, unit: 'writes for 21 rules', floor: 1, ratio: 1 });
  });

  test('each write that is sent counts, also one that was refused', async () => {
    const [figure] = await nsg1000(20, ({ faults }) =>
      faults.add({
        match: { action: 'networkSecurityGroups.createOrUpdate', times: 2 },
        effect: { kind: 'error', code: 'InternalServerError', status: 500 },
      }),
    );
    assert.equal(figure?.value, 3);
    assert.equal(figure && missed(figure), 'nsg-1000: value 3 is over 2');
  });

  test('more than an NSG holds is no figure', () =>
    assert.rejects(nsg1000(1000), /the rules of this network are 1001/));
});

describe('subnets of one VNet', () => {
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
});
