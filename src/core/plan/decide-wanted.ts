import {
  type Action,
  type Cause,
  type Decision,
  type Finding,
  type Incarnated,
  powerField,
  type Surge,
} from '../action.ts';
import type { Desired } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import { refsOf, rulesOf } from '../kinds/kinds.ts';
import { isStoppedByUs, type Knowledge } from '../knowledge.ts';
import type { Observed } from '../observed.ts';
import { type Address, type Attributes, type CloudId, prefixIn, slotOf } from '../resource.ts';
import { withoutFullStop } from '../text.ts';
import { causeOf, causeOfReturn, changesOf, lastApplied, movedBySpec } from './changes.ts';
import { type Claimed, furtherBlockFindings, isHalfMade, withWantedBlock } from './claim.ts';
import { closesTraffic } from './contested.ts';
import { keepsDataDisks } from './data-disks.ts';
import { effectHere, sortChanges } from './destructive-drift.ts';
import {
  aboutOf,
  blocked,
  immutableFindings,
  lostCommits,
  maxUnstuck,
  nameTaken,
  nonConvergent,
  ownedBy,
  successorNameTaken,
  unlaunchable,
  unlistedFindings,
  unstatedFindings,
} from './findings.ts';
import type { PlanInput } from './plan-input.ts';
import { apartByRemediation } from './remediation.ts';
import { decideSuccession, successionOf, successorNotSeen } from './succession.ts';
import { gapOf, isUnrecorded, placeOf, unknownRegionOf, type World, withAdoptedRefs } from './world.ts';

/** The decision on one desired resource: the upper half of the truth table of plan.ts. */
export function decide(desired: Desired, world: World): readonly Decision[] {
  const nowhere = unknownRegionOf(world, desired);
  if (nowhere !== undefined) return [blocked(desired, 'unknown-region', nowhere.reason, world)];
  const gap = gapOf(world, desired.kind);
  if (gap !== undefined)
    return [
      blocked(
        desired,
        'not-observed',
        `${desired.kind} could not be listed: ${withoutFullStop(gap.reason)}. Setpoint plans nothing that depends on it; run it again.`,
        world,
      ),
    ];
  const { machines, remainders } = remaindersApart(world.ours.get(desired.address) ?? [], desired);
  const decisions = decideClaimed(desired, machines, world);
  if (remainders.length === 0) return decisions;
  const [launched] = decisions.flatMap((decision) =>
    'verb' in decision && (decision.verb === 'create' || decision.verb === 'replace') ? [decision.desired] : [],
  );
  return [...decisions, ...decideRemainders(remainders, desired, launched, world)];
}

function decideClaimed(desired: Desired, claimed: readonly Claimed[], world: World): readonly Decision[] {
  const succession = successionOf(claimed, world.input.knowledge);
  if (succession !== undefined) return decideSuccession(succession, (one) => decidePresent(desired, one, world), world);
  const [present, ...twins] = claimed;
  if (twins.length > 0)
    return claimedTwice(
      desired,
      [present, ...twins].filter((one) => one !== undefined),
      world,
    );
  if (present !== undefined) return unlessUnderWay(desired, present, world);
  return decideAbsent(desired, world);
}

/** A machine whose successor nobody sees yet is not replaced once more. */
function unlessUnderWay(desired: Desired, present: Claimed, world: World): readonly Decision[] {
  const decisions = decidePresent(desired, present, world);
  if (!decisions.some((decision) => 'verb' in decision && decision.verb === 'replace')) return decisions;
  const why = successorNotSeen(desired, present, world);
  return why === undefined ? decisions : [blocked(desired, 'pending', why, world)];
}

