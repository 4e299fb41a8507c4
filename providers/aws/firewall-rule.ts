import type { IpPermission, SecurityGroup } from '@aws-sdk/client-ec2';
import type { Failure, Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { CloudId, RuleAttributes } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { done, failed } from '../shared/answer.ts';
import { chunks } from '../shared/chunks.ts';
import { eachChunk } from '../shared/each-chunk.ts';
import { mapInTurns } from '../shared/turns.ts';
import { sinks } from './bisect.ts';
import { describeGroups, groupOrigin } from './group.ts';
import { type Atom, atomId, atomsInTurns, atomsOf, groupOfAtom, writePermission } from './permission.ts';
import { most } from './rate-limits.ts';
import { unsupported } from './retag.ts';
import type { Scope } from './scope.ts';
import { ec2 } from './sdk.ts';

/**
 * Firewall rules are the atoms of security groups: they come with the groups' listing, are known by their content and
 * owned through their group. A group's atoms of one direction share a call.
 */
export function firewallRuleActuator(scope: Scope): Actuator<'firewall-rule'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) => eachChunk(batch, perSide(attributesOf), (some) => authorize(some, scope, call)),
    update: (batch, call) => eachChunk(batch, perSide(attributesOf), (some) => describe(some, scope, call)),
    delete: (batch, call) => eachChunk(batch, perSide(seenAttributesOf), (some) => revoke(some, scope, call)),
  };
}

const attributesOf = ({ desired }: Creation<'firewall-rule'> | Revision<'firewall-rule'>): RuleAttributes =>
  desired.attributes;
const seenAttributesOf = ({ observed }: Removal<'firewall-rule'>): RuleAttributes => observed.attributes;

const perSide = <T>(attributes: (item: T) => RuleAttributes) => ({
  key: (item: T): string => `${attributes(item).group}/${attributes(item).match.direction}`,
  size: most.rules,
});

/** With 1,000 rules each, a page has as many as one of the other kinds has at most. */
const groupsAtOnce = 50;

async function* list({ listings, account }: Scope, call: Call): AsyncGenerator<readonly Observed<'firewall-rule'>[]> {
  for (const groups of chunks(await listings.groups('firewall-rule', call), groupsAtOnce)) {
    const page: Observed<'firewall-rule'>[] = [];
    for (const group of groups) {
      const atoms = await atomsInTurns(group, account);
      for (const rule of await mapInTurns(atoms, (atom) => observe(atom, group, account))) page.push(rule);
    }
    yield page;
  }
}

function observe({ id, attributes, spelled }: Atom, group: SecurityGroup, account: string): Observed<'firewall-rule'> {
  const origin = groupOrigin(group, account);
  return {
    kind: 'firewall-rule',
    id,
    name: '',
    attributes,
    signs: { container: attributes.group, ...(origin ? { origin } : {}) },
    condition: { state: 'ready', ...(spelled.length === 0 ? {} : { version: JSON.stringify(spelled) }) },
  };
}

