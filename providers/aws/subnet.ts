import type { RouteTable, Subnet } from '@aws-sdk/client-ec2';
import type { Result } from '../../src/core/failure.ts';
import type { Mark, Observed } from '../../src/core/observed.ts';
import type { CloudId, Route } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { afterCreation } from '../shared/after-creation.ts';
import { done, failed } from '../shared/answer.ts';
import { awaitAll } from '../shared/await-all.ts';
import { each } from '../shared/each.ts';
import { mapInTurns } from '../shared/turns.ts';
import { canonicalCidr } from './cidr-text.ts';
import { inexpressibleOf } from './inexpressible.ts';
import { interfacesIn } from './interfaces-in.ts';
import { partsOfVpcs } from './internet/around.ts';
import { hasDefaultRouteTo, internetRouteOf, tablePart } from './internet/signs.ts';
import { lookup } from './lookup.ts';
import { isSameTry, markTags, readExtra, readMark } from './marks.ts';
import { routesOf, subnetSettingsOf, withFurtherBlocks } from './network-settings.ts';
import { originOf } from './origin.ts';
import { signsOf } from './owner.ts';
import { retag, unsupported } from './retag.ts';
import type { Scope } from './scope.ts';
import { ec2 } from './sdk.ts';
import { nameIn, readLabels, tagList } from './tags.ts';

/** Subnets. One that reaches the internet is associated with its network's route table. */
export function subnetActuator(scope: Scope): Actuator<'subnet'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) => each(batch, (item) => create(item, scope, call)),
    update: (batch, call) => update(batch, scope, call),
    delete: (batch, call) => each(batch, (item) => remove(item, scope, call)),
    usersOf: (id, call) => interfacesIn('subnet-id', id, scope, call),
  };
}

async function* list({ listings, account }: Scope, call: Call): AsyncGenerator<readonly Observed<'subnet'>[]> {
  const [subnets, tables] = await awaitAll([listings.subnets('subnet', call), listings.tables('subnet', call)]);
  const index = indexTables(tables);
  yield await mapInTurns(subnets, (subnet) => observeSubnet(subnet, index, account));
}

export interface TableIndex {
  readonly bySubnet: ReadonlyMap<string, RouteTable>;
  readonly mainOf: ReadonlyMap<string, RouteTable>;
  /** By the table's id: many subnets share one. */
  readonly routes: ReadonlyMap<string, readonly Route[]>;
}

