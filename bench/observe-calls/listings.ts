import type { Region } from '../../sandbox/ec2/region.ts';

/** One listing that somebody needs. Pages: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/Welcome.html, MaxResults of each. */
interface Row {
  readonly action: string;
  readonly for: string;
  readonly page: number;
  readonly items: (region: Region) => number;
}

/**
 * Every listing that the kinds and their parts need. Rules come with their groups, and network interfaces with their
 * instances; a disk is described by its volume alone.
 */
export const listings: readonly Row[] = [
  { action: 'DescribeVpcs', for: 'networks', page: 1000, items: ({ vpcs }) => vpcs.size },
  { action: 'DescribeInternetGateways', for: 'networks: gateway', page: 1000, items: ({ gateways }) => gateways.size },
  {
    action: 'DescribeRouteTables',
    for: 'networks: route table',
    page: 100,
    items: ({ routeTables }) => routeTables.size,
  },
  { action: 'DescribeSubnets', for: 'subnets', page: 1000, items: ({ subnets }) => subnets.size },
  { action: 'DescribeSecurityGroups', for: 'groups, rules', page: 1000, items: ({ groups }) => groups.size },
  { action: 'DescribeInstances', for: 'instances', page: 1000, items: ({ instances }) => instances.size },
  { action: 'DescribeVolumes', for: 'instances: disk', page: 1000, items: ({ volumes }) => volumes.size },
];

/** Σ(⌈n/page⌉ + 1): each page, and one call more for whoever must look behind the last. */
export const listingsFloor = (region: Region): number =>
  listings.reduce((calls, { page, items }) => calls + Math.ceil(items(region) / page) + 1, 0);
