import type { RouteTable } from '@aws-sdk/client-ec2';
import type { Mark } from '../../../src/core/observed.ts';
import { readExtra, readMark } from '../marks.ts';
import type { Tag } from '../tags.ts';

export const everywhere = '0.0.0.0/0';
export const gatewayPart = 'internet-gateway';
export const tablePart = 'route-table';

/**
 * Whether this is such a part of the network that bears `owner`: it says so, for the same estate, store and address.
 * Tags can be copied, so what differs in one of them is not ours to take away.
 */
export const isPartOf = (owner: Mark | undefined, tags: readonly Tag[] | undefined, part: string): boolean =>
  isNearPartOf(owner, tags, part) && sameStore(owner, tags) && sameAddress(owner, tags);

/**
 * Like `isPartOf`, for what is seen inside that network: a rename or a takeover that stopped half way leaves another
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
  readMark(tags)?.address === owner?.address;

/** Whether the table sends what is for nobody else to this gateway; without an id, to any gateway. */
export const leadsTo = ({ Routes = [] }: RouteTable, gatewayId?: string): boolean =>
  Routes.some(
    ({ DestinationCidrBlock, GatewayId, State }) =>
      DestinationCidrBlock === everywhere &&
      State !== 'blackhole' &&
      (gatewayId === undefined ? GatewayId?.startsWith('igw-') === true : GatewayId === gatewayId),
  );