async function read(
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'firewall-rule'> | undefined>[]> {
  const groupIds = [...new Set(ids.map(groupOfAtom))];
  const groups = await describeGroups(groupIds, scope, call);
  const byId = new Map(groupIds.map((id, index) => [id, groups[index]]));
  return ids.map((id) => {
    const group = byId.get(groupOfAtom(id)) ?? failed('retryable', 'Unanswered', `the cloud did not answer for ${id}`);
    if (!group.ok || !group.value) return group.ok ? { ok: true, value: undefined } : group;
    const atom = atomsOf(group.value, scope.account).find((each) => each.id === id);
    return { ok: true, value: atom && observe(atom, group.value, scope.account) };
  });
}

/** All items of one call are of one group and direction. */
async function authorize(
  items: readonly Creation<'firewall-rule'>[],
  { client }: Scope,
  call: Call,
): Promise<readonly Result<Observed<'firewall-rule'>>[]> {
  const answers = await send(items, 'InvalidPermission.Duplicate', (some) => {
    const request = inputOf(
      some.map(({ desired }) => desired.attributes),
      some.flatMap(({ desired: { attributes } }) => [writePermission(attributes.match, attributes.description)]),
    );
    return request.direction === 'ingress'
      ? client.send('AuthorizeSecurityGroupIngress', new ec2.AuthorizeSecurityGroupIngressCommand(request.input), call)
      : client.send('AuthorizeSecurityGroupEgress', new ec2.AuthorizeSecurityGroupEgressCommand(request.input), call);
  });
  return items.map(({ desired: { attributes } }, index) => {
    const answer = answers[index] ?? done;
    return answer.ok ? { ok: true, value: made(attributes) } : { ok: false, failure: withQuotaAdvice(answer.failure) };
  });
}

function made(attributes: RuleAttributes): Observed<'firewall-rule'> {
  const { group = '' } = attributes;
  return {
    kind: 'firewall-rule',
    id: atomId(group, attributes.match),
    name: '',
    attributes,
    signs: { container: group },
    condition: { state: 'ready' },
  };
}

/** A description changes in place; anything else would be another atom. */
async function describe(
  items: readonly Revision<'firewall-rule'>[],
  { client }: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const stray = unsupported(
    items.flatMap(({ changes }) => changes),
    ['description'],
  );
  if (stray) return items.map(() => ({ ok: false, failure: stray }));
  const changed = items.filter(({ changes }) => changes.length > 0);
  const answers = await send(changed, '', (some) => {
    const permissions = some.flatMap(({ desired, observed }) =>
      described(wordsOf(observed), desired.attributes.description),
    );
    const request = inputOf(
      some.map(({ observed }) => observed.attributes),
      permissions,
    );
    return request.direction === 'ingress'
      ? client.send(
          'UpdateSecurityGroupRuleDescriptionsIngress',
          new ec2.UpdateSecurityGroupRuleDescriptionsIngressCommand(request.input),
          call,
        )
      : client.send(
          'UpdateSecurityGroupRuleDescriptionsEgress',
          new ec2.UpdateSecurityGroupRuleDescriptionsEgressCommand(request.input),
          call,
        );
  });
  return items.map((item) => answers[changed.indexOf(item)] ?? done);
}

/** Revoke names rules by their content: in the cloud's own words, or it would not find them. What is gone is done. */
async function revoke(
  items: readonly Removal<'firewall-rule'>[],
  { client }: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const answers = await send(items, 'InvalidPermission.NotFound', (some) => {
    const request = inputOf(
      some.map(({ observed }) => observed.attributes),
      some.flatMap(({ observed }) => wordsOf(observed)),
    );
    return request.direction === 'ingress'
      ? client.send('RevokeSecurityGroupIngress', new ec2.RevokeSecurityGroupIngressCommand(request.input), call)
      : client.send('RevokeSecurityGroupEgress', new ec2.RevokeSecurityGroupEgressCommand(request.input), call);
  });
  return answers.map((answer) => (answer.ok || answer.failure.kind === 'not-found' ? done : answer));
}

/**
 * All in one call; one bad rule sinks it, and then each goes singly, once. `already`: the code by which the cloud says that
 * a single one is as wanted. What was not answered is not sent again.
 */
async function send<T>(
  items: readonly T[],
  already: string,
  call: (some: readonly T[]) => Promise<Result<unknown>>,
): Promise<readonly Result<void>[]> {
  if (items.length === 0) return [];
  const all = await call(items);
  if (all.ok || (items.length === 1 && all.failure.code === already)) return items.map(() => done);
  if (items.length === 1 || !sinks(all.failure)) return items.map(() => all);
  const results: Result<void>[] = [];
  for (const item of items) {
    const one = await call([item]);
    results.push(one.ok || one.failure.code === already ? done : one);
  }
  return results;
}

function inputOf(atoms: readonly RuleAttributes[], IpPermissions: IpPermission[]) {
  const [first] = atoms;
  return { direction: first?.match.direction ?? 'ingress', input: { GroupId: first?.group, IpPermissions } };
}

function wordsOf({ condition, attributes }: Observed<'firewall-rule'>): readonly IpPermission[] {
  if (condition.version === undefined) return [writePermission(attributes.match, '')];
  return JSON.parse(condition.version) as IpPermission[]; // why: written by `observe`, from the cloud's own answer
}

function described(permissions: readonly IpPermission[], description: string): readonly IpPermission[] {
  const Description = description === '' ? undefined : description;
  const say = <T extends object>(items: readonly T[] | undefined): T[] | undefined =>
    items?.map((item) => ({ ...item, Description }));
  return permissions.map((permission) => ({
    ...permission,
    IpRanges: say(permission.IpRanges),
    Ipv6Ranges: say(permission.Ipv6Ranges),
    PrefixListIds: say(permission.PrefixListIds),
    UserIdGroupPairs: say(permission.UserIdGroupPairs),
  }));
}

/**
 * EC2's message says only that a group is full. This adds the cause: Setpoint adds new rules before it removes the replaced
 * ones, so a changing group needs room for both. Without that room Setpoint removes nothing.
 * The quota, 60 unless it was raised: https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups
 */
function withQuotaAdvice<F extends Failure>(failure: F): F {
  if (failure.code !== 'RulesPerSecurityGroupLimitExceeded') return failure;
  return { ...failure, message: `${failure.message} ${fullGroupReason} ${fullGroupAdvice}` };
}

const fullGroupReason =
  'Setpoint adds new rules of a group before it removes the old ones, so that it interrupts no traffic. There is no room for both, so the old ones stay.';
const fullGroupAdvice =
  'Raise the quota "Inbound or outbound rules per security group" (L-0EA8095F) to the sum of both. Or put the new rules into another group, name that group on the instances, apply, and remove the old rules afterwards.';
