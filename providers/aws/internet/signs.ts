import type { RouteTable } from '@aws-sdk/client-ec2';
import { readExtra, readMark } from '../marks.ts';
import type { Tag } from '../tags.ts';

export const everywhere = '0.0.0.0/0';
export const gatewayPart = 'internet-gateway';
export const tablePart = 'route-table';

/** Whether this carries our mark as such a part. */
export const isPart = (tags: readonly Tag[] | undefined, part: string): boolean =>
  readMark(tags) !== undefined && readExtra(tags, 'part') === part;

/** Whether the table sends what is for nobody else to this gateway; without an id, to any gateway. */
export const leadsTo = ({ Routes = [] }: RouteTable, gatewayId?: string): boolean =>
  Routes.some(
    ({ DestinationCidrBlock, GatewayId, State }) =>
      DestinationCidrBlock === everywhere &&
      State !== 'blackhole' &&
      (gatewayId === undefined ? GatewayId?.startsWith('igw-') === true : GatewayId === gatewayId),
  );