function decidePresent(desired: Desired, { observed }: Claimed, world: World): readonly Decision[] {
  const { input } = world;
  const { knowledge } = input;
  if (isHalfMade(observed)) return decideHalfMade(desired, world);
  const changes = changesOf(desired, observed, input);
  const { going, held, blocked: fixed } = sortChanges(desired, observed, { changes, input });
  const obstacle = obstacleToReplacement(desired, observed, [...going, ...held], input);
  if (obstacle !== undefined) return [obstacle];
  const present = { desired, observed, input };
  const destructive = held.length === 0 ? undefined : changing(held, present, unaskedCause(desired, knowledge));
  const approved = destructive !== undefined && input.choices?.approved?.(destructive) ? destructive : undefined;
  const obstructed = approved === undefined ? destructive : unlessNameTaken(approved, world);
  // why: it speaks for itself while it is on its way; what else differs is seen at the next look
  if (approved !== undefined && obstructed === approved) return [approved];
  const { healed, apart } = apartByRemediation(desired, going, world);
  const waiting = apart.map((some) => changing(some, present, 'drift'));
  const named = waiting.find((action) => input.choices?.approved?.(action));
  if (named !== undefined && !isStoppedByUs(knowledge, desired.address)) return [named];
  return [
    ...furtherBlockFindings(desired, observed, input.observation.scope),
    ...unstatedFindings(desired, observed, changes, input),
    ...unlistedFindings(desired, observed, input.observation.scope),
    ...fixedFindings(desired, observed, fixed, input),
    ...(healed.length === 0 ? [] : [changingUnlessStuck(healed, present, world)]),
    ...waiting,
    ...(obstructed === undefined ? [] : [obstructed]),
  ];
}

/** A door that somebody opens again and again is closed again and again. */
function changingUnlessStuck(changes: readonly FieldChange[], present: Present, world: World): Decision {
  const { desired, input } = present;
  const action = changing(changes, present, causeOf(desired, changes, input));
  const isStuck = (input.knowledge.unstuck.get(desired.address) ?? 0) >= maxUnstuck;
  const closes = action.cause === 'drift' && closesTraffic(action);
  if (isStuck && !closes) return nonConvergent(desired, changes, input.observation.scope);
  return unlessNameTaken(action, world);
}

/**
 * Parts of a machine stand, and it does not.
 *
 *   the document      | result
 *   ------------------+-----------------------------------------------------
 *   adopts no machine | create, which takes up the parts; see `toAdopt`
 *   adopts one        | as without the parts: adopt, blocked: adopt-missing
 *
 * No machine is created by a document that could not launch one, or by a name that another machine has.
 */
function decideHalfMade(desired: Desired, world: World): readonly Decision[] {
  const adopted = toAdopt(desired, world);
  if (adopted !== undefined) return adopt(desired, adopted, world);
  const taken = nameHolder(desired, world);
  if (taken === undefined) return [launch(desired, world)];
  return [taken.claim.by === 'nobody' ? nameTaken(desired, taken, world) : ownedBy(desired, taken, world)];
}

/**
 * The id that a document adopts. None where Setpoint deleted the machine of this address for a replacement that is unfinished, unless the
 * document adopts another machine by now.
 */
function toAdopt({ terms, address }: Desired, { recreated, adopted }: World): CloudId | undefined {
  const id = terms.claim?.adopt;
  return id !== undefined && recreated.has(address) && !adopted.has(id) ? undefined : id;
}

function launch(desired: Desired, world: World): Decision {
  const { unlaunchable: reason } = desired.terms;
  if (reason === undefined) return create(desired, world);
  return blocked(desired, 'immutable', `its document cannot launch a machine: ${reason}.`, world);
}

/** The reason that a machine is not replaced now, whatever else changes; undefined where none of these changes replaces it. */
function obstacleToReplacement(
  desired: Desired,
  { condition }: Observed,
  changes: readonly FieldChange[],
  input: PlanInput,
): Finding | undefined {
  if (!changes.some((change) => effectHere(desired.kind, change, input) === 'replace')) return undefined;
  const why = 'it is still changing. Setpoint replaces nothing until it observes the result.';
  if (condition.state === 'pending') return blocked(desired, 'pending', why, { input });
  return desired.terms.unlaunchable === undefined ? undefined : unlaunchable(desired, changes, { input });
}

