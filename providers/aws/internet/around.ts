import type { InternetGateway, RouteTable } from '@aws-sdk/client-ec2';
import type { Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { chunks } from '../../shared/chunks.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';

/** "up to 200 values in a single request": https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Filter.html */
export const mostFilterValues = 200;

export interface Around {
  readonly gateways: readonly InternetGateway[];
  readonly tables: readonly RouteTable[];
}

/** The attached gateways and the tables of these VPCs. */
export async function partsOfVpcs(vpcIds: readonly CloudId[], { client }: Scope, call: Call): Promise<Result<Around>> {
  const gateways: InternetGateway[] = [];
  const tables: RouteTable[] = [];
  for (const some of chunks(vpcIds, mostFilterValues)) {
    const Values = [...some];
    const attached = new ec2.DescribeInternetGatewaysCommand({ Filters: [{ Name: 'attachment.vpc-id', Values }] });
    const inside = new ec2.DescribeRouteTablesCommand({ Filters: [{ Name: 'vpc-id', Values }] });
    const [a, b] = [
      await client.send('DescribeInternetGateways', attached, call),
      await client.send('DescribeRouteTables', inside, call),
    ];
    if (!a.ok) return a;
    if (!b.ok) return b;
    gateways.push(...(a.value.InternetGateways ?? []));
    tables.push(...(b.value.RouteTables ?? []));
  }
  return { ok: true, value: { gateways, tables } };
}
