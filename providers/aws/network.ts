import type { SecurityGroup, Vpc } from '@aws-sdk/client-ec2';
import type { Result } from '../../src/core/failure.ts';
import type { Mark, Observed, Part } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { afterCreation } from '../shared/after-creation.ts';
import { done, failed } from '../shared/answer.ts';
import { awaitAll } from '../shared/await-all.ts';
import { each } from '../shared/each.ts';
import { storeTime } from '../shared/store-time.ts';
import { mapInTurns } from '../shared/turns.ts';
import { canonicalCidr } from './cidr-text.ts';
import { inexpressibleOf } from './inexpressible.ts';
import { partsOfVpcs } from './internet/around.ts';
import { completeInternet } from './internet/complete.ts';
import { withPartsToMark } from './internet/mark-parts.ts';
import { type InternetParts, internetPartsOf, isUnattachedGateway } from './internet/parts.ts';
import { removeInternet } from './internet/remove.ts';
import { gatewayPart } from './internet/signs.ts';
import { lookup } from './lookup.ts';
import { markTags, readExtra } from './marks.ts';
import { type ListedSettings, listSettings, networkSettingsOf, withFurtherBlocks } from './network-settings.ts';
import { originOf } from './origin.ts';
import { sharedBy, signsOf } from './owner.ts';
import { retag, unsupported } from './retag.ts';
import type { Scope } from './scope.ts';
import { ec2 } from './sdk.ts';
import { nameIn, readLabels, tagList } from './tags.ts';

/** Networks are VPCs; their parts (gateway, route table, default route) are in internet/. */
export function networkActuator(scope: Scope): Actuator<'network'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) => each(batch, (item) => create(item, scope, call)),
    update: (batch, call) => update(batch, scope, call),
    delete: (batch, call) => each(batch, (item) => remove(item, scope, call)),
  };
}

async function* list(scope: Scope, call: Call): AsyncGenerator<readonly Observed<'network'>[]> {
  const { listings, known, key, account } = scope;
  const [inUse, vpcs, gateways, tables, settings] = await awaitAll([
    occupiedVpcs(listings, call),
    listings.vpcs('network', call),
    listings.gateways('network', call),
    listings.tables('network', call),
    listSettings(scope, call),
  ]);
  yield await mapInTurns(vpcs, (vpc) => {
    const parts = internetPartsOf(vpc, gateways, tables);
    if (parts.table !== undefined) known.tables.set(vpc.VpcId ?? '', parts.table);
    return observeVpc(vpc, { parts, region: key, account, settings, empty: inUse && !inUse.has(vpc.VpcId ?? '') });
  });
}

/** VPCs that hold a subnet or a group besides the one they are born with; undefined if that could not be listed. */
async function occupiedVpcs(listings: Scope['listings'], call: Call): Promise<ReadonlySet<string> | undefined> {
  const [subnets, groups] = await Promise.allSettled([
    listings.subnets('network', call),
    listings.groups('network', call),
  ]);
  if (subnets.status === 'rejected' || groups.status === 'rejected') return undefined;
  const customGroups = groups.value.filter(isCustomGroup);
  return new Set([...subnets.value, ...customGroups].map(({ VpcId = '' }) => VpcId));
}

/** Every VPC is born with a group called `default`, which goes with it. */
const isCustomGroup = ({ GroupName }: SecurityGroup): boolean => GroupName !== 'default';

interface VpcContext {
  readonly parts: InternetParts;
  readonly region: string;
  readonly account: string;
  readonly empty?: boolean;
  readonly settings?: ListedSettings;
}

const notListed: ListedSettings = { unlisted: [] };

/** The NAT gateways and peerings of a VPC that another account shares are listed to that account only. */
const settingsIn = (vpc: Vpc, { account, settings }: VpcContext): ListedSettings =>
  settings === undefined || sharedBy(vpc, account) !== undefined ? notListed : settings;

export function observeVpc(vpc: Vpc, context: VpcContext): Observed<'network'> {
  const { parts, region, account, empty } = context;
  const settings = settingsIn(vpc, context);
  const origin = vpc.IsDefault
    ? { why: 'provider-default' as const, detail: `default VPC of ${region}` }
    : originOf(vpc.Tags);
  const asked = readExtra(vpc.Tags, 'gateway');
  return {
    kind: 'network',
    id: vpc.VpcId ?? '',
    name: nameIn(vpc.Tags),
    attributes: {
      cidr: canonicalCidr(vpc.CidrBlock ?? ''),
      internet: parts.internet,
      settings: networkSettingsOf(vpc, settings),
      labels: readLabels(vpc.Tags),
    },
    signs: signsOf(vpc, account, origin),
    condition: {
      state: vpc.State === 'pending' ? 'pending' : 'ready',
      ...(asked === undefined ? {} : { version: asked }),
      ...(parts.parts.length === 0 ? {} : { parts: parts.parts }),
      ...(parts.missing.length === 0 ? {} : { missing: parts.missing }),
      ...(empty === undefined ? {} : { empty }),
      ...withFurtherBlocks(vpc),
      ...inexpressibleOf.network(vpc),
      ...(settings.unlisted.length === 0 ? {} : { unlisted: settings.unlisted }),
    },
  };
}

