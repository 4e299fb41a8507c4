export interface DiskType {
  readonly name: string;
  readonly number: string;
  readonly description: string;
  readonly defaultGb: number;
  readonly smallestGb: number;
  readonly largestGb: number;
}

/** What a disk is of when nobody says: https://docs.cloud.google.com/compute/docs/disks/persistent-disks#disk-types */
export const DEFAULT_DISK_TYPE = 'pd-standard';

/** Sizes: https://docs.cloud.google.com/compute/docs/disks/persistent-disks and .../disks/hyperdisks */
export const DISK_TYPES: readonly DiskType[] = [
  {
    name: 'hyperdisk-balanced',
    number: '30016',
    description: 'Hyperdisk Balanced Persistent Disk',
    defaultGb: 100,
    smallestGb: 4,
    largestGb: 65_536,
  },
  {
    name: 'pd-balanced',
    number: '30007',
    description: 'Balanced Persistent Disk',
    defaultGb: 100,
    smallestGb: 10,
    largestGb: 65_536,
  },
  {
    name: 'pd-ssd',
    number: '30002',
    description: 'SSD Persistent Disk',
    defaultGb: 100,
    smallestGb: 10,
    largestGb: 65_536,
  },
  {
    name: 'pd-standard',
    number: '30001',
    description: 'Standard Persistent Disk',
    defaultGb: 500,
    smallestGb: 10,
    largestGb: 65_536,
  },
];

export function diskTypeNamed(name: string): DiskType | undefined {
  return DISK_TYPES.find((type) => type.name === name);
}
