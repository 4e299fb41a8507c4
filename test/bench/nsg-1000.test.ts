import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { nsg1000 } from '../../bench/nsg-1000.ts';

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

test('more than an NSG holds is no figure', () => assert.rejects(nsg1000(1000), /the rules of this network are 1001/));
