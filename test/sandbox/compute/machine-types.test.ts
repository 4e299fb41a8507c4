import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machineTypeNamed, machineTypesIn } from '../../../sandbox/compute/machine-types.ts';
import { REGIONS, regionNamed, ZONES, zoneNamed } from '../../../sandbox/compute/zones.ts';

interface Row {
  readonly zone: string;
  readonly name: string;
  readonly want: { readonly cpus: number; readonly memoryMb: number } | undefined;
}

const rows: readonly Row[] = [
  { zone: 'europe-west1-b', name: 'e2-micro', want: { cpus: 2, memoryMb: 1024 } },
  { zone: 'europe-west1-b', name: 'e2-standard-4', want: { cpus: 4, memoryMb: 16_384 } },
  { zone: 'us-central1-f', name: 'n1-standard-1', want: { cpus: 1, memoryMb: 3840 } },
  { zone: 'us-central1-a', name: 't2a-standard-1', want: { cpus: 1, memoryMb: 4096 } },
  { zone: 'europe-west1-b', name: 't2a-standard-1', want: undefined },
  { zone: 'europe-west1-b', name: 'e2-custom-4-8192', want: { cpus: 4, memoryMb: 8192 } },
  { zone: 'europe-west1-b', name: 'custom-2-2048', want: { cpus: 2, memoryMb: 2048 } },
  { zone: 'europe-west1-b', name: 'e2-custom-3-8192', want: undefined },
  { zone: 'europe-west1-b', name: 'e2-custom-4-8000', want: undefined },
  { zone: 'europe-west1-a', name: 'e2-micro', want: undefined },
  { zone: 'europe-west1-b', name: 't3.small', want: undefined },
];

describe('machine types', () => {
  for (const { zone, name, want } of rows) {
    it(`${name} in ${zone}: ${want ? `${want.cpus} vCPUs, ${want.memoryMb} MB` : 'none'}`, () => {
      const type = machineTypeNamed(zone, name);
      assert.deepEqual(type && { cpus: type.cpus, memoryMb: type.memoryMb }, want);
    });
  }

  it('have one name and one number each in their zone', () => {
    for (const { name } of ZONES) {
      const types = machineTypesIn(name);
      assert.ok(types.length > 20);
      assert.equal(new Set(types.map((type) => type.number)).size, types.length, name);
    }
  });
});

describe('zones', () => {
  it('lie in regions that exist, and each region has some', () => {
    for (const zone of ZONES) assert.ok(zone.name.startsWith(`${zone.region}-`) && regionNamed(zone.region), zone.name);
    for (const { name } of REGIONS) assert.ok(ZONES.filter(({ region }) => region === name).length >= 3, name);
  });

  it('do not begin at a everywhere', () => {
    assert.equal(zoneNamed('europe-west1-a'), undefined);
    assert.equal(zoneNamed('europe-west4-a')?.region, 'europe-west4');
  });
});
