import type { RouteTable } from '@aws-sdk/client-ec2';
import type { Mark } from '../../../src/core/observed.ts';
import { readExtra, readMark } from '../marks.ts';
import type { Tag } from '../tags.ts';

export const everywhere = '0.0.0.0/0';
export const gatewayPart = 'internet-gateway';
export const tablePart = 'route-table';

/**
 * Checks that the tags mark this part of the network of `owner`, with the same estate, store and address. Anybody can copy
 * tags, so Setpoint does not delete a part if one of these differs. An adopted network names no address in its mark: see
 * `isAdoptedPart`.
 */
export const isPartOf = (owner: Mark | undefined, tags: readonly Tag[] | undefined, part: string): boolean =>
  owner?.address !== undefined && isNearPartOf(owner, tags, part) && sameStore(owner, tags) && sameAddress(owner, tags);

/**
 * Checks that the tags are those that parts of an adopted network get with it: the estate and the store, and no more. Parts of all
 * adopted networks bear them, so only the place of the part tells of which network it is.
 */
export const isAdoptedPart = (owner: Mark | undefined, tags: readonly Tag[] | undefined): boolean => {
  const mark = readMark(tags);
  return (
    owner !== undefined &&
    owner.address === undefined &&
    mark?.estate === owner.estate &&
    mark.store === owner.store &&
    mark.address === undefined &&
    readExtra(tags, 'part') === undefined
  );
};

/**
 * Like `isPartOf`, for parts observed inside that network: a rename or a takeover that stopped half way leaves another
 * address or store on a part. Enough not to make it twice; not enough to mark it anew or to delete it.
 */
export const isNearPartOf = (owner: Mark | undefined, tags: readonly Tag[] | undefined, part: string): boolean =>
  owner !== undefined &&
  readExtra(tags, 'part') === part &&
  readMark(tags)?.estate === owner.estate &&
  (sameStore(owner, tags) || sameAddress(owner, tags));

const sameStore = (owner: Mark | undefined, tags: readonly Tag[] | undefined): boolean =>
  readMark(tags)?.store === owner?.store;
const sameAddress = (owner: Mark | undefined, tags: readonly Tag[] | undefined): boolean =>
  owner?.address !== undefined && readMark(tags)?.address === owner.address;

/** Checks that the table's default route leads to this gateway; without an id, to any gateway. */
export const hasDefaultRouteTo = (table: RouteTable, gatewayId?: string): boolean =>
  internetRouteOf(table, gatewayId) === true;

/**
 * The extent of a table's routes to this internet gateway; without an id, to any. Routes through NAT and egress-only
 * gateways admit no inbound traffic and do not count. https://docs.aws.amazon.com/vpc/latest/userguide/VPC_Internet_Gateway.html
 *
 *   active routes to the gateway                              | way out
 *   ----------------------------------------------------------+----------
 *   0.0.0.0/0                                                 | true
 *   others: ::/0, halves (0.0.0.0/1 and 128.0.0.0/1), any part| 'partial'
 *   none                                                      | false
 */
export function internetRouteOf({ Routes = [] }: RouteTable, gatewayId?: string): boolean | 'partial' {
  const leading = Routes.filter(
    ({ GatewayId, State }) =>
      State !== 'blackhole' &&
      (gatewayId === undefined ? GatewayId?.startsWith('igw-') === true : GatewayId === gatewayId),
  );
  if (leading.some(({ DestinationCidrBlock }) => DestinationCidrBlock === everywhere)) return true;
  return leading.length > 0 ? 'partial' : false;
}
