import {
  DeleteInternetGatewayCommand,
  DeleteRouteTableCommand,
  DescribeInternetGatewaysCommand,
  DescribeRouteTablesCommand,
  DetachInternetGatewayCommand,
  DisassociateRouteTableCommand,
  type InternetGateway,
  type RouteTable,
} from '@aws-sdk/client-ec2';
import type { Result } from '../../../src/core/failure.ts';
import type { Part } from '../../../src/core/observed.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/actuator.ts';
import { done, failed } from '../answer.ts';
import type { Scope } from '../scope.ts';
import { gatewayPart, isPart, tablePart } from './signs.ts';

export interface Doomed {
  readonly vpcId: CloudId;
  readonly parts: readonly Part[];
  /** A gateway of somebody else, still in the way, is a failure. */
  readonly strict?: boolean;
}

/** Takes away the route table and gateway that carry our mark, looked at again first; the order is what EC2 demands. */
export async function removeInternet(
  { vpcId, parts, strict = false }: Doomed,
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  if (parts.length === 0) return done;
  const idsOf = (part: string): CloudId[] => parts.filter((each) => each.part === part).map(({ id }) => id);
  for (const table of idsOf(tablePart)) {
    const removed = await removeTable(table, scope, call);
    if (!removed.ok) return removed;
  }
  for (const gateway of idsOf(gatewayPart)) {
    const removed = await removeGateway(gateway, { vpcId, strict }, scope, call);
    if (!removed.ok) return removed;
  }
  scope.known.tables.delete(vpcId);
  return done;
}

async function removeTable(id: CloudId, { client }: Scope, call: Call): Promise<Result<void>> {
  const Filters = [{ Name: 'route-table-id', Values: [id] }];
  const seen = await client.send('DescribeRouteTables', new DescribeRouteTablesCommand({ Filters }), call);
  if (!seen.ok) return seen;
  const table: RouteTable | undefined = seen.value.RouteTables?.[0];
  if (!table || !isPart(table.Tags, tablePart)) return done;
  for (const { Main, RouteTableAssociationId: AssociationId } of table.Associations ?? []) {
    if (Main || AssociationId === undefined) continue;
    const freed = await client.send(
      'DisassociateRouteTable',
      new DisassociateRouteTableCommand({ AssociationId }),
      call,
    );
    if (!freed.ok && freed.failure.kind !== 'not-found') return freed;
  }
  return gone(await client.send('DeleteRouteTable', new DeleteRouteTableCommand({ RouteTableId: id }), call));
}

async function removeGateway(
  InternetGatewayId: CloudId,
  { vpcId, strict }: { readonly vpcId: CloudId; readonly strict: boolean },
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  const Filters = [{ Name: 'internet-gateway-id', Values: [InternetGatewayId] }];
  const seen = await client.send('DescribeInternetGateways', new DescribeInternetGatewaysCommand({ Filters }), call);
  if (!seen.ok) return seen;
  const gateway: InternetGateway | undefined = seen.value.InternetGateways?.[0];
  if (!gateway) return done;
  if (!isPart(gateway.Tags, gatewayPart)) return strict ? foreign(InternetGatewayId, vpcId) : done;
  for (const { VpcId } of gateway.Attachments ?? []) {
    if (VpcId !== vpcId) return done;
    const detached = await client.send(
      'DetachInternetGateway',
      new DetachInternetGatewayCommand({ InternetGatewayId, VpcId }),
      call,
    );
    if (!detached.ok && detached.failure.code !== 'Gateway.NotAttached') return detached;
  }
  return gone(
    await client.send('DeleteInternetGateway', new DeleteInternetGatewayCommand({ InternetGatewayId }), call),
  );
}

const foreign = (gateway: CloudId, vpcId: CloudId): Result<never> =>
  failed(
    'terminal',
    'ForeignGateway',
    `${gateway} of ${vpcId} does not carry our mark; detach it by hand, or state internet: true`,
  );

const gone = (answer: Result<unknown>): Result<void> =>
  answer.ok || answer.failure.kind === 'not-found' ? done : answer;
