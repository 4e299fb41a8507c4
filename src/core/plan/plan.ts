import type { Action, Finding, ScopePlan } from '../action.ts';
import { kindNames } from '../kinds/kinds.ts';
import type { Observation } from '../observed.ts';
import type { Address } from '../resource.ts';
import { compareText } from '../text-order.ts';
import { type Admitted, admit } from './admit.ts';
import { attribute } from './attribute.ts';
import { type Claimed, claim } from './claim.ts';
import { type Decision, decide } from './decide.ts';
import { destructiveDriftPolicy } from './destructive-drift.ts';
import { deleteAgain } from './ended.ts';
import { failedBirthsPolicy } from './failed-births.ts';
import { modePolicy, protectPolicy, storeOnlyPolicy } from './guard.ts';
import { holdUntilReplaced } from './hold.ts';
import { isUnrecorded, lostCommitsPolicy, withoutApplied } from './lost-commits.ts';
import type { PlanInput, Policy } from './plan-input.ts';
import { predictedCalls } from './predicted-calls.ts';
import { release } from './release.ts';
import { ruleQuotaPolicy } from './rule-quota.ts';
import { standingOf } from './standing.ts';
import { surroundingsOf } from './surroundings.ts';
import type { AllAtOnce } from './wave-units.ts';
import { wavePolicy } from './waves.ts';
import { wishesOf } from './wishes.ts';
import { type World, worldOf } from './world.ts';

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
 *           |                      |        | destructive-drift, what would lose data and no spec asked for
 *   yes     | twice                | us     | blocked: claimed-twice (an empty twin of a lost answer: delete)
 *   yes     | no, but an intent    | nobody | blocked: lost-commits, with the line to paste
 *           | nobody recorded      |        |
 *   yes     | once, by `adopt`     | nobody | adopt
 *   yes     | once                 | other  | blocked: owned-by
 *   no      | yes                  | us     | delete, or orphan
 *   no      | yes                  | nobody | unmanaged, with why; copied-mark; unrecorded-mark
 *   no      | yes                  | other  | nothing
 *   –       | yes, though deleted  | us     | delete again
 *   no      | no, but settled      | –      | forget
 *
 * A mark of our estate by another store stops all writing in the scope, and so does an account that is not the target's.
 */
export function plan(given: PlanInput): ScopePlan {
  const { observation } = given;
  const claimed = claim(observation.resources, given);
  const hasLost = given.knowledge.lost !== undefined || claimed.some(isUnrecorded);
  const input = hasLost ? withoutApplied(given) : given;
  const stop = stopOf(claimed, observation);
  const world = worldOf(input, claimed);
  const desired = wishesOf(world);
  const decisions = [
    ...desired.flatMap((one) => decide(one, world)),
    ...releases(desired, world),
    ...claimed.flatMap(deleteAgain),
    ...forgotten(world),
  ];
  const policies = [
    lostCommitsPolicy(claimed, given.knowledge),
    destructiveDriftPolicy(input),
    modePolicy(input),
    protectPolicy(input),
    storeOnlyPolicy(input),
    failedBirthsPolicy(input),
    ...(input.choices?.policies ?? []),
  ];
  const decided = attribute({ actions: decisions.filter(isAction), findings: decisions.filter(isFinding) }, world);
  const { actions, findings } = admitInWaves({ ...decided, desired }, policies, world);
  const ordered = stop.length > 0 ? [] : actions.toSorted(byOrder);
  const standing = stop.length > 0 ? [] : standingOf(desired, decisions, { ...world, input: given });
  const around = surroundingsOf(ordered, desired, world);
  return {
    scope: observation.scope,
    actions: ordered,
    findings: [...stop, ...gapFindings(observation), ...decided.findings, ...findings].toSorted(byText),
    calls: {
      observed: observation.calls,
      predicted: predictedCalls(ordered, input),
    },
    ...(standing.length > 0 ? { standing } : {}),
    ...(around === undefined ? {} : { around }),
  };
}

/** A rollout goes by what could be done if it had no waves. */
function admitInWaves(decided: AllAtOnce, policies: readonly Policy[], world: World): Admitted {
  const admitted = (by: readonly Policy[]): Admitted => {
    const first = admit(decided.actions, by, world);
    const quota = ruleQuotaPolicy(first.actions, world);
    const fitting = quota === undefined ? first : admit(decided.actions, [...by, quota], world);
    return holdUntilReplaced(fitting, decided.desired, world);
  };
  const { actions, findings } = admitted(policies);
  const waves = wavePolicy({ ...decided, actions, findings: [...decided.findings, ...findings] }, world);
  return waves === undefined ? { actions, findings } : admitted([...policies, waves]);
}

const isAction = (decision: Decision): decision is Action => 'verb' in decision;
const isFinding = (decision: Decision): decision is Finding => 'type' in decision;

function releases(desired: PlanInput['wanted']['desired'], world: World): readonly Decision[] {
  const wanted = new Set<Address>(desired.map(({ address }) => address));
  const adopted = new Set(desired.flatMap(({ terms }) => terms.claim?.adopt ?? []));
  return world.claimed
    .filter(({ claim: owner }) => !(owner.by === 'us' && owner.deleted))
    .filter(({ claim: owner, observed }) => !(owner.by === 'us' ? wanted.has(owner.address) : adopted.has(observed.id)))
    .flatMap((one) => release(one, world));
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

/** What forbids any write in this scope. */
function stopOf(claimed: readonly Claimed[], { gaps, scope }: Observation): readonly Finding[] {
  const wrong = gaps.find(({ code }) => code === 'wrong-account');
  if (wrong !== undefined) return [{ type: 'wrong-account', why: wrong.reason, scope }];
  const foreign = claimed.flatMap((one) =>
    one.claim.by === 'foreign-store' ? [{ store: one.claim.store, id: one.observed.id }] : [],
  );
  const [first] = foreign;
  if (first === undefined) return [];
  const why = `${first.id}${foreign.length > 1 ? ` and ${foreign.length - 1} more` : ''} carry the mark of this estate written by another store (${first.store}). Nothing is written. If that store is lost: setpoint takeover --reason "…"`;
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
