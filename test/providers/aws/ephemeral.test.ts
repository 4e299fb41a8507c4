import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observeInstance } from '../../../providers/aws/instance/observe.ts';

/** Whether a stop may empty a disk of it: undefined is "it may", see plan/destructive-drift.ts. */
const cases: readonly (readonly [size: string, root: 'ebs' | 'instance-store', want: boolean | undefined])[] = [
  ['t3.small', 'ebs', false],
  ['m5.large', 'ebs', false],
  ['m7i-flex.large', 'ebs', false],
  ['c7gn.16xlarge', 'ebs', false],
  ['r6idn.metal', 'ebs', true],
  ['m5d.large', 'ebs', true],
  ['m5ad.large', 'ebs', true],
  ['p4d.24xlarge', 'ebs', true],
  ['i4i.large', 'ebs', true],
  ['im4gn.large', 'ebs', true],
  ['is4gen.large', 'ebs', true],
  ['d3en.xlarge', 'ebs', true],
  ['h1.2xlarge', 'ebs', true],
  ['m5.large', 'instance-store', true],
  ['c3.large', 'ebs', undefined],
  ['m2.xlarge', 'ebs', undefined],
  ['x1.16xlarge', 'ebs', undefined],
  ['g5.xlarge', 'ebs', undefined],
  ['trn1.2xlarge', 'ebs', undefined],
  ['zz9.large', 'ebs', undefined],
  ['', 'ebs', undefined],
];

for (const [InstanceType, RootDeviceType, want] of cases)
  test(`${InstanceType || 'a size that is not told'} on ${RootDeviceType}: ${want ?? 'not known'}`, () => {
    const { observed } = observeInstance({ InstanceId: 'i-1', InstanceType: asType(InstanceType), RootDeviceType });
    assert.equal(observed.condition.ephemeral, want);
  });

// why: EC2 has sizes that its SDK does not know yet
const asType = (size: string): 'm5.large' => size as 'm5.large';