/** Of changes that nothing carries out: the findings of immutable fields, and one of what its data disks forbid. */
function fixedFindings(
  desired: Desired,
  observed: Observed,
  fixed: readonly FieldChange[],
  input: PlanInput,
): readonly Finding[] {
  const kept = fixed.filter((change) => effectHere(desired.kind, change, input) === 'replace');
  return [
    ...immutableFindings(
      desired,
      fixed.filter((change) => !kept.includes(change)),
      input,
    ),
    ...(kept.length === 0 ? [] : [keepsDataDisks(desired, observed, kept, input)]),
  ];
}

/** Of what no spec is known to have moved. */
const unaskedCause = (desired: Desired, knowledge: Knowledge): Cause =>
  knowledge.store !== undefined && lastApplied(desired, knowledge) !== undefined ? 'drift' : 'unknown';

interface Present {
  readonly desired: Desired;
  readonly observed: Observed;
  readonly input: PlanInput;
}

function changing(changes: readonly FieldChange[], { desired, observed, input }: Present, cause: Cause): Action {
  const about = aboutOf(desired, cause);
  const effects = new Set(changes.map((change) => effectHere(desired.kind, change, input)));
  if (effects.has('replace'))
    return {
      ...about,
      ...incarnationOf(desired, input.knowledge),
      verb: 'replace',
      observed,
      changes,
      ...succeeding(desired, observed, input),
    };
  const effect = effects.has('stops') ? 'stops' : 'in-place';
  const update = { ...about, verb: 'update', desired, observed, changes, effect } as const;
  const isMoved = movedBySpec(desired, input);
  const starts = changes.some((change) => change.field === powerField && change.to === 'running' && !isMoved(change));
  return starts && isStoppedByUs(input.knowledge, desired.address) ? { ...update, restarts: true } : update;
}

/** Without surge the machine ends first, and the cloud would refuse the new one where another machine has its name. */
function unlessNameTaken(action: Action, world: World): Decision {
  if (action.verb !== 'replace' || action.surge !== undefined) return action;
  const taken = nameHolder(action.desired, world);
  return taken === undefined ? action : successorNameTaken(action, taken, world);
}

/** The object that has the name of a machine, besides the machine itself and the parts that its launch takes up. */
function nameHolder(desired: Desired, world: World): Claimed | undefined {
  const holder = slotTaken(desired, world);
  return holder?.claim.by === 'us' && holder.claim.address === desired.address ? undefined : holder;
}

/** By surge both stand for a while: where names are unique the new machine has one of its own. */
function succeeding(
  desired: Desired,
  { id }: Observed,
  { dialect }: Pick<PlanInput, 'dialect'>,
): { readonly desired: Desired; readonly surge?: Surge } {
  if ((desired.terms.replace ?? dialect.holds.replace) !== 'surge') return { desired };
  const name = dialect.names.successor?.(desired.name, id) ?? desired.name;
  return { desired: { ...desired, name }, surge: {} };
}

function decideAbsent(desired: Desired, world: World): readonly Decision[] {
  const { terms, address } = desired;
  if (terms.presence === 'tolerated') return [];
  if (terms.presence === 'implied' && !containerStands(desired, world)) return [];
  const strayed = strayedOf(desired, world);
  if (strayed !== undefined) return [ownedBy(desired, strayed, world)];
  const adopted = toAdopt(desired, world);
  if (adopted !== undefined) return adopt(desired, adopted, world);
  const adoptedRule = world.adoptedRules.get(address);
  if (adoptedRule !== undefined) return adoptedWithContainer(desired, adoptedRule, world);
  if (world.pending.has(address))
    return [
      blocked(
        desired,
        'pending',
        'an earlier create may still appear. Setpoint looks for it and does not repeat it.',
        world,
      ),
    ];
  const unrecorded = world.unrecorded.get(address);
  if (unrecorded !== undefined) return [lostCommits(desired, unrecorded, world)];
  return decideTaken(desired, world) ?? [launch(desired, world)];
}

