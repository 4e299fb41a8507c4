import { refused } from './errors.ts';
import type { Disk } from './records.ts';

/** https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html: sizes in GiB */
const TYPES: Readonly<
  Record<
    string,
    { readonly smallest: number; readonly largest: number; readonly iops: boolean; readonly throughput: boolean }
  >
> = {
  gp3: { smallest: 1, largest: 65536, iops: true, throughput: true },
  gp2: { smallest: 1, largest: 16384, iops: false, throughput: false },
  io1: { smallest: 4, largest: 16384, iops: true, throughput: false },
  io2: { smallest: 4, largest: 65536, iops: true, throughput: false },
  st1: { smallest: 125, largest: 16384, iops: false, throughput: false },
  sc1: { smallest: 125, largest: 16384, iops: false, throughput: false },
  standard: { smallest: 1, largest: 1024, iops: false, throughput: false },
};

export interface DiskOrder {
  readonly size: number;
  readonly type: string;
  readonly iops?: number | undefined;
  readonly throughput?: number | undefined;
  readonly encrypted?: boolean | undefined;
  readonly snapshotId?: string | undefined;
}

/** The disk that an order gets, with what its type implies filled in. */
export function diskOf(order: DiskOrder): Disk {
  const rules = Object.hasOwn(TYPES, order.type) ? TYPES[order.type] : undefined;
  if (!rules)
    throw refused(
      'InvalidParameterValue',
      `Value (${order.type}) for parameter volumeType is invalid. Unknown volume type.`,
    );
  if (order.size < rules.smallest || order.size > rules.largest) {
    throw refused(
      'InvalidParameterValue',
      `Volume of ${order.size} GiB is invalid for ${order.type}; it must be between ${rules.smallest} and ${rules.largest}.`,
    );
  }
  if (order.iops !== undefined && !rules.iops)
    throw refused('InvalidParameterCombination', `The parameter iops is not supported for ${order.type} volumes.`);
  if (order.throughput !== undefined && !rules.throughput)
    throw refused(
      'InvalidParameterCombination',
      `The parameter throughput is not supported for ${order.type} volumes.`,
    );
  if (order.iops === undefined && order.type.startsWith('io'))
    throw refused('MissingParameter', `The request must contain the parameter iops`);
  return {
    size: order.size,
    type: order.type,
    iops: order.iops ?? impliedIops(order),
    throughput: order.throughput ?? (order.type === 'gp3' ? 125 : undefined),
    encrypted: order.encrypted ?? false,
    snapshotId: order.snapshotId ?? '',
  };
}

function impliedIops({ type, size }: DiskOrder): number | undefined {
  if (type === 'gp3') return 3000;
  return type === 'gp2' ? Math.min(16_000, Math.max(100, size * 3)) : undefined;
}
