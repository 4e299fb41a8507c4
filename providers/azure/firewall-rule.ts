import type { NetworkSecurityGroup, SecurityRule } from '@azure/arm-network';
import { isAdoptedRule } from '../../src/core/desired.ts';
import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { done, failed } from '../shared/answer.ts';
import { awaitAll } from '../shared/await-all.ts';
import { each } from '../shared/each.ts';
import { eachChunk } from '../shared/each-chunk.ts';
import { mapInTurns } from '../shared/turns.ts';
import { stateOf } from './condition.ts';
import { filterIdOf } from './filter.ts';
import { canonicalId, cloudIdOf, partsOfId } from './ids.ts';
import { lookup } from './lookup.ts';
import { readExtra } from './marks.ts';
import { networkAddressOf } from './network-address.ts';
import { listed } from './pages.ts';
import { filterPart, isNearPartOf } from './part.ts';
import { prefixAt } from './place.ts';
import { most } from './rate-limits.ts';
import { unsupported } from './retag.ts';
import { editRules, type Written } from './rule-edit.ts';
import type { RuleEdit } from './rule-edit-marked.ts';
import { nsgOfRule, type RuleContext, ruleContextOf } from './rule-home.ts';
import { readRuleMark } from './rule-mark.ts';
import type { Scope } from './scope.ts';
import { readMatch, writeRule } from './security-rule.ts';
import { checkHomes } from './short-listing.ts';
import type { Tags } from './tags.ts';

/**
 * Firewall rules are the security rules of NSGs: they come with the NSGs' listing, are known by their name and owned through
 * their network, or by a mark of their own where its NSG is somebody else's. An NSG's rules share a call.
 */
export function firewallRuleActuator(scope: Scope): Actuator<'firewall-rule'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) => eachChunk(batch, perNsg(nsgOfCreation), (some) => authorize(some, scope, call)),
    update: (batch, call) => eachChunk(batch, perNsg(nsgOfRevision), (some) => rewrite(some, scope, call)),
    delete: (batch, call) => eachChunk(batch, perNsg(nsgOfRemoval), (some) => revoke(some, scope, call)),
  };
}

const nsgOfCreation = ({ desired }: Creation<'firewall-rule'>): CloudId => filterIdOf(desired.attributes.network);
const nsgOfRevision = ({ observed }: Revision<'firewall-rule'>): CloudId => nsgOfRule(observed.id);
const nsgOfRemoval = ({ id }: Removal<'firewall-rule'>): CloudId => nsgOfRule(id);

const perNsg = <T>(nsgOf: (item: T) => CloudId) => ({ key: nsgOf, size: most.inline });

async function* list(scope: Scope, call: Call): AsyncGenerator<readonly Observed<'firewall-rule'>[]> {
  const { listings } = scope;
  const [nsgs, vnets, asgs] = await awaitAll([
    listings.nsgs('firewall-rule', call),
    listings.vnets('firewall-rule', call),
    listings.asgs('firewall-rule', call),
  ]);
  await checkHomes(nsgs, { vnets, asgs }, scope, call);
  const context = ruleContextOf(vnets, asgs);
  for (const nsg of nsgs) yield await observeAll(nsg, context);
}

/** Azure's own six (`defaultSecurityRules`) stand in every NSG, behind all others, and are no rules of anybody's. */
async function observeAll(
  nsg: NetworkSecurityGroup,
  context: RuleContext,
): Promise<readonly Observed<'firewall-rule'>[]> {
  const { network, isFilter, isPart } = context.homeOf(nsg);
  const prefix = prefixAt(nsg.id ?? '', nsg.location ?? '');
  return mapInTurns(nsg.securityRules ?? [], (rule) => {
    const { id = '', name = '', description = '' } = rule;
    const marked = isFilter && !isPart ? readRuleMark(description, { prefix, name: name.toLowerCase() }) : undefined;
    return {
      kind: 'firewall-rule',
      id: cloudIdOf(id, nsg.resourceGuid),
      name: isPart || marked?.mark ? name.toLowerCase() : name,
      attributes: {
        network,
        match: readMatch(rule, context.groupId),
        description: marked?.text ?? description,
        ...orderOf(rule),
      },
      signs: { ...(isPart ? { container: network } : {}), ...(marked?.mark ? { mark: marked.mark } : {}) },
      condition: { state: stateOf(rule.provisioningState), filters: [isFilter ? network : canonicalId(nsg.id ?? '')] },
    };
  });
}

const orderOf = ({ priority }: SecurityRule): { readonly order?: { readonly priority: number } } =>
  priority === undefined ? {} : { order: { priority } };

