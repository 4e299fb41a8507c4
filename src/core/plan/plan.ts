import type { Action, Decision, Finding, ScopePlan, Standing } from '../action.ts';
import { type BatchLimits, pack } from '../batches.ts';
import type { Dialect } from '../compile/dialect.ts';
import type { Desired } from '../desired.ts';
import { diff } from '../diff.ts';
import { kindNames, refsOf } from '../kinds/kinds.ts';
import type { Applied, Knowledge } from '../knowledge.ts';
import type { Observation } from '../observed.ts';
import type { Address } from '../resource.ts';
import { finish, flatMapInSteps, type Steps } from '../steps.ts';
import { compareText } from '../text.ts';
import { type Admitted, admit, withholdUntilReplaced } from './admit.ts';
import { undeclaredFindings, undeclaredRule, undeclaredRules } from './adopted-groups.ts';
import { alignDesired } from './align-desired.ts';
import { type Claimed, claim, deleteAgain } from './claim.ts';
import { closesDrift, contestedHold, withFights } from './contested.ts';
import { withCriticalities } from './criticalities.ts';
import { dataDisksHold } from './data-disks.ts';
import { release } from './decide-unwanted.ts';
import { decide } from './decide-wanted.ts';
import { destructiveDriftHold } from './destructive-drift.ts';
import { attribute } from './drift-authors.ts';
import { tombstoneChanges, withdrawnHold, withGrace } from './grace.ts';
import { failedBirthsHold, modeHold, protectHold, ruleQuotaHold, storeOnlyHold } from './holds.ts';
import { ignoringUnmanaged } from './ignored.ts';
import { lostCommitsHold, withoutApplied } from './lost-commits.ts';
import type { Hold, PlanInput } from './plan-input.ts';
import { remediationHold, withRemediation } from './remediation.ts';
import { keptStopped, startFirstHold, withStarts } from './restarts.ts';
import { surroundingsOf } from './surroundings.ts';
import { type AllAtOnce, waveHold } from './waves.ts';
import { isUnrecorded, type World, worldOf } from './world.ts';

/**
 * The difference between what is wanted and what was seen in one scope, as ordered actions and findings. Pure: the same
 * input gives a byte-identical plan.
 *
 *   desired | observed             | claim  | result
 *   --------+----------------------+--------+---------------------------------------------------------------------
 *   yes     | no, written recently | –      | blocked: pending
 *   yes     | no                   | –      | create; blocked if its listing has a gap or a creation is pending
 *   yes     | no, but its name is  | nobody | blocked: name-taken, with the line to paste
 *   yes     | once                 | us     | update, replace (instances), blocked: immutable, or nothing; withheld:
 *           |                      |        | destructive-drift, what would lose data and no spec asked for; blocked: name-taken, a
 *           |                      |        | replacement without surge by a name that another machine has; withheld:
 *           |                      |        | remediation, drift that is not to be healed by itself
 *   yes     | twice                | us     | blocked: duplicate-claim (an empty twin of a lost answer: delete)
 *   yes     | no, but an intent    | nobody | blocked: lost-commits, with the line to paste
 *           | nobody recorded      |        |
 *   yes     | once, by `adopt`     | nobody | adopt
 *   yes     | once, in a container | nobody | nothing: a rule is adopted with its group or network
 *           | that is adopted      |        |
 *   yes     | once                 | other  | blocked: owned-by
 *   no      | yes                  | us     | delete, or orphan; a rule in an adopted group: see adopted-groups.ts
 *           |                      |        | (in an unattended plan after its grace: see grace.ts)
 *   no      | yes                  | nobody | unmanaged, with why, or nothing: see ignored.ts; copied-mark;
 *           |                      |        | unrecorded-mark
 *   no      | yes                  | other  | nothing
 *   –       | yes, though deleted  | us     | delete again
 *   no      | no, but settled      | –      | forget
 *
 * A mark of our estate by another store stops all writing in the scope, and so does an account that is not the target's.
 */
