import { type Action, beginsGrace, type Finding, heldAs, isInGrace, partField } from '../action.ts';
import type { Desired } from '../desired.ts';
import { groupByMany } from '../group-by-many.ts';
import { groupsNamed } from '../kinds/firewall-rule.ts';
import { membershipsOf } from '../kinds/instance.ts';
import { kindNames, refsOf } from '../kinds/kinds.ts';
import { powerOf } from '../knowledge.ts';
import { flowOf } from '../order/flow.ts';
import { groupChangeOf, membershipsAfter } from '../order/moves.ts';
import { type Member, neighboursOf, nobodyAround, type Surroundings } from '../order/neighbours.ts';
import { type RuleChange, ruleChanges } from '../order/rule-changes.ts';
import { type Bundle, type Entry, type TrafficIndex, trafficIndex } from '../order/traffic-index.ts';
import { remembered } from '../remembered.ts';
import { type Address, type CloudId, type InstanceAttributes, isAddress, type Kind, type Ref } from '../resource.ts';
import { compareText } from '../text.ts';
import { changesOf } from './changes.ts';
import type { Claimed } from './claim.ts';
import { graceText, idsBeginning, outlivedBy } from './grace.ts';
import { documentsOf } from './holds.ts';
import type { Hold, Withholding } from './plan-input.ts';
import { unfinishedNote } from './succession.ts';
import { surroundingsOf } from './surroundings.ts';
import { gapOf, type World } from './world.ts';

export interface Admitted {
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
}

/** Withholds what a hold names, then all that rests on something that will not stand. */
export function admit(actions: readonly Action[], holds: readonly Hold[], world: World): Admitted {
  const findings: Finding[] = [];
  const outlived = outlivedBy(actions, world);
  const stopping = new Set(actions.flatMap((one) => (heldAs(one) === one ? [] : [one.address])));
  const allowed = actions.filter((action) => {
    const judged = heldAs(action);
    const reason = holds.map((hold) => hold(judged)).find((given) => given !== undefined);
    const held = inGrace(action, reason, { stopping, world }) ?? reason ?? needed(outlived(action));
    if (held !== undefined) findings.push(withheld(action, held, world));
    return held === undefined;
  });
  const waiting = new Set(actions.filter(isInGrace).map(({ observed }) => observed.id));
  const standing = dropUnfounded(allowed, world, findings);
  return { actions: dropNeeded(standing, waiting, world, findings), findings };
}

/** It waits for the end of its grace, and for its other holds. */
function inGrace(
  action: Action,
  reason: Withholding | undefined,
  { stopping, world }: { readonly stopping: ReadonlySet<Address>; readonly world: Pick<World, 'input'> },
): Withholding | undefined {
  if (!isInGrace(action)) return undefined;
  const { knowledge, wanted } = world.input;
  // why: a cloud refused only its stop, which waits by itself
  const also = reason === undefined || reason.code === 'backoff' ? '' : ` Held besides: ${reason.why}`;
  const stated = knowledge.applied.get(action.address)?.documents ?? [];
  const isEnded = [...documentsOf(action), ...stated].some((document) => wanted.ended?.has(document));
  const isHeld = knowledge.settled.get(action.observed.id)?.terms.beforeDelete === 'stop';
  const kept = isHeld && powerOf(action.observed.attributes) === 'stopped' ? 'stopped' : 'kept';
  const power = stopping.has(action.address) ? 'stopping' : kept;
  return { code: 'grace', why: `${graceText(action.grace, { isEnded, power })}.${also}` };
}

const needed = (why: string | undefined): Withholding | undefined =>
  why === undefined ? undefined : { code: 'depends', why };

const withheld = (
  action: Action,
  { code, why, requirements }: Withholding,
  { input }: Pick<World, 'input'>,
): Finding => ({
  type: 'withheld',
  address: action.address,
  kind: action.kind,
  action: action.verb,
  code,
  why: why + unfinishedNote(action),
  scope: input.observation.scope,
  ...(requirements === undefined ? {} : { requirements }),
  ...(action.cause === 'drift' ? { cause: action.cause } : {}),
  ...partField(action),
  ...(action.by === undefined ? {} : { by: action.by }),
  ...(action.remediation === undefined ? {} : { remediation: action.remediation }),
  ...(code === 'grace' && isInGrace(action) ? { until: action.grace.until } : {}),
  ...(action.contested === undefined ? {} : { contested: action.contested }),
});

