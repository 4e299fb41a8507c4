import type { SecurityGroup } from '@aws-sdk/client-ec2';
import type { Failure, Result } from '../../src/core/failure.ts';
import type { Observed, Origin } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { afterCreation } from '../shared/after-creation.ts';
import { done, failed } from '../shared/answer.ts';
import { chunks } from '../shared/chunks.ts';
import { each } from '../shared/each.ts';
import { mapInTurns } from '../shared/turns.ts';
import { interfacesIn } from './interfaces-in.ts';
import { lookup } from './lookup.ts';
import { isSameTry, markTags, readMark } from './marks.ts';
import { originOf } from './origin.ts';
import { sharedBy, signsOf } from './owner.ts';
import { retag, unsupported } from './retag.ts';
import type { Scope } from './scope.ts';
import { ec2 } from './sdk.ts';
import { readLabels, tagList } from './tags.ts';

/** Groups are security groups. Their rules are a kind of their own: firewall-rule/. */
export function groupActuator(scope: Scope): Actuator<'group'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) => each(batch, (item) => create(item, scope, call)),
    update: (batch, call) => update(batch, scope, call),
    delete: (batch, call) => each(batch, (item) => remove(item, scope, call)),
    usersOf: (id, call) => interfacesIn('group-id', id, scope, call),
  };
}

const yieldedAtOnce = 1000;

async function* list({ listings, account }: Scope, call: Call): AsyncGenerator<readonly Observed<'group'>[]> {
  for (const page of chunks(await listings.groups('group', call), yieldedAtOnce))
    yield await mapInTurns(page, (group) => observe(group, account));
}

function observe(group: SecurityGroup, account: string): Observed<'group'> {
  const origin = groupOrigin(group, account);
  return {
    kind: 'group',
    id: group.GroupId ?? '',
    name: group.GroupName ?? '',
    attributes: {
      network: group.VpcId ?? '',
      ...(group.Description === undefined ? {} : { description: group.Description }),
      labels: readLabels(group.Tags),
    },
    signs: { ...signsOf(group, account, origin), ...(origin ? { origin } : {}) },
    condition: { state: 'ready' },
  };
}

/** The likely origin of a group and its rules when no estate created them. Every VPC is created with one called `default`. */
export function groupOrigin(group: SecurityGroup, account: string): Origin | undefined {
  const { GroupName = '', VpcId, Tags, Description = '' } = group;
  const shared = sharedBy(group, account);
  if (shared) return shared;
  if (GroupName === 'default') return { why: 'provider-default', detail: `default security group of ${VpcId}` };
  return readMark(Tags) ? undefined : originOf(Tags, { name: GroupName, description: Description });
}

