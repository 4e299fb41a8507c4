import type { InternetGateway, RouteTable } from '@aws-sdk/client-ec2';
import type { Result } from '../../../src/core/failure.ts';
import type { Mark, Part } from '../../../src/core/observed.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';
import { gatewayPart, isAdoptedPart, isNearPartOf, isPartOf, tablePart } from './signs.ts';

export interface InternetRemoval {
  readonly vpcId: CloudId;
  /** The mark of the VPC: what bears another is not its part. */
  readonly owner: Mark | undefined;
  readonly parts: readonly Part[];
  /** True if the VPC is deleted too: then any foreign object in it prevents this. Otherwise only a foreign gateway does. */
  readonly whole: boolean;
}

/**
 * Takes away the route table and gateway that carry the VPC's own mark; the order is what EC2 demands. All is looked at
 * again before the first write: where something is in doubt, nothing is touched.
 */
export async function removeInternet(doomed: InternetRemoval, scope: Scope, call: Call): Promise<Result<void>> {
  if (doomed.parts.length === 0) return done;
  const tables = await ownTables(doomed, scope, call);
  if (!tables.ok) return tables;
  const gateways = await ownGateways(doomed, scope, call);
  if (!gateways.ok) return gateways;
  for (const table of tables.value) {
    const removed = await removeTable(table, scope, call);
    if (!removed.ok) return removed;
  }
  for (const gateway of gateways.value) {
    const removed = await removeGateway(gateway, scope, call);
    if (!removed.ok) return removed;
  }
  scope.known.tables.delete(doomed.vpcId);
  return done;
}

async function ownTables(
  { vpcId, owner, parts, whole }: InternetRemoval,
  { client }: Scope,
  call: Call,
): Promise<Result<readonly RouteTable[]>> {
  const Filters = [{ Name: 'vpc-id', Values: [vpcId] }];
  const seen = await client.send('DescribeRouteTables', new ec2.DescribeRouteTablesCommand({ Filters }), call);
  if (!seen.ok) return seen;
  const { RouteTables: tables = [] } = seen.value;
  const near = tables.filter(({ Tags }) => isNearPartOf(owner, Tags, tablePart) || isAdoptedPart(owner, Tags));
  const own = near.filter(({ Tags }) => isPartOf(owner, Tags, tablePart) || isAdoptedPart(owner, Tags));
  if (near.length > 1 || near.length > own.length)
    return failed(
      'terminal',
      'DoubtfulPart',
      `only one of ${idsOf(near)} can be part of ${vpcId}; delete the others by hand`,
    );
  const others = tables.filter((table) => !own.includes(table) && !isMain(table));
  if (whole && others.length > 0)
    return failed('conflict', 'DependencyViolation', `${vpcId} still holds ${idsOf(others)}`);
  return { ok: true, value: own.filter(({ RouteTableId }) => parts.some(({ id }) => id === RouteTableId)) };
}

const idsOf = (tables: readonly RouteTable[]): string => tables.map(({ RouteTableId }) => RouteTableId).join(', ');
const isMain = ({ Associations = [] }: RouteTable): boolean => Associations.some(({ Main }) => Main);

async function ownGateways(
  { vpcId, owner, parts, whole }: InternetRemoval,
  { client }: Scope,
  call: Call,
): Promise<Result<readonly InternetGateway[]>> {
  const Values = parts.filter(({ part }) => part === gatewayPart).map(({ id }) => id);
  if (Values.length === 0) return { ok: true, value: [] };
  const Filters = [{ Name: 'internet-gateway-id', Values }];
  const seen = await client.send(
    'DescribeInternetGateways',
    new ec2.DescribeInternetGatewaysCommand({ Filters }),
    call,
  );
  if (!seen.ok) return seen;
  const here = (seen.value.InternetGateways ?? []).filter(({ Attachments = [] }) =>
    Attachments.every(({ VpcId }) => VpcId === vpcId),
  );
  const foreign = here.find(({ Tags }) => !isPartOf(owner, Tags, gatewayPart) && !isAdoptedPart(owner, Tags));
  if (!foreign) return { ok: true, value: here };
  const about = `${foreign.InternetGatewayId} of ${vpcId} does not carry its mark; detach it by hand`;
  return whole
    ? failed('conflict', 'DependencyViolation', about)
    : failed('terminal', 'ForeignGateway', `${about}, or state internet: true`);
}

async function removeTable(
  { RouteTableId, Associations = [] }: RouteTable,
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  for (const { Main, RouteTableAssociationId: AssociationId } of Associations) {
    if (Main || AssociationId === undefined) continue;
    const freed = await client.send(
      'DisassociateRouteTable',
      new ec2.DisassociateRouteTableCommand({ AssociationId }),
      call,
    );
    if (!freed.ok && freed.failure.kind !== 'not-found') return freed;
  }
  return gone(await client.send('DeleteRouteTable', new ec2.DeleteRouteTableCommand({ RouteTableId }), call));
}

async function removeGateway(
  { InternetGatewayId, Attachments = [] }: InternetGateway,
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  for (const { VpcId } of Attachments) {
    const detached = await client.send(
      'DetachInternetGateway',
      new ec2.DetachInternetGatewayCommand({ InternetGatewayId, VpcId }),
      call,
    );
    if (!detached.ok && detached.failure.code !== 'Gateway.NotAttached') return detached;
  }
  return gone(
    await client.send('DeleteInternetGateway', new ec2.DeleteInternetGatewayCommand({ InternetGatewayId }), call),
  );
}

const gone = (answer: Result<unknown>): Result<void> =>
  answer.ok || answer.failure.kind === 'not-found' ? done : answer;