/** Parents come first by kind, so one reconcile from networks to instances finds everything whose ground is missing. */
function dropUnfounded(actions: readonly Action[], world: World, findings: Finding[]): readonly Action[] {
  const made = new Set<Address>(world.ours.keys());
  const kept: Action[] = [];
  for (const action of actions.toSorted((a, b) => kindNames.indexOf(a.kind) - kindNames.indexOf(b.kind))) {
    const missing = groundOf(action).find((ref) => isAddress(ref) && !made.has(ref));
    if (missing !== undefined)
      findings.push(
        withheld(
          action,
          { code: 'depends', why: `needs ${missing}, which does not exist and is not being created.` },
          world,
        ),
      );
    else {
      kept.push(action);
      if (action.verb === 'create' || action.verb === 'adopt') made.add(action.address);
    }
  }
  return kept;
}

const groundOf = (action: Action): readonly string[] =>
  action.verb === 'delete' || action.verb === 'forget' ? [] : refsOf(action.kind, action.desired.attributes);

/**
 * Nothing is deleted while something that stays still stands in it or names it; children decide before their parents. A
 * rule stays and goes with its container. `waiting`: objects in their grace.
 */
function dropNeeded(
  actions: readonly Action[],
  waiting: ReadonlySet<CloudId>,
  world: World,
  findings: Finding[],
): readonly Action[] {
  const deletions = actions.filter(isParentDelete);
  if (deletions.length === 0) return actions;
  const users = usersByRef(world);
  const around: Leaving = {
    staying: stayingBeside(actions, world),
    later: new Set([...waiting, ...idsBeginning(actions)]),
    leaving: new Map(
      actions.flatMap((action) => (action.verb === 'update' ? [[action.observed.id, refsAfter(action)] as const] : [])),
    ),
  };
  const dropped = new Set<Action>();
  for (const action of deletions.toSorted((a, b) => kindNames.indexOf(b.kind) - kindNames.indexOf(a.kind))) {
    // why: a reference to the address of a twin is in the other one, and the twin was seen to hold nothing
    const refs = action.because === 'twin' ? [action.observed.id] : [action.address, action.observed.id];
    const user = refs.flatMap((ref) => users.get(ref) ?? []).find((one) => needs(one, action, refs, around));
    const unlisted = usedBy[action.kind]?.find((kind) => gapOf(world, kind) !== undefined);
    if (user === undefined && unlisted === undefined) continue;
    dropped.add(action);
    around.staying.add(action.observed.id);
    const why = user
      ? `${user.observed.kind} ${user.claim.by === 'us' ? user.claim.address : user.observed.id} still needs it.`
      : `${unlisted} was not listed completely, so something may still need it.`;
    findings.push(withheld(action, { code: 'depends', why }, world));
  }
  return actions.filter((action) => !dropped.has(action));
}

/** `later`: objects in a grace that runs, or that these actions begin. `leaving`: the references of changed objects afterwards. */
interface Leaving {
  readonly staying: Set<CloudId>;
  readonly later: ReadonlySet<CloudId>;
  readonly leaving: ReadonlyMap<CloudId, readonly Ref[]>;
}

/** The objects that stand after these actions. One whose grace only begins does. */
function stayingBeside(actions: readonly Action[], { claimed }: World): Set<CloudId> {
  const staying = new Set(claimed.map(({ observed }) => observed.id));
  for (const action of actions)
    if (action.verb === 'delete' && !beginsGrace(action)) staying.delete(action.observed.id);
  return staying;
}