export const plan = (given: PlanInput): ScopePlan => finish(planInSteps(given));

/**
 * The same, in steps. Where a judge denies actions, it plans again without them until the judge denies none: what is withheld may make
 * room for others. Each round withholds at least one action, so it ends.
 */
export function* planInSteps(given: PlanInput): Steps<ScopePlan> {
  const { choices = {} } = given;
  const { judge, holds = [] } = choices;
  let planned = yield* planUnjudged(given);
  if (judge === undefined) return planned;
  const denied: Hold[] = [];
  for (;;) {
    yield;
    const more = yield* judge(planned, given);
    if (more === undefined) return planned;
    denied.push(more);
    planned = yield* planUnjudged({ ...given, choices: { ...choices, holds: [...holds, ...denied] } });
  }
}

function* planUnjudged(given: PlanInput): Steps<ScopePlan> {
  const { observation } = given;
  const claimed = claim(observation.resources, given);
  const hasLost = given.knowledge.lost !== undefined || claimed.some(isUnrecorded);
  const input = hasLost ? withoutApplied(given) : given;
  const stop = stopOf(claimed, observation);
  const world = worldOf(input, claimed);
  const desired = alignDesired(world);
  yield;
  const undeclared = undeclaredRules(desired, world);
  const decided = [
    ...(yield* flatMapInSteps(desired, (one) => decide(one, world))),
    ...releases(desired, undeclared, world),
    ...undeclaredFindings(desired, undeclared, world),
    ...claimed.flatMap(deleteAgain),
    ...forgotten(world),
  ];
  const decisions = withGrace(decided, world);
  const planned = decisions.filter(isAction);
  const closes = closesDrift(planned);
  const holds = [
    lostCommitsHold(claimed, given.knowledge),
    destructiveDriftHold(input),
    dataDisksHold,
    remediationHold(input),
    withdrawnHold(input),
    modeHold(input),
    protectHold(input),
    storeOnlyHold(input),
    failedBirthsHold(input),
    contestedHold(input, closes),
    startFirstHold(desired, world),
    ...(input.choices?.holds ?? []),
  ];
  yield;
  const all = attribute({ actions: planned, findings: decisions.filter(isFinding) }, world);
  const shown = all.actions.map((action) => withFights(withRemediation(action, world), input, closes));
  const admitted = yield* admitInWaves({ ...all, actions: shown, desired }, holds, world);
  const { actions, findings } = withStarts(admitted, desired, { holds, world });
  const ordered = stop.length > 0 ? [] : actions.toSorted(byOrder);
  const settling = [...decisions.filter(isFinding), ...shown.filter((action) => !isLeftDrift(action)), ...ordered];
  const standing = stop.length > 0 ? [] : standingOf(desired, settling, { ...world, input: given });
  yield;
  const around = surroundingsOf(ordered, desired, world);
  const tombstones = stop.length > 0 ? undefined : tombstoneChanges(decisions, world);
  const stopped = stop.length > 0 ? undefined : keptStopped(desired, world);
  const every = [...stop, ...gapFindings(observation), ...all.findings, ...findings].toSorted(byText);
  return {
    scope: observation.scope,
    ...withCriticalities({ actions: ordered, findings: every }, world),
    calls: {
      observed: observation.calls,
      predicted: predictedCalls(ordered, input),
    },
    ...(standing.length > 0 ? { standing } : {}),
    ...(tombstones === undefined ? {} : { tombstones }),
    ...(stopped === undefined ? {} : { keptStopped: stopped }),
    ...(around === undefined ? {} : { around }),
  };
}

/** A rollout goes by what could be done if it had no waves. */
function* admitInWaves(decided: AllAtOnce, holds: readonly Hold[], world: World): Steps<Admitted> {
  function* admitted(by: readonly Hold[]): Steps<Admitted> {
    yield;
    const first = admit(decided.actions, by, world);
    const quota = ruleQuotaHold(first.actions, world);
    const fitting = quota === undefined ? first : admit(decided.actions, [...by, quota], world);
    yield;
    return withholdUntilReplaced(fitting, decided.desired, world);
  }
  const { actions, findings } = yield* admitted(holds);
  const waves = waveHold({ ...decided, actions, findings: [...decided.findings, ...findings] }, world);
  return waves === undefined ? { actions, findings } : yield* admitted([...holds, waves]);
}