/** Nothing is written before its container is ours. */
function adoptedWithContainer(desired: Desired, observed: Observed, world: World): readonly Decision[] {
  const fields = changesOf(desired, observed, world.input).map(({ field }) => field);
  if (fields.length === 0) return [];
  const why = `the rule differs in ${fields.join(', ')}. Setpoint adopts its container first, and then changes the rule.`;
  return [blocked(desired, 'pending', why, world)];
}

/** An implied atom is born with its group; only a group that stands without it needs it made. */
function containerStands(desired: Desired, { ours }: World): boolean {
  return refsOf(desired.kind, desired.attributes).every((ref) => ours.has(ref) || !ref.includes('/group/'));
}

function create(desired: Desired, { input }: Pick<World, 'input'>): Action {
  const about = { ...aboutOf(desired, causeOfReturn(desired, input)), ...incarnationOf(desired, input.knowledge) };
  return { ...about, verb: 'create', desired, because: 'absent' };
}

function incarnationOf({ address }: Desired, { incarnations }: Knowledge): Incarnated {
  const incarnation = incarnations?.get(address);
  return incarnation === undefined ? {} : { incarnation };
}

function adopt(desired: Desired, id: string, world: World): readonly Decision[] {
  const found = world.byId.get(id);
  if (found === undefined || found.observed.kind !== desired.kind || isHalfMade(found.observed)) {
    return [
      blocked(
        desired,
        'adopt-missing',
        `adopt names ${id}, which is no ${desired.kind} in ${world.input.observation.scope}.`,
        world,
      ),
    ];
  }
  if (found.claim.by !== 'nobody') return [ownedBy(desired, found, world)];
  if (isUnrecorded(found)) return [lostCommits(desired, found, world)];
  const observed = withNetwork(withWantedBlock(withAdoptedRefs(found.observed, world), desired), desired);
  const changes = changesOf(desired, observed, world.input);
  // why: nothing was applied there, so whatever would lose data is not asked for
  const { held, blocked: fixed } = sortChanges(desired, observed, { changes, input: world.input });
  if (held.length + fixed.length > 0) return immutableFindings(desired, [...fixed, ...held], world.input);
  return [
    ...unlistedFindings(desired, observed, world.input.observation.scope),
    { ...aboutOf(desired, 'rollout'), verb: 'adopt', desired, observed, changes },
  ];
}

/** A group of no network, as Azure has them until they are marked, may be of any. */
function withNetwork(observed: Observed, { kind, attributes }: Desired): Observed {
  if (kind !== 'group' || !('network' in observed.attributes) || observed.attributes.network !== '') return observed;
  // why: both are groups
  const { network } = attributes as Attributes['group'];
  return { ...observed, attributes: { ...observed.attributes, network } };
}

/** Something stands where it would go. */
function decideTaken(desired: Desired, world: World): readonly Decision[] | undefined {
  const { clash } = rulesOf(desired.kind);
  const taken =
    slotTaken(desired, world) ??
    clashable(desired, world).find(({ observed, claim }) => claim.by !== 'us' && clash(desired, observed));
  if (taken === undefined) return undefined;
  return taken.claim.by === 'nobody' ? [nameTaken(desired, taken, world)] : [ownedBy(desired, taken, world)];
}

const slotTaken = ({ kind, address, name }: Desired, { indexes }: World): Claimed | undefined =>
  indexes.slots().get(slotOf(prefixIn(address, kind), kind, name));

const clashable = (desired: Desired, { indexes }: World): readonly Claimed[] =>
  indexes.clashing().get(placeOf(desired)) ?? [];