async function read(
  ids: readonly CloudId[],
  { client, listings }: Scope,
  call: Call,
): Promise<readonly Result<Observed<'firewall-rule'> | undefined>[]> {
  const nsgIds = [...new Set(ids.map(nsgOfRule))];
  const nsgs = await each(nsgIds, (id) => {
    const { resourceGroup, name } = partsOfId(id);
    return lookup(id, ({ network }) => network.networkSecurityGroups.get(resourceGroup, name), client, call);
  });
  const vnets = await listed(listings.vnets('firewall-rule', call));
  const asgs = await listed(listings.asgs('firewall-rule', call));
  if (!vnets.ok) return ids.map(() => vnets);
  if (!asgs.ok) return ids.map(() => asgs);
  const found = nsgs.flatMap((nsg) => (nsg.ok && nsg.value ? [nsg.value] : []));
  const whole = await listed(checkHomes(found, { vnets: vnets.value, asgs: asgs.value }, { client }, call));
  if (!whole.ok) return ids.map(() => whole);
  const context = ruleContextOf(vnets.value, asgs.value);
  const rules = new Map<CloudId, Observed<'firewall-rule'>>();
  for (const nsg of found) for (const rule of await observeAll(nsg, context)) rules.set(rule.id, rule);
  const byId = new Map(nsgIds.map((id, index) => [id, nsgs[index]]));
  return ids.map((id) => {
    const nsg = byId.get(nsgOfRule(id)) ?? failed('retryable', 'Unanswered', `the cloud did not answer for ${id}`);
    return nsg.ok ? { ok: true, value: rules.get(id) } : nsg;
  });
}

/** All items of one call are of one NSG. */
async function authorize(
  items: readonly Creation<'firewall-rule'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'firewall-rule'>>[]> {
  const edits = items.map(({ desired: { name, attributes }, mark }): RuleEdit => {
    const owner = { ...mark, address: networkAddressOf(mark.address, 'firewall-rule') };
    const contained = (tags: Tags | undefined): boolean => isNearPartOf(owner, tags, filterPart);
    return { name, properties: writeRule(attributes), stands: false, mark, contained };
  });
  const nsgId = items[0] ? nsgOfCreation(items[0]) : '';
  const answers = await editRules(nsgId, edits, scope, call);
  return items.map((item, index) => {
    const answer = answers[index] ?? unanswered;
    return answer.ok ? { ok: true, value: made(item, nsgId, answer.value) } : answer;
  });
}

const unanswered = failed('ambiguous', 'Unanswered', 'the cloud did not answer for this rule');

/** As the listing will say it. */
function made(
  { desired: { name, attributes }, mark }: Creation<'firewall-rule'>,
  nsgId: CloudId,
  { guid, contained }: Written,
): Observed<'firewall-rule'> {
  return {
    kind: 'firewall-rule',
    id: cloudIdOf(`${nsgId}/securityRules/${name}`, guid),
    name,
    attributes,
    signs: contained ? { container: attributes.network } : { mark },
    condition: { state: 'ready' },
  };
}

/** Its name contains its peers and its effect; all else changes in place, at once. */
async function rewrite(
  items: readonly Revision<'firewall-rule'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const stray = unsupported(
    items.flatMap(({ changes }) => changes),
    ['match', 'description', 'order.priority'],
  );
  if (stray) return items.map(() => ({ ok: false, failure: stray }));
  const changed = items.filter(({ changes, mark }) => changes.length > 0 || mark);
  const edits = changed.map(({ desired, observed, changes, mark }): RuleEdit => {
    const properties = writeRule(desired.attributes);
    const { id, attributes: listed } = observed;
    const isTextSet = changes.some(({ field }) => field === 'description');
    return {
      name: nameOf(id),
      properties,
      stands: true,
      listed,
      mark,
      contained: isPartFor(observed),
      ...(isAdoptedRule(desired) ? { adopted: isTextSet ? 'text-set' : 'text-kept' } : {}),
    };
  });
  return edited(items, changed, edits, { scope, call });
}

/** A rule that is already gone counts as deleted. */
async function revoke(
  items: readonly Removal<'firewall-rule'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const edits = items.map(
    ({ id, observed }): RuleEdit => ({
      name: nameOf(id),
      stands: false,
      listed: observed.attributes,
      mark: observed.signs.mark,
      contained: isPartFor(observed),
    }),
  );
  return edited(items, items, edits, { scope, call });
}

const nameOf = (rule: CloudId): string => partsOfId(rule).child;

/** It was seen in the network's own part, and that is one still. */
const isPartFor =
  ({ signs }: Observed<'firewall-rule'>) =>
  (tags: Tags | undefined): boolean =>
    signs.container !== undefined && readExtra(tags, 'part') === filterPart;

interface Way {
  readonly scope: Scope;
  readonly call: Call;
}

async function edited<T extends Revision<'firewall-rule'> | Removal<'firewall-rule'>>(
  items: readonly T[],
  changed: readonly T[],
  edits: readonly RuleEdit[],
  { scope, call }: Way,
): Promise<readonly Result<void>[]> {
  const [first] = changed;
  if (!first) return items.map(() => done);
  const answers = await editRules(nsgOfRule(first.observed.id), edits, scope, call);
  return items.map((item) => {
    const at = changed.indexOf(item);
    const answer = at < 0 ? done : (answers[at] ?? unanswered);
    return answer.ok ? done : answer;
  });
}