function needs(
  { observed: { id, signs } }: Claimed,
  action: ParentDelete,
  refs: readonly string[],
  { staying, later, leaving }: Leaving,
): boolean {
  // why: the grace of both runs at once, and each deletion is judged again at its end
  if (beginsGrace(action) && later.has(id)) return false;
  if (!staying.has(id) || !staying.has(signs.container ?? id)) return false;
  return signs.container !== action.observed.id && !leaves(leaving.get(id), refs);
}

/** The kinds whose objects may stand in such a thing, or name it. */
const usedBy: Readonly<Partial<Record<Kind, readonly Kind[]>>> = {
  network: ['subnet', 'group', 'instance'],
  subnet: ['instance'],
  group: ['firewall-rule', 'instance'],
};

type ParentDelete = Extract<Action, { readonly verb: 'delete' }>;
const isParentDelete = (action: Action): action is ParentDelete =>
  action.verb === 'delete' && action.kind !== 'firewall-rule' && action.kind !== 'instance';

/** The cloud deletes the parts that it created with a network together with the network: they are no users. */
function usersByRef({ claimed }: World): ReadonlyMap<string, readonly Claimed[]> {
  // why: the first one is named as the reason, so the order must not be the cloud's
  const sorted = claimed.toSorted((a, b) => compareText(a.observed.id, b.observed.id));
  const users = sorted.filter(({ observed }) => observed.signs.origin?.why !== 'provider-default');
  return groupByMany(users, ({ observed }) => refsOf(observed.kind, observed.attributes));
}

/** An update of this very plan takes the reference away. */
const leaves = (after: readonly Ref[] | undefined, refs: readonly string[]): boolean =>
  after !== undefined && !after.some((ref) => refs.includes(ref));

/** A machine stays in its groups unless the update changes them. */
function refsAfter(action: Extract<Action, { readonly verb: 'update' }>): readonly Ref[] {
  const { kind, desired } = action;
  if (kind !== 'instance') return refsOf(kind, desired.attributes);
  const groups = membershipsAfter(action);
  return refsOf(kind, groups === undefined ? desired.attributes : { ...desired.attributes, groups });
}

/**
 * Holds back what would take traffic away, or let some through, while a wanted rule for the same traffic neither stands nor is made
 * by this plan, whatever keeps it from being made (a gap, a mode, a missing group, a full group).
 *
 *   an action                                 | is held by a missing rule that
 *   ------------------------------------------+----------------------------------------------------------------
 *   a rule goes, shrinks or comes to mean     | says the same (both allow, or both deny) of some of that traffic
 *   another                                   |
 *   a rule is made, grows or comes to mean    | says the opposite of some of that traffic, and outranks it
 *   another                                   |
 *   a rule goes, or shrinks, and a machine    | (also where it stands) says the same of a group that the machine is to
 *   stays that is to change its groups, or    | join
 *   may be, as not all machines were listed   |
 *   a machine leaves a group                  | says the same as a rule that names this group, of some of its traffic; or
 *                                             | any, while the rules that name this group were not all listed
 *
 * This holds for rules of no document too. A rule without such traffic goes at once.
 */
export function withholdUntilReplaced(
  { actions, findings }: Admitted,
  desired: readonly Desired[],
  world: World,
): Admitted {
  if (actions.length === 0) return { actions, findings };
  // why: the first is named as the reason, so the order must not be that of the input
  const wanted = desired.toSorted((a, b) => compareText(a.address, b.address));
  const missing = missingRules(actions, wanted, world);
  const staying = stayingMachines({ actions, findings }, wanted, world);
  if (missing.length === 0 && staying.length === 0) return { actions, findings };
  const around = surroundingsOf(actions, desired, world) ?? nobodyAround;
  const isWhole = gapOf(world, 'firewall-rule') === undefined && gapOf(world, 'group') === undefined;
  const machines = isWhole || missing.length === 0 ? heldMachines(actions, missing, around) : leaversAmong(actions);
  const held = new Map([
    ...heldForStaying(actions, wanted, { staying, around }),
    ...heldRules(actions, missing, around),
    ...machines,
  ]);
  if (held.size === 0) return { actions, findings };
  return {
    actions: actions.filter((action) => !held.has(action)),
    findings: [...findings, ...[...held].map(([action, why]) => withheld(action, { code: 'depends', why }, world))],
  };
}