/** An empty twin of a lost answer is deleted; a person must judge all other doubles. */
function claimedTwice(desired: Desired, twins: readonly Claimed[], world: World): readonly Decision[] {
  const ids = twins
    .map(({ observed }) => observed.id)
    .sort()
    .join(', ');
  const deletions = deletableTwins(twins, world);
  if (deletions.length > 0)
    return deletions.map(({ observed }) => ({
      ...aboutOf(desired, 'drift'),
      verb: 'delete' as const,
      observed,
      because: 'twin' as const,
    }));
  return [
    blocked(
      desired,
      'duplicate-claim',
      `${ids} all carry the mark of this address. Find the one in use, remove the mark from the others, and run it again.`,
      world,
    ),
  ];
}

/**
 * A lost answer can make two networks. One is deleted only if it is explained by an intent of ours that was sent and never
 * answered, and holds nothing; the settled one stays, else the lowest id. Never an instance.
 */
function deletableTwins(twins: readonly Claimed[], { input }: World): readonly Claimed[] {
  const { settled, pending, expiredIntents = new Map() } = input.knowledge;
  const intents = new Set([...pending.map(({ intent }) => intent), ...expiredIntents.keys()]);
  const sorted = twins.toSorted((a, b) => (a.observed.id < b.observed.id ? -1 : 1));
  const keeper = sorted.find(({ observed }) => settled.has(observed.id)) ?? sorted[0];
  const others = sorted.filter((one) => one !== keeper);
  const deletable = others.every(
    ({ observed }) =>
      observed.kind === 'network' &&
      observed.condition.empty === true &&
      !settled.has(observed.id) &&
      intents.has(observed.signs.mark?.intent ?? ''),
  );
  return deletable ? others : [];
}

/** The claimed resources at one address. `remainders`: parts without their machine, except the parts of the wanted machine. */
interface Apart {
  readonly machines: readonly Claimed[];
  readonly remainders: readonly Claimed[];
}

function remaindersApart(claimed: readonly Claimed[], desired: Desired): Apart {
  const whole = claimed.filter(({ observed }) => !isHalfMade(observed));
  const toBeMade = (one: Claimed): boolean => whole.length === 0 && isNamed(one, desired);
  const remainders = claimed.filter((one) => isHalfMade(one.observed) && !toBeMade(one));
  return { machines: claimed.filter((one) => !remainders.includes(one)), remainders };
}

/** Any name fits if the cloud does not keep names unique. */
const isNamed = ({ observed: { signs } }: Claimed, { kind, address, name }: Desired): boolean =>
  signs.slot === undefined || signs.slot === slotOf(prefixIn(address, kind), kind, name);

/**
 * The decisions on the remainders of an address. `launched`: the machine that is to be launched there now, if one is.
 *
 *   remainder                                       | result
 *   ------------------------------------------------+---------------------------------
 *   of the machine that is launched now             | none: the launch takes it up
 *   of one whose launch may still be under way      | none, until that is settled
 *   of any other                                    | deleted: withdrawn
 */
function decideRemainders(
  remainders: readonly Claimed[],
  { address }: Desired,
  launched: Desired | undefined,
  { pending }: World,
): readonly Action[] {
  if (pending.has(address)) return [];
  const spare = remainders.filter((one) => launched === undefined || !isNamed(one, launched));
  return spare.map(({ observed }) => withdrawal(observed, address));
}

const withdrawal = (observed: Observed, address: Address): Action => ({
  ...{ kind: observed.kind, address, documents: [], cause: 'rollout' },
  ...{ verb: 'delete', observed, because: 'withdrawn' },
});

/**
 * The resource that exists for `desired` under a foreign mark. Either this store settled its id and somebody marked it anew,
 * or another estate has an object of the same address, as after an estate was renamed. Neither is an absence: the plan
 * must not create a second one beside it.
 */
const strayedOf = ({ address, terms }: Desired, { indexes }: World): Claimed | undefined =>
  [address, ...(terms.claim?.was ?? [])]
    .map((name) => indexes.strayed().get(name))
    .find((strayed) => strayed !== undefined);