export function indexTables(tables: readonly RouteTable[]): TableIndex {
  const bySubnet = new Map<string, RouteTable>();
  const mainOf = new Map<string, RouteTable>();
  for (const table of tables) {
    for (const { SubnetId, Main } of table.Associations ?? []) {
      if (SubnetId) bySubnet.set(SubnetId, table);
      else if (Main) mainOf.set(table.VpcId ?? '', table);
    }
  }
  const routes = new Map(tables.map((table) => [table.RouteTableId ?? '', routesOf(table)]));
  return { bySubnet, mainOf, routes };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Subnet.html; machines of ours state their own. */
const publicOnLaunch = {
  field: 'mapPublicIpOnLaunch',
  detail: 'gives each machine that is launched in it a public address',
  statedBy: 'publicIpOnLaunch',
} as const;

/** Every subnet has a table, so one without is an answer that is short. */
const noTable = (id: string) => ({
  setting: 'routes' as const,
  code: 'NoRouteTable',
  reason: `EC2 listed no route table of ${id}`,
});

/** `tables`: undefined where nobody asked for them. */
export function observeSubnet(subnet: Subnet, tables: TableIndex | undefined, account: string): Observed<'subnet'> {
  const origin = subnet.DefaultForAz
    ? { why: 'provider-default' as const, detail: `default subnet of ${subnet.AvailabilityZone}` }
    : originOf(subnet.Tags);
  const table = tables?.bySubnet.get(subnet.SubnetId ?? '') ?? tables?.mainOf.get(subnet.VpcId ?? '');
  return {
    kind: 'subnet',
    id: subnet.SubnetId ?? '',
    name: nameIn(subnet.Tags),
    attributes: {
      network: subnet.VpcId ?? '',
      cidr: canonicalCidr(subnet.CidrBlock ?? ''),
      ...(subnet.AvailabilityZone === undefined ? {} : { zone: subnet.AvailabilityZone }),
      internet: table === undefined ? false : internetRouteOf(table),
      settings: subnetSettingsOf(subnet, tables?.routes.get(table?.RouteTableId ?? '')),
      labels: readLabels(subnet.Tags),
    },
    signs: signsOf(subnet, account, origin),
    condition: {
      state: subnet.State === 'pending' ? 'pending' : 'ready',
      ...withFurtherBlocks(subnet),
      ...inexpressibleOf.subnet(subnet),
      ...(subnet.MapPublicIpOnLaunch ? { unstated: [publicOnLaunch] } : {}),
      ...(tables !== undefined && table === undefined ? { unlisted: [noTable(subnet.SubnetId ?? '')] } : {}),
    },
  };
}

async function read(
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'subnet'> | undefined>[]> {
  const describe = async (SubnetIds: readonly CloudId[]): Promise<Result<readonly Subnet[]>> => {
    const answer = await scope.client.send(
      'DescribeSubnets',
      new ec2.DescribeSubnetsCommand({ SubnetIds: [...SubnetIds] }),
      call,
    );
    return answer.ok ? { ok: true, value: answer.value.Subnets ?? [] } : answer;
  };
  const found = await lookup(ids, describe, ({ SubnetId }) => SubnetId);
  const vpcs = new Set(found.flatMap((result) => (result.ok && result.value ? [result.value.VpcId ?? ''] : [])));
  const around = await partsOfVpcs([...vpcs], scope, call);
  return found.map((result) => {
    if (!result.ok || !result.value) return result.ok ? { ok: true, value: undefined } : result;
    if (!around.ok) return around;
    return { ok: true, value: observeSubnet(result.value, indexTables(around.value.tables), scope.account) };
  });
}

/** A VPC's blocks do not overlap, so sending this twice finds the first: no ClientToken is needed. */
async function create(
  { mark, desired }: Creation<'subnet'>,
  scope: Scope,
  call: Call,
): Promise<Result<Observed<'subnet'>>> {
  const { network: VpcId, cidr: CidrBlock, zone: AvailabilityZone, internet, labels } = desired.attributes;
  const TagSpecifications = [
    { ResourceType: 'subnet' as const, Tags: tagList({ Name: desired.name, ...labels, ...markTags(mark) }) },
  ];
  const command = new ec2.CreateSubnetCommand({ VpcId, CidrBlock, AvailabilityZone, TagSpecifications });
  const answer = await scope.client.send('CreateSubnet', command, call);
  const made = answer.ok
    ? { ok: true as const, value: answer.value.Subnet }
    : await existingOne(answer, { VpcId, CidrBlock, mark }, scope, call);
  if (!made.ok) return made;
  const subnet = observeSubnet(made.value ?? {}, undefined, scope.account);
  if (internet !== true) return { ok: true, value: subnet };
  const joined = await afterCreation(associateNew(subnet, scope, call), failed('conflict', 'NotSent', 'stopped'));
  return { ok: true, value: { ...subnet, attributes: { ...subnet.attributes, internet: joined.ok } } };
}

interface Same {
  readonly VpcId: CloudId;
  readonly CidrBlock: string;
  readonly mark: Mark;
}

/** The block is taken: by an earlier try of ours, which then is the answer, or by somebody else. */
async function existingOne<R extends Result<unknown> & { readonly ok: false }>(
  refusal: R,
  { VpcId, CidrBlock, mark }: Same,
  { client }: Scope,
  call: Call,
): Promise<Result<Subnet>> {
  if (refusal.failure.code !== 'InvalidSubnet.Conflict') return refusal;
  const Filters = [
    { Name: 'vpc-id', Values: [VpcId] },
    { Name: 'cidr-block', Values: [CidrBlock] },
  ];
  const answer = await client.send('DescribeSubnets', new ec2.DescribeSubnetsCommand({ Filters }), call);
  if (!answer.ok) return answer;
  const ours = answer.value.Subnets?.find(({ Tags }) => isSameTry(mark, Tags));
  return ours ? { ok: true, value: ours } : refusal;
}

async function update(
  batch: readonly Revision<'subnet'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const tagged = await retag(batch, scope, call);
  return each([...batch.entries()], async ([index, { desired, observed, changes }]) => {
    const before = tagged[index] ?? done;
    if (!before.ok) return before;
    const failure = unsupported(changes, ['internet', 'labels']);
    if (failure) return { ok: false, failure };
    if (!changes.some(({ field }) => field === 'internet')) return done;
    return desired.attributes.internet === true
      ? associate(observed, scope, call)
      : disassociate(observed, scope, call);
  });
}

/** A new subnet has no association yet, so one call does where the table is known. */
async function associateNew(subnet: Observed<'subnet'>, scope: Scope, call: Call): Promise<Result<void>> {
  const RouteTableId = scope.known.tables.get(subnet.attributes.network);
  if (RouteTableId === undefined) return associate(subnet, scope, call);
  const command = new ec2.AssociateRouteTableCommand({ SubnetId: subnet.id, RouteTableId });
  const answer = await scope.client.send('AssociateRouteTable', command, call);
  if (answer.ok) return done;
  return answer.failure.kind === 'conflict' ? associate(subnet, scope, call) : answer;
}

async function associate(
  { id: SubnetId, attributes, signs }: Observed<'subnet'>,
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  const { client, known } = scope;
  const tables = await tablesOf(attributes.network, scope, call);
  if (!tables.ok) return tables;
  const target = known.tables.get(attributes.network) ?? internetTableOf(tables.value, signs.mark)?.RouteTableId;
  if (target === undefined)
    return failed('conflict', 'NoRouteTable', `${attributes.network} has no route table to the internet yet`);
  const now = associationOf(SubnetId, tables.value);
  if (now?.RouteTableId === target) return done;
  const answer = now
    ? await client.send(
        'ReplaceRouteTableAssociation',
        new ec2.ReplaceRouteTableAssociationCommand({
          AssociationId: now.RouteTableAssociationId,
          RouteTableId: target,
        }),
        call,
      )
    : await client.send(
        'AssociateRouteTable',
        new ec2.AssociateRouteTableCommand({ SubnetId, RouteTableId: target }),
        call,
      );
  return answer.ok ? done : answer;
}

/** Back to the VPC's main table, which leads nowhere in a network of ours. */
async function disassociate({ id, attributes }: Observed<'subnet'>, scope: Scope, call: Call): Promise<Result<void>> {
  const tables = await tablesOf(attributes.network, scope, call);
  if (!tables.ok) return tables;
  const now = associationOf(id, tables.value);
  if (!now) return done;
  const command = new ec2.DisassociateRouteTableCommand({ AssociationId: now.RouteTableAssociationId });
  const answer = await scope.client.send('DisassociateRouteTable', command, call);
  return answer.ok || answer.failure.kind === 'not-found' ? done : answer;
}

/** The table that our estate made as its way out, else any that leads there. */
function internetTableOf(tables: readonly RouteTable[], mark: Mark | undefined): RouteTable | undefined {
  const ours = tables.filter(
    ({ Tags }) => readExtra(Tags, 'part') === tablePart && mark && readMark(Tags)?.estate === mark.estate,
  );
  return ours.find((table) => hasDefaultRouteTo(table)) ?? ours[0] ?? tables.find((table) => hasDefaultRouteTo(table));
}

const associationOf = (subnetId: CloudId, tables: readonly RouteTable[]) =>
  tables.flatMap(({ Associations = [] }) => Associations).find(({ SubnetId }) => SubnetId === subnetId);

async function tablesOf(vpcId: CloudId, { client }: Scope, call: Call): Promise<Result<readonly RouteTable[]>> {
  const Filters = [{ Name: 'vpc-id', Values: [vpcId] }];
  const answer = await client.send('DescribeRouteTables', new ec2.DescribeRouteTablesCommand({ Filters }), call);
  return answer.ok ? { ok: true, value: answer.value.RouteTables ?? [] } : answer;
}

async function remove({ id }: Removal<'subnet'>, { client }: Scope, call: Call): Promise<Result<void>> {
  const answer = await client.send('DeleteSubnet', new ec2.DeleteSubnetCommand({ SubnetId: id }), call);
  return answer.ok || answer.failure.kind === 'not-found' ? done : answer;
}