type Rule = Desired<'firewall-rule'>;
const isRule = (one: Desired): one is Rule => one.kind === 'firewall-rule';

function missingRules(actions: readonly Action[], desired: readonly Desired[], { ours }: World): readonly Rule[] {
  const made = new Set(actions.flatMap((action) => (action.verb === 'create' ? [action.address] : [])));
  return desired.filter(isRule).filter(({ address, terms, attributes }) => {
    if (terms.presence === 'tolerated' || ours.has(address) || made.has(address)) return false;
    return terms.presence !== 'implied' || ours.has(attributes.group ?? attributes.network);
  });
}

const indexOf = (
  missing: readonly Rule[],
  around: Surroundings,
  { as, byRank }: { readonly as: 'passing' | 'either'; readonly byRank?: boolean },
): TrafficIndex =>
  trafficIndex(
    missing.flatMap(({ attributes }, at): readonly Entry[] => {
      const flow = flowOf(attributes);
      return flow === undefined ? [] : [{ at, flow, rank: byRank ? flow.rank : 0 }];
    }),
    neighboursOf(around, as),
  );

type Held = readonly (readonly [Action, string])[];

function heldRules(actions: readonly Action[], missing: readonly Rule[], around: Surroundings): Held {
  const same = indexOf(missing, around, { as: 'passing' });
  const opposite = indexOf(missing, around, { as: 'either', byRank: true });
  return ruleChanges(actions).flatMap((change): Held => {
    const action = actions[change.at];
    const absent = missing[firstOf(metBy(change, same, opposite)) ?? -1];
    if (action === undefined || absent === undefined) return [];
    return [[action, reasonFor(change, absent)]];
  });
}

function metBy({ from, to }: RuleChange, same: TrafficIndex, opposite: TrafficIndex): readonly Bundle[] {
  const replaced = from === undefined ? [] : same.meeting(from, from.action);
  if (to === undefined) return replaced;
  const above = opposite
    .meeting(to, to.action === 'allow' ? 'deny' : 'allow')
    .map((bundle) => bundle.filter(({ rank }) => rank < to.rank));
  return [...replaced, ...above];
}

/** The one with the first address. */
function firstOf(bundles: readonly Bundle[]): number | undefined {
  let first: number | undefined;
  for (const bundle of bundles) for (const { at } of bundle) if (first === undefined || at < first) first = at;
  return first;
}

function reasonFor({ as }: RuleChange, { address }: Rule): string {
  if (as === 'made' || as === 'grown') return `${address} must exist first, and does not exist yet.`;
  return `${address} must first allow or deny the same traffic, and does not exist yet. Setpoint removes nothing before.`;
}

/** A machine that is to be in other groups, while nothing of this plan puts it there. */
interface Staying extends Member {
  readonly address: Address;
  readonly joins: readonly Ref[];
}

/** None whose groups stay as they are: they are ignored, or their drift is left to people. */
function stayingMachines(
  { actions, findings }: Admitted,
  desired: readonly Desired[],
  world: World,
): readonly Staying[] {
  const moved = new Set([
    ...actions.flatMap((action) => (changesGroups(action) ? [action.address] : [])),
    ...findings.flatMap((finding) => (leavesGroups(finding) ? [finding.address] : [])),
  ]);
  const unlisted = gapOf(world, 'instance') === undefined ? undefined : unlistedMachines(world);
  return desired.flatMap((one): readonly Staying[] => {
    if (one.kind !== 'instance' || moved.has(one.address)) return [];
    const [present] = world.ours.get(one.address) ?? [];
    const before = present === undefined ? unlisted?.(one.address) : groupsOf(present.observed);
    const after = groupsOf(one);
    if (before === undefined || after === undefined) return [];
    const joins = after.filter((group) => !before.includes(group));
    if (joins.length === 0 || (present !== undefined && !changesMembership(one, present, world))) return [];
    return [{ address: one.address, before, after, joins, blocks: [] }];
  });
}

