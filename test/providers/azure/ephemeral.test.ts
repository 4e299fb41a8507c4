import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VirtualMachine } from '@azure/arm-compute';
import { type Around, observeMachine } from '../../../providers/azure/instance/observe.ts';

const around: Around = {
  nics: new Map(),
  addresses: new Map(),
  disks: new Map(),
  views: new Map(),
  refOf: (id) => id ?? '',
  unknownTo: () => undefined,
};
const local = { storageProfile: { osDisk: { createOption: 'FromImage', diffDiskSettings: { option: 'Local' } } } };

/** Undefined is "it may", see plan/destructive-drift.ts. */
const cases: readonly (readonly [
  name: string,
  size: string,
  more: Partial<VirtualMachine>,
  want: boolean | undefined,
])[] = [
  ['managed disks', 'Standard_B2s', {}, false],
  ['a temporary disk, which is not for data', 'Standard_D2ds_v5', {}, false],
  ['an OS disk on its host', 'Standard_D2ds_v5', local, true],
  ['NVMe data disks on its host', 'Standard_L8s_v3', {}, true],
  ['the same, spelled otherwise', 'standard_l16as_V3', {}, true],
  ['a size for high performance', 'Standard_HB176rs_v4', {}, undefined],
  ['a size with GPUs', 'Standard_ND96asr_v4', {}, undefined],
  ['a size that is not told', '', {}, undefined],
];

for (const [name, vmSize, more, want] of cases)
  test(`${name}: ${want ?? 'not known'}`, () => {
    const vm = {
      id: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/web-0',
      location: 'x',
    };
    const observed = observeMachine({ ...vm, hardwareProfile: { vmSize }, ...more }, around);
    assert.equal(observed.condition.ephemeral, want);
  });
