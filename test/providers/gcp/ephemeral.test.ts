import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observeInstance } from '../../../providers/gcp/instance/observe.ts';

const around = { project: 'acme', resolve: (link: string | null | undefined) => link ?? '', disks: new Map() };
const boot = { boot: true, type: 'PERSISTENT', autoDelete: true } as const;

/** https://cloud.google.com/compute/docs/disks/local-ssd#data_persistence */
const cases = [
  ['no disk at all', [], false],
  ['a boot disk', [boot], false],
  ['further disks that stay', [boot, { type: 'PERSISTENT' }], false],
  ['local SSD beside the boot disk', [boot, { type: 'SCRATCH', interface: 'NVME' }], true],
] as const;

for (const [name, disks, want] of cases)
  test(`${name}: ${want ? 'a stop empties it' : 'a stop leaves all as it is'}`, () => {
    const instance = { name: 'web-0', zone: 'zones/b', status: 'RUNNING' as const, disks: [...disks] };
    assert.equal(observeInstance(instance, around).condition.ephemeral, want);
  });