const isAction = (decision: Decision): decision is Action => 'verb' in decision;
const isFinding = (decision: Decision): decision is Finding => 'type' in decision;

function releases(
  desired: PlanInput['wanted']['desired'],
  undeclared: ReturnType<typeof undeclaredRules>,
  world: World,
): readonly Decision[] {
  const wanted = new Set<Address>(desired.map(({ address }) => address));
  const adopted = new Set([
    ...desired.flatMap(({ terms }) => terms.claim?.adopt ?? []),
    ...[...world.adoptedRules].flatMap(([address, { id }]) => (wanted.has(address) ? [id] : [])),
  ]);
  const held = new Set([...undeclared.values()].flat());
  const isUndeclared = (one: Claimed): boolean => one.claim.by === 'us' && held.has(one);
  const ignored = ignoringUnmanaged(world);
  return world.claimed
    .filter(({ claim: owner }) => !(owner.by === 'us' && owner.deleted))
    .filter((one) => ignored(one) === undefined)
    .filter(({ claim: owner, observed }) => !(owner.by === 'us' ? wanted.has(owner.address) : adopted.has(observed.id)))
    .flatMap((one) => (isUndeclared(one) ? [undeclaredRule(one, world)] : release(one, world)));
}

/** Settled ids that are proven gone: the store lets them go. */
function forgotten({ input, byId }: World): readonly Action[] {
  const pending = new Set(input.observation.pending);
  const gaps = new Set(input.observation.gaps.map(({ kind }) => kind));
  // why: a rule is listed, and claimed by nobody, while its container is not seen
  const listed = new Set(
    input.observation.resources.flatMap(({ id, signs }) => (signs.container === undefined ? [] : [id])),
  );
  return [...input.knowledge.settled].flatMap(([id, { address, kind }]): readonly Action[] => {
    if (
      byId.has(id) ||
      listed.has(id) ||
      pending.has(id) ||
      gaps.has(kind) ||
      (kind === 'firewall-rule' && gaps.has('group'))
    )
      return [];
    return [{ verb: 'forget', kind, address, documents: [], cause: 'drift', id, because: 'gone' }];
  });
}

/** The finding that forbids any write in this scope. */
function stopOf(claimed: readonly Claimed[], { gaps, scope }: Observation): readonly Finding[] {
  const wrong = gaps.find(({ code }) => code === 'wrong-account');
  if (wrong !== undefined) return [{ type: 'wrong-account', why: wrong.reason, scope }];
  const foreign = claimed.flatMap((one) =>
    one.claim.by === 'foreign-store' ? [{ store: one.claim.store, id: one.observed.id }] : [],
  );
  const [first] = foreign;
  if (first === undefined) return [];
  const why = `${first.id}${foreign.length > 1 ? ` and ${foreign.length - 1} more carry` : ' carries'} the mark of this estate written by another store (${first.store}). Nothing is written. If that store is lost: setpoint takeover --reason "…"`;
  return [{ type: 'foreign-store', why, scope }];
}

type Incomplete = Extract<Finding, { readonly type: 'incomplete' }>;

/** Without the kind that it was told of. */
export const reasonOfGap = ({ kind, why }: Incomplete): string =>
  why.slice(`${kind} was not listed completely: `.length);

const gapFindings = ({ gaps, scope }: Observation): readonly Finding[] =>
  gaps.map(({ kind, code, reason }) => ({
    type: 'incomplete',
    kind,
    code,
    why: `${kind} was not listed completely: ${reason}`,
    scope,
  }));

/** Made from parents to children, removed from children to parents; ties by address and id. */
function byOrder(a: Action, b: Action): number {
  return rank(a) - rank(b) || compareText(a.address, b.address) || compareText(idOf(a), idOf(b));
}