async function read(
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'network'> | undefined>[]> {
  const describe = async (VpcIds: readonly CloudId[]): Promise<Result<readonly Vpc[]>> => {
    const answer = await scope.client.send('DescribeVpcs', new ec2.DescribeVpcsCommand({ VpcIds: [...VpcIds] }), call);
    return answer.ok ? { ok: true, value: answer.value.Vpcs ?? [] } : answer;
  };
  const found = await lookup(ids, describe, ({ VpcId }) => VpcId);
  const present = found.flatMap((result) => (result.ok && result.value ? [result.value.VpcId ?? ''] : []));
  const around = await partsOfVpcs(present, scope, call);
  const settings = present.length === 0 ? notListed : await listSettings(scope, call);
  return found.map((result) => {
    if (!result.ok || !result.value) return result.ok ? { ok: true, value: undefined } : result;
    if (!around.ok) return around;
    const { gateways, tables } = around.value;
    return {
      ok: true,
      value: observeVpc(result.value, {
        parts: internetPartsOf(result.value, gateways, tables),
        region: scope.key,
        account: scope.account,
        settings,
      }),
    };
  });
}

/**
 * CreateVpc has no ClientToken: an earlier try with this mark is looked for first, if there can have been one. Once the
 * VPC stands the answer is the VPC, with its missing parts; the next reconcile finishes it.
 */
async function create(item: Creation<'network'>, scope: Scope, call: Call): Promise<Result<Observed<'network'>>> {
  const { mark, desired } = item;
  const { cidr, internet, labels } = desired.attributes;
  const earlier = isFirst(item, scope) ? unsent : await findByMark(mark, scope, call);
  if (!earlier.ok) return earlier;
  const asked = internet === true ? { gateway: `${storeTime(call, scope.clock).latest}` } : {};
  const tags = { Name: desired.name, ...labels, ...markTags(mark, asked) };
  scope.known.networks.add(item.token);
  const made = earlier.value ? { ok: true as const, value: earlier.value } : await createVpc(cidr, tags, scope, call);
  if (!made.ok) return made;
  const vpc = made.value;
  const around = { region: scope.key, account: scope.account, empty: true };
  if (internet !== true) return { ok: true, value: observeVpc(vpc, { ...around, parts: none }) };
  const wanted = {
    vpcId: vpc.VpcId ?? '',
    mark,
    parts: [],
    askedAt: Number(readExtra(vpc.Tags, 'gateway') ?? 0),
    fresh: !earlier.value,
  };
  const parts = await afterCreation(completeInternet(wanted, scope, call), begun);
  return { ok: true, value: observeVpc(vpc, { ...around, parts }) };
}

/** The intent is written before anything is sent, so another process would have made this a later attempt. */
const isFirst = ({ token, mark }: Creation<'network'>, { known }: Scope): boolean =>
  mark.attempt === 1 && !known.networks.has(token);
const unsent: Result<undefined> = { ok: true, value: undefined };

const none: InternetParts = { internet: false, parts: [], missing: [] };
const begun: InternetParts = { internet: 'partial', parts: [], missing: ['internet-gateway'] };

async function createVpc(
  CidrBlock: string | undefined,
  tags: Readonly<Record<string, string>>,
  { client }: Scope,
  call: Call,
): Promise<Result<Vpc>> {
  const TagSpecifications = [{ ResourceType: 'vpc' as const, Tags: tagList(tags) }];
  const made = await client.send('CreateVpc', new ec2.CreateVpcCommand({ CidrBlock, TagSpecifications }), call);
  return made.ok ? { ok: true, value: made.value.Vpc ?? {} } : made;
}

async function findByMark(mark: Creation['mark'], { client }: Scope, call: Call): Promise<Result<Vpc | undefined>> {
  const { attempt: _, deletionPolicy: __, ...identity } = mark;
  const Filters = Object.entries(markTags(identity)).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
  const answer = await client.send('DescribeVpcs', new ec2.DescribeVpcsCommand({ Filters }), call);
  return answer.ok ? { ok: true, value: answer.value.Vpcs?.[0] } : answer;
}

async function update(
  batch: readonly Revision<'network'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const marked = await withPartsToMark(batch, scope, call);
  if (!marked.ok) return batch.map(() => marked);
  const tagged = await retag(marked.value, scope, call);
  return each([...batch.entries()], async ([index, revision]) => {
    const before = tagged[index] ?? done;
    return before.ok ? change(revision, scope, call) : before;
  });
}

async function change(
  { desired, observed, changes, mark }: Revision<'network'>,
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  const failure = unsupported(changes, ['internet', 'labels']);
  if (failure) return { ok: false, failure };
  if (!changes.some(({ field }) => field === 'internet')) return done;
  const { parts = [], version } = observed.condition;
  const owner = mark ?? observed.signs.mark;
  if (desired.attributes.internet === false)
    return removeInternet({ vpcId: observed.id, owner, parts, whole: false }, scope, call);
  if (!owner) return done;
  const made = await completeInternet(
    { vpcId: observed.id, mark: owner, parts, askedAt: Number(version ?? 0) },
    scope,
    call,
  );
  if (made.failure) return { ok: false, failure: made.failure };
  return removeUnattachedGateways({ owner, seen: parts, kept: made.parts }, scope, call);
}

/**
 * DeleteVpc refuses while anything else stands in it (https://docs.aws.amazon.com/vpc/latest/userguide/delete-vpc.html), but
 * its gateway and table must go before. So it is looked into first: a network that stays, stays whole.
 */
async function remove({ id, observed }: Removal<'network'>, scope: Scope, call: Call): Promise<Result<void>> {
  const parts = observed.condition.parts ?? [];
  const free = parts.length === 0 ? done : await checkEmpty(id, scope, call);
  if (!free.ok) return free;
  const freed = await removeInternet({ vpcId: id, owner: observed.signs.mark, parts, whole: true }, scope, call);
  if (!freed.ok) return freed;
  const deleted = await scope.client.send('DeleteVpc', new ec2.DeleteVpcCommand({ VpcId: id }), call);
  return deleted.ok || deleted.failure.kind === 'not-found' ? done : deleted;
}

async function checkEmpty(id: CloudId, { client }: Scope, call: Call): Promise<Result<void>> {
  const Filters = [{ Name: 'vpc-id', Values: [id] }];
  const subnets = await client.send('DescribeSubnets', new ec2.DescribeSubnetsCommand({ Filters }), call);
  if (!subnets.ok) return subnets;
  const groups = await client.send('DescribeSecurityGroups', new ec2.DescribeSecurityGroupsCommand({ Filters }), call);
  if (!groups.ok) return groups;
  const inside = [
    ...(subnets.value.Subnets ?? []).map(({ SubnetId = '' }) => SubnetId),
    ...(groups.value.SecurityGroups ?? []).filter(isCustomGroup).map(({ GroupId = '' }) => GroupId),
  ];
  if (inside.length === 0) return done;
  return failed('conflict', 'DependencyViolation', `${id} still holds ${inside.slice(0, 5).join(', ')}`);
}

/**
 * CreateInternetGateway has no ClientToken: a call that came after it was given up makes a second gateway. It is looked at
 * again, and goes if it is still attached to nothing; EC2 refuses to delete one that is attached meanwhile.
 */
async function removeUnattachedGateways(
  { owner, seen, kept }: { readonly owner: Mark; readonly seen: readonly Part[]; readonly kept: readonly Part[] },
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  const Values = seen.flatMap(({ part, id }) =>
    part === gatewayPart && !kept.some((one) => one.id === id) ? [id] : [],
  );
  if (Values.length === 0) return done;
  const Filters = [{ Name: 'internet-gateway-id', Values }];
  const found = await client.send(
    'DescribeInternetGateways',
    new ec2.DescribeInternetGatewaysCommand({ Filters }),
    call,
  );
  if (!found.ok) return found;
  const spares = (found.value.InternetGateways ?? []).filter((gateway) => isUnattachedGateway(owner, gateway));
  const gone = await each(spares, async ({ InternetGatewayId }): Promise<Result<void>> => {
    const command = new ec2.DeleteInternetGatewayCommand({ InternetGatewayId });
    const answer = await client.send('DeleteInternetGateway', command, call);
    return answer.ok || answer.failure.kind === 'not-found' ? done : answer;
  });
  return gone.find(({ ok }) => !ok) ?? done;
}