const membershipFields: readonly string[] = ['groups', 'machine.identity'];
const isMembership = (field: string): boolean => membershipFields.includes(field);

/** True where a machine is not left in the groups that it is in. */
const changesGroups = (action: Action): boolean =>
  action.kind === 'instance' && (action.verb !== 'update' || action.changes.some(({ field }) => isMembership(field)));

const leavesGroups = (finding: Finding): finding is Extract<Finding, { readonly type: 'withheld' }> =>
  finding.type === 'withheld' &&
  finding.kind === 'instance' &&
  finding.code === 'remediation' &&
  finding.remediation?.fields?.some(isMembership) === true;

const changesMembership = (desired: Desired, { observed }: Claimed, { input }: World): boolean =>
  changesOf(desired, observed, input).some(({ field }) => isMembership(field));

/**
 * The groups of a machine that was not listed, by its address: those of the specs that were applied there last; none where nobody
 * knows them; undefined where this store knows of no machine.
 */
function unlistedMachines({ input: { knowledge } }: World): (address: Address) => readonly Ref[] | undefined {
  const settled = new Set([...knowledge.settled.values()].map(({ address }) => address));
  return (address) => {
    const applied = knowledge.applied.get(address);
    if (applied !== undefined) return groupsOf(applied) ?? [];
    return knowledge.store === undefined || settled.has(address) ? [] : undefined;
  };
}

function groupsOf({ attributes }: { readonly attributes: object }): readonly Ref[] | undefined {
  // why: only called with instances
  return membershipsOf(attributes as InstanceAttributes);
}

interface Around {
  readonly staying: readonly Staying[];
  readonly around: Surroundings;
}

/** Rules that pass a staying machine's traffic in its groups stay until it has joined the groups of their wanted successors. */
function heldForStaying(actions: readonly Action[], desired: readonly Desired[], { staying, around }: Around): Held {
  if (staying.length === 0) return [];
  const joined = new Map(staying.flatMap(({ joins, address }) => joins.map((group) => [group, address] as const)));
  const successors = desired.filter(isRule).filter(({ attributes, terms }) => {
    return terms.presence !== 'tolerated' && groupsNamed(attributes).some((group) => joined.has(group));
  });
  const index = indexOf(successors, { ...around, members: [...around.members, ...staying] }, { as: 'passing' });
  return ruleChanges(actions).flatMap(({ at, from }): Held => {
    const action = actions[at];
    const successor = from && action && successors[firstOf(index.meeting(from, from.action)) ?? -1];
    if (action === undefined || successor === undefined) return [];
    const machine = groupsNamed(successor.attributes).flatMap((group) => joined.get(group) ?? [])[0];
    return [[action, `${successor.address} will replace it for ${machine}, which is not in its group yet.`]];
  });
}

/** While nobody knows all rules, one of a group that a machine leaves may carry traffic whose wanted rule is missing. */
const leaversAmong = (actions: readonly Action[]): Held =>
  actions.flatMap((action): Held => {
    const [group] = groupChangeOf(action).leaves;
    if (group === undefined) return [];
    return [[action, `It would leave ${group}, but the rules were not listed completely. It moves once they are.`]];
  });

function heldMachines(actions: readonly Action[], missing: readonly Rule[], around: Surroundings): Held {
  if (around.standing.length === 0) return [];
  const index = indexOf(missing, around, { as: 'passing' });
  const standing = groupByMany(around.standing, groupsNamed);
  const absentFor = remembered((group: Ref): number | undefined => {
    const flows = (standing.get(group) ?? []).flatMap((rule) => flowOf(rule) ?? []);
    return firstOf(flows.flatMap((flow) => index.meeting(flow, flow.action)));
  });
  return actions.flatMap((action): Held => {
    const absent = groupChangeOf(action).leaves.flatMap((group) => missing[absentFor(group) ?? -1] ?? [])[0];
    if (absent === undefined) return [];
    return [[action, `${absent.address} will replace a rule of a group that it leaves, and does not exist yet.`]];
  });
}