function rank({ verb, kind }: Action): number {
  const tier = kindNames.indexOf(kind);
  return verb === 'delete' || verb === 'forget' ? 100 - tier : tier;
}

function idOf(action: Action): string {
  if (action.verb === 'create') return '';
  return action.verb === 'forget' ? action.id : action.observed.id;
}

function keyOf(finding: Finding): string {
  const subject =
    'address' in finding
      ? finding.address
      : `${'kind' in finding ? finding.kind : ''} ${'id' in finding ? finding.id : ''}`;
  return `${finding.type} ${subject} ${finding.why}`;
}
const byText = (a: Finding, b: Finding): number => compareText(keyOf(a), keyOf(b));

/**
 * The resources in sync for which the store knows another state as applied, or none: a person was faster, or it was taken
 * over. No call is sent for them, and yet from now on every diff there is drift.
 */
function standingOf(
  desired: readonly Desired[],
  decisions: readonly Decision[],
  { input: { knowledge }, ours }: World,
): readonly Standing[] {
  if (knowledge.store === undefined) return [];
  const busy = busyAddresses(decisions, knowledge);
  const standing = desired.flatMap((one): readonly Standing[] => {
    const { address, attributes, terms } = one;
    const [present] = ours.get(address) ?? [];
    if (present === undefined || busy.has(address)) return [];
    if ((terms.presence ?? 'stated') !== 'stated' || present.observed.condition.state !== 'ready') return [];
    const documents = one.documents.map((document) => document.address).toSorted();
    const applied = knowledge.applied.get(address);
    if (applied !== undefined && isSame(applied, { attributes, documents })) return [];
    return [{ id: present.observed.id, address, attributes, documents }];
  });
  return standing.toSorted((a, b) => compareText(a.address, b.address));
}

/** Drift that is not healed by itself keeps nobody from recording what a spec states besides. */
const isLeftDrift = ({ verb, remediation }: Action): boolean => verb === 'update' && remediation !== undefined;

function busyAddresses(decisions: readonly Decision[], { pending }: Knowledge): ReadonlySet<string> {
  const decided = decisions.flatMap((decision) => ('address' in decision ? [decision.address] : []));
  return new Set([...decided, ...pending.map(({ address }) => address)]);
}

/** True where both state the same. */
const isSame = (applied: Applied, now: Pick<Standing, 'attributes' | 'documents'>): boolean =>
  diff(now.attributes, applied.attributes).length === 0 &&
  diff(applied.attributes, now.attributes).length === 0 &&
  now.documents.join('\n') === (applied.documents ?? []).toSorted().join('\n');

/**
 * Requests that change something and that carrying these out takes, if nothing is refused and each listing shows what was written.
 * A forget takes none. A dialect that does not say it takes one call a batch.
 */
export function predictedCalls(
  ordered: readonly Action[],
  { batches = {}, dialect }: { readonly batches?: BatchLimits; readonly dialect?: Pick<Dialect, 'writes'> } = {},
): number {
  const made = new Map(ordered.flatMap(({ verb, kind, address }, at) => (isPlace(verb, kind) ? [[address, at]] : [])));
  return [...Map.groupBy(ordered, (action) => awaited(action, made)).values()]
    .flatMap((together) => pack(together, batches))
    .filter(({ verb }) => verb !== 'forget')
    .reduce((sum, batch) => sum + (dialect?.writes?.(batch) ?? 1), 0);
}

const isPlace = (verb: Action['verb'], kind: Action['kind']): boolean =>
  verb === 'create' && (kind === 'network' || kind === 'group');

/** The last thing that a new rule waits for: it leaves once that stands, and groups come to stand one after another. */
function awaited(action: Action, made: ReadonlyMap<Address, number>): number {
  if (action.verb !== 'create' || action.kind !== 'firewall-rule' || made.size === 0) return -1;
  return Math.max(-1, ...refsOf(action.kind, action.desired.attributes).map((ref) => made.get(ref) ?? -1));
}
