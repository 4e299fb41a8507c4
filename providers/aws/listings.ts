import type {
  InternetGateway,
  NatGateway,
  NetworkAcl,
  RouteTable,
  SecurityGroup,
  Subnet,
  Volume,
  Vpc,
  VpcPeeringConnection,
} from '@aws-sdk/client-ec2';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Call } from '../../src/ports/provider.ts';
import { type Listing, sharedListing } from '../shared/shared-listing.ts';
import type { Client } from './client.ts';
import { type Ask, pages } from './pages.ts';
import { most } from './rate-limits.ts';
import { ec2 } from './sdk.ts';

/**
 * Listings that several kinds share: security groups carry their rules; a network is judged by its gateways, tables and
 * subnets. The rules of sharing are in shared/shared-listing.ts.
 */
export interface Listings {
  readonly vpcs: Listing<Vpc>;
  readonly gateways: Listing<InternetGateway>;
  readonly tables: Listing<RouteTable>;
  readonly subnets: Listing<Subnet>;
  readonly groups: Listing<SecurityGroup>;
  readonly volumes: Listing<Volume>;
  readonly natGateways: Listing<NatGateway>;
  readonly peerings: Listing<VpcPeeringConnection>;
  readonly acls: Listing<NetworkAcl>;
}

export function makeListings(client: Client, clock: Clock): Listings {
  const share = <T>(ask: (client: Client) => Ask<T>): Listing<T> =>
    sharedListing(client, clock, (call) => whole(ask(client), call));
  return {
    vpcs: share(vpcPages),
    gateways: share(gatewayPages),
    tables: share(tablePages),
    subnets: share(subnetPages),
    groups: share(groupPages),
    volumes: share(volumePages),
    natGateways: share(natGatewayPages),
    peerings: share(peeringPages),
    acls: share(aclPages),
  };
}

async function whole<T>(ask: Ask<T>, call: Call): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const page of pages(ask, call)) for (const item of page) items.push(item);
  return items;
}

const vpcPages =
  (client: Client): Ask<Vpc> =>
  async (NextToken, call) => {
    const answer = await client.send(
      'DescribeVpcs',
      new ec2.DescribeVpcsCommand({ MaxResults: most.page, NextToken }),
      call,
    );
    return answer.ok ? { ok: true, value: page(answer.value.Vpcs, answer.value.NextToken) } : answer;
  };

const gatewayPages =
  (client: Client): Ask<InternetGateway> =>
  async (NextToken, call) => {
    const command = new ec2.DescribeInternetGatewaysCommand({ MaxResults: most.page, NextToken });
    const answer = await client.send('DescribeInternetGateways', command, call);
    return answer.ok ? { ok: true, value: page(answer.value.InternetGateways, answer.value.NextToken) } : answer;
  };

const tablePages =
  (client: Client): Ask<RouteTable> =>
  async (NextToken, call) => {
    const command = new ec2.DescribeRouteTablesCommand({ MaxResults: most.routeTablePage, NextToken });
    const answer = await client.send('DescribeRouteTables', command, call);
    return answer.ok ? { ok: true, value: page(answer.value.RouteTables, answer.value.NextToken) } : answer;
  };

const subnetPages =
  (client: Client): Ask<Subnet> =>
  async (NextToken, call) => {
    const answer = await client.send(
      'DescribeSubnets',
      new ec2.DescribeSubnetsCommand({ MaxResults: most.page, NextToken }),
      call,
    );
    return answer.ok ? { ok: true, value: page(answer.value.Subnets, answer.value.NextToken) } : answer;
  };

const groupPages =
  (client: Client): Ask<SecurityGroup> =>
  async (NextToken, call) => {
    const command = new ec2.DescribeSecurityGroupsCommand({ MaxResults: most.page, NextToken });
    const answer = await client.send('DescribeSecurityGroups', command, call);
    return answer.ok ? { ok: true, value: page(answer.value.SecurityGroups, answer.value.NextToken) } : answer;
  };

const volumePages =
  (client: Client): Ask<Volume> =>
  async (NextToken, call) => {
    const answer = await client.send(
      'DescribeVolumes',
      new ec2.DescribeVolumesCommand({ MaxResults: most.page, NextToken }),
      call,
    );
    return answer.ok ? { ok: true, value: page(answer.value.Volumes, answer.value.NextToken) } : answer;
  };

const natGatewayPages =
  (client: Client): Ask<NatGateway> =>
  async (NextToken, call) => {
    const command = new ec2.DescribeNatGatewaysCommand({ MaxResults: most.page, NextToken });
    const answer = await client.send('DescribeNatGateways', command, call);
    return answer.ok ? { ok: true, value: page(answer.value.NatGateways, answer.value.NextToken) } : answer;
  };

const peeringPages =
  (client: Client): Ask<VpcPeeringConnection> =>
  async (NextToken, call) => {
    const command = new ec2.DescribeVpcPeeringConnectionsCommand({ MaxResults: most.page, NextToken });
    const answer = await client.send('DescribeVpcPeeringConnections', command, call);
    return answer.ok ? { ok: true, value: page(answer.value.VpcPeeringConnections, answer.value.NextToken) } : answer;
  };

const aclPages =
  (client: Client): Ask<NetworkAcl> =>
  async (NextToken, call) => {
    const command = new ec2.DescribeNetworkAclsCommand({ MaxResults: most.page, NextToken });
    const answer = await client.send('DescribeNetworkAcls', command, call);
    return answer.ok ? { ok: true, value: page(answer.value.NetworkAcls, answer.value.NextToken) } : answer;
  };

const page = <T>(items: readonly T[] = [], next?: string) => ({ items, next });