async function read(
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'group'> | undefined>[]> {
  const found = await describeGroups(ids, scope, call);
  return found.map((result) =>
    result.ok ? { ok: true, value: result.value && observe(result.value, scope.account) } : result,
  );
}

/** These groups with their rules, by name. */
export function describeGroups(
  ids: readonly CloudId[],
  { client }: Scope,
  call: Call,
): Promise<readonly Result<SecurityGroup | undefined>[]> {
  const describe = async (GroupIds: readonly CloudId[]): Promise<Result<readonly SecurityGroup[]>> => {
    const answer = await client.send(
      'DescribeSecurityGroups',
      new ec2.DescribeSecurityGroupsCommand({ GroupIds: [...GroupIds] }),
      call,
    );
    return answer.ok ? { ok: true, value: answer.value.SecurityGroups ?? [] } : answer;
  };
  return lookup(ids, describe, ({ GroupId }) => GroupId);
}

/** A VPC's group names are unique, so sending this twice finds the first: no ClientToken is needed. */
async function create(item: Creation<'group'>, scope: Scope, call: Call): Promise<Result<Observed<'group'>>> {
  const { mark, desired } = item;
  const {
    network: VpcId,
    labels,
    defaultEgress,
    description: Description = describes(desired.name),
  } = desired.attributes;
  const tags = { Name: desired.name, ...labels, ...markTags(mark) };
  const TagSpecifications = [{ ResourceType: 'security-group' as const, Tags: tagList(tags) }];
  const command = new ec2.CreateSecurityGroupCommand({
    VpcId,
    GroupName: desired.name,
    Description,
    TagSpecifications,
  });
  const answer = await scope.client.send('CreateSecurityGroup', command, call);
  const made = answer.ok
    ? createdAs({ GroupId: answer.value.GroupId, Description }, tags, item)
    : await existingOne(answer, item, scope, call);
  if (!made.ok) return made;
  const group = observe(made.value, scope.account);
  if (defaultEgress !== 'deny') return { ok: true, value: group };
  const closed = await afterCreation(revokeDefaultEgress(group.id, scope, call), stopped);
  return closed.ok ? { ok: true, value: group } : { ok: false, failure: stillOpen(group.id, closed.failure) };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html: at most 255 of a fixed alphabet */
const describes = (name: string): string => `Setpoint group ${name}`.slice(0, 255);

function createdAs(
  made: Pick<SecurityGroup, 'GroupId' | 'Description'>,
  tags: Readonly<Record<string, string>>,
  { desired }: Creation<'group'>,
): Result<SecurityGroup> {
  return {
    ok: true,
    value: { ...made, GroupName: desired.name, VpcId: desired.attributes.network, Tags: tagList(tags) },
  };
}

/** The name is taken: by an earlier try of ours, which then is the answer, or by somebody else. */
async function existingOne<R extends Result<unknown> & { readonly ok: false }>(
  refusal: R,
  { mark, desired }: Creation<'group'>,
  { client }: Scope,
  call: Call,
): Promise<Result<SecurityGroup>> {
  if (refusal.failure.code !== 'InvalidGroup.Duplicate') return refusal;
  const Filters = [
    { Name: 'vpc-id', Values: [desired.attributes.network] },
    { Name: 'group-name', Values: [desired.name] },
  ];
  const answer = await client.send('DescribeSecurityGroups', new ec2.DescribeSecurityGroupsCommand({ Filters }), call);
  if (!answer.ok) return answer;
  const ours = answer.value.SecurityGroups?.find(({ Tags }) => isSameTry(mark, Tags));
  return ours ? { ok: true, value: ours } : refusal;
}

/**
 * A group is born allowing all egress. Where the network denies it, that goes in the same step, and until it is gone the
 * creation has not succeeded: nothing may be put into the group.
 */
async function revokeDefaultEgress(GroupId: CloudId, { client }: Scope, call: Call): Promise<Result<void>> {
  const IpPermissions = [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  const answer = await client.send(
    'RevokeSecurityGroupEgress',
    new ec2.RevokeSecurityGroupEgressCommand({ GroupId, IpPermissions }),
    call,
  );
  return answer.ok || answer.failure.code === 'InvalidPermission.NotFound' ? done : answer;
}

const stopped = failed('ambiguous', 'NotSent', 'the reconcile stopped before Setpoint closed its egress');

/**
 * The group stands, so this creation must stay open whatever became of the revocation: sent again it finds the group by
 * its name and mark, and revokes again. A group just made may be unknown for a while, so `not-found` may pass.
 */
function stillOpen(id: CloudId, { kind, code, message, requestId }: Failure): Failure {
  const passing = kind === 'throttled' || kind === 'retryable' || kind === 'not-found';
  return {
    kind: passing ? 'retryable' : 'ambiguous',
    code,
    message: `${id} has open egress: ${message}`,
    ...(requestId === undefined ? {} : { requestId }),
  };
}

async function update(batch: readonly Revision<'group'>[], scope: Scope, call: Call): Promise<readonly Result<void>[]> {
  const tagged = await retag(batch, scope, call);
  return batch.map(({ changes }, index) => {
    const failure = unsupported(changes, ['labels']);
    return failure ? { ok: false, failure } : (tagged[index] ?? done);
  });
}

async function remove({ id }: Removal<'group'>, { client }: Scope, call: Call): Promise<Result<void>> {
  const answer = await client.send('DeleteSecurityGroup', new ec2.DeleteSecurityGroupCommand({ GroupId: id }), call);
  return answer.ok || answer.failure.kind === 'not-found' ? done : answer;
}
