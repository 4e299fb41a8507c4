import {
  DescribeInternetGatewaysCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DescribeVpcsCommand,
  type InternetGateway,
  type RouteTable,
  type SecurityGroup,
  type Subnet,
  type Volume,
  type Vpc,
} from '@aws-sdk/client-ec2';
import type { Kind } from '../../src/core/resource.ts';
import type { Call } from '../../src/ports/actuator.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Client } from './client.ts';
import { most } from './limits.ts';
import { type Ask, pages } from './pages.ts';

/**
 * What several kinds need from one listing: security groups carry their rules, a network is judged by its gateways,
 * tables and subnets. Each listing is made once and serves every kind once; a kind that asks again, asks after a write
 * was sent, or asks `freshMs` after the listing began, gets a new one.
 */
export interface Listings {
  readonly vpcs: Listing<Vpc>;
  readonly gateways: Listing<InternetGateway>;
  readonly tables: Listing<RouteTable>;
  readonly subnets: Listing<Subnet>;
  readonly groups: Listing<SecurityGroup>;
  readonly volumes: Listing<Volume>;
}

/** Rejects with `ListingFailed`. */
export type Listing<T> = (reader: Kind, call: Call) => Promise<readonly T[]>;

/** How long a listing may serve: a pass that waits must not judge by what was so before. */
const freshMs = 60_000;

export function makeListings(client: Client, account: string, clock: Clock): Listings {
  const share = <T>(ask: (client: Client) => Ask<T>): Listing<T> =>
    shared(client, clock, (call) => whole(ask(client), account, call));
  return {
    vpcs: share(vpcPages),
    gateways: share(gatewayPages),
    tables: share(tablePages),
    subnets: share(subnetPages),
    groups: share(groupPages),
    volumes: share(volumePages),
  };
}

interface Latest<T> {
  readonly readers: Set<Kind>;
  readonly items: Promise<readonly T[]>;
  /** Milliseconds since the epoch when it began. */
  readonly at: number;
}

function shared<T>(client: Client, clock: Clock, list: (call: Call) => Promise<readonly T[]>): Listing<T> {
  let latest: Latest<T> | undefined;
  client.onWrite(() => {
    latest = undefined;
  });
  return (reader, call) => {
    const now = clock.now();
    if (!latest || latest.readers.has(reader) || now - latest.at >= freshMs)
      latest = { readers: new Set(), items: list(call), at: now };
    latest.readers.add(reader);
    return latest.items;
  };
}

async function whole<T>(ask: Ask<T>, account: string, call: Call): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const page of pages(ask, account, call)) items.push(...page);
  return items;
}

const vpcPages =
  (client: Client): Ask<Vpc> =>
  async (NextToken, call) => {
    const answer = await client.send(
      'DescribeVpcs',
      new DescribeVpcsCommand({ MaxResults: most.page, NextToken }),
      call,
    );
    return answer.ok ? { ok: true, value: owned(answer.value.Vpcs, answer.value.NextToken) } : answer;
  };

const gatewayPages =
  (client: Client): Ask<InternetGateway> =>
  async (NextToken, call) => {
    const command = new DescribeInternetGatewaysCommand({ MaxResults: most.page, NextToken });
    const answer = await client.send('DescribeInternetGateways', command, call);
    return answer.ok ? { ok: true, value: owned(answer.value.InternetGateways, answer.value.NextToken) } : answer;
  };

const tablePages =
  (client: Client): Ask<RouteTable> =>
  async (NextToken, call) => {
    const command = new DescribeRouteTablesCommand({ MaxResults: most.routeTablePage, NextToken });
    const answer = await client.send('DescribeRouteTables', command, call);
    return answer.ok ? { ok: true, value: owned(answer.value.RouteTables, answer.value.NextToken) } : answer;
  };

const subnetPages =
  (client: Client): Ask<Subnet> =>
  async (NextToken, call) => {
    const answer = await client.send(
      'DescribeSubnets',
      new DescribeSubnetsCommand({ MaxResults: most.page, NextToken }),
      call,
    );
    return answer.ok ? { ok: true, value: owned(answer.value.Subnets, answer.value.NextToken) } : answer;
  };

const groupPages =
  (client: Client): Ask<SecurityGroup> =>
  async (NextToken, call) => {
    const command = new DescribeSecurityGroupsCommand({ MaxResults: most.page, NextToken });
    const answer = await client.send('DescribeSecurityGroups', command, call);
    return answer.ok ? { ok: true, value: owned(answer.value.SecurityGroups, answer.value.NextToken) } : answer;
  };

const volumePages =
  (client: Client): Ask<Volume> =>
  async (NextToken, call) => {
    const answer = await client.send(
      'DescribeVolumes',
      new DescribeVolumesCommand({ MaxResults: most.page, NextToken }),
      call,
    );
    return answer.ok
      ? { ok: true, value: { items: answer.value.Volumes ?? [], next: answer.value.NextToken, owners: [] } }
      : answer;
  };

function owned<T extends { readonly OwnerId?: string | undefined }>(found: readonly T[] = [], next?: string) {
  return { items: found, next, owners: found.map((item) => item.OwnerId) };
}
