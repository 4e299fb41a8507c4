import {
  type Action,
  actionKey,
  type DriftPart,
  driftPartOf,
  type Finding,
  isDestructive,
  type ScopePlan,
  type WithheldFinding,
  type WithholdCode,
  withheldKey,
} from '../core/action.ts';
import { actionDigest, planDigest } from '../core/digest.ts';
import type { Choices, Hold, PlanInput, StoppedWaves } from '../core/plan/plan-input.ts';
import { consentsBy, unmetBy } from '../core/plan/required-approvals.ts';
import { boundedIn } from '../core/plan/tally.ts';
import type { Address, ScopeKey } from '../core/resource.ts';
import { heldByCalendars } from '../estate/active-spec.ts';
import { breakGlassNote } from '../estate/approvals.ts';
import { inTurns } from '../estate/in-turns.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Approval, ApprovalDraft, Approver, By } from '../ports/fleet-state.ts';
import {
  type Approvable,
  type ApprovalAnswers,
  type ApprovalWord,
  Declined,
  type Given,
  type OfferAsked,
  type Offered,
  type PauseAsked,
  type Planned,
  type RefusedPlan,
  type RequiredApproval,
  type Withdrawn,
} from '../ports/queries.ts';
import type { Store } from '../ports/store.ts';
import { openActiveSpec, type QueryContext } from './active-estate.ts';
import { authorshipOf } from './authorship.ts';
import { type EstateView, namedFromHere, planAgain, type StoredEstateView } from './estate-view.ts';
import { hasScope } from './pauses.ts';
import { rememberedMeaning } from './plan-meaning.ts';
import type { PreviewContext } from './preview.ts';
import { digestsIn, recordRefusals, refusalsOf, shownRefusals } from './refusals.ts';
import { callsOnTheWay, requestReconciles } from './requests.ts';
import { seenOf, seesWholeScope } from './visible-plans.ts';

export function approvalsOn(planning: PreviewContext): ApprovalAnswers {
  const withMeaning = rememberedMeaning(planning);
  return {
    offer: (asked) =>
      planning.line(async () => {
        const survey = await planning.survey(asked);
        return aboutActions(await withMeaning(await offerIn(survey, asked), { survey, asked }));
      }),
    give: (asked) => planning.line(() => give(asked, planning)),
    withdraw: (asked, seq, by) => withdrawAsked(asked, { seq, by }, planning),
    refuse: (asked) => planning.line(() => refuse(asked, planning)),
  };
}

/** With the violations of policies at the pending actions only. */
function aboutActions({ violations = [], ...offered }: Offered): Offered {
  const about = new Set(offered.plans.flatMap(({ actions }) => actions.flatMap(addressesOf)));
  const here = violations.filter(({ address, document }) => about.has(address) || about.has(document.address));
  return { ...offered, ...(here.length === 0 ? {} : { violations: here }) };
}

const addressesOf = ({ address, documents }: Action): readonly Address[] => [
  address,
  ...documents.map((document) => document.address),
];

/** The pending approvals that the caller may approve: all owners of an action must lie within the caller's bounds. */
async function offerIn(survey: StoredEstateView, asked: OfferAsked): Promise<Offered> {
  const { store, estate } = survey;
  const said = await saidOf(survey);
  const { plans, going, required } = await approvableIn(survey, said, asked);
  const sight = { ...asked, quantity: 'every' } as const;
  const shown = seenOf(survey, plans, sight);
  const generation = survey.bound.generation ?? 0;
  const waiting = { estate: estate.name, generation, plans: shown.plans.filter(({ actions }) => actions.length > 0) };
  const mine = new Set(digestsIn(shown.plans));
  const needed = required.filter(({ digest }) => mine.has(digest));
  const { refusals, truncated } = await refusalsOf(estate.name, { actions: mine, required: needed }, store);
  // why: an approval shows everything in its scope, of any owner
  const whole = survey.looked.filter((view) => seesWholeScope(view, asked)).map((view) => view.scope.scope);
  return {
    ...shown,
    required: needed,
    digest: planDigest(shown.plans, sha256),
    generation,
    free: seenOf(survey, going, sight).plans.flatMap(({ actions }) => actions).length,
    authors: await authorshipOf(waiting, asked.by, store),
    refusals: shownRefusals(refusals, (scope) => whole.includes(scope)),
    refusalsTruncated: truncated,
    given: whole.flatMap((scope) => said.get(scope)?.approvals ?? []),
  };
}

/** The digests of the actions that lie wholly within the bounds of each of the approver's roles. */
function rolesFor(
  { plans }: Planned,
  { estate, roles }: OfferAsked & ApprovalWord,
  survey: StoredEstateView,
): Approver['roles'] {
  const held = Object.entries(roles).flatMap(([role, seen]) => {
    const within = survey.looked.map(({ scope: { scope } }) => plans.find((plan) => plan.scope === scope));
    const all = within.map((plan, at) => plan ?? { ...emptyPlan, scope: survey.looked[at]?.scope.scope ?? '' });
    const digests = digestsIn(seenOf(survey, all, { estate, seen, quantity: 'every' }).plans);
    return digests.length === 0 ? [] : [[role, digests] as const];
  });
  return Object.fromEntries(held);
}

const emptyPlan = { actions: [], findings: [], calls: { predicted: 0 } };

async function give(asked: OfferAsked & ApprovalWord, planning: PreviewContext): Promise<Given> {
  const survey = await planning.survey(asked);
  refuseUnseen(seenOf(survey, survey.plans, asked));
  const offered = await offerIn(survey, asked);
  const { plans, digest, generation, authors } = offered;
  refuseMoved(offered, asked.digest);
  if (authors.refused !== undefined) throw new Declined('forbidden', authors.refused);
  const { person } = asked.by;
  const { reason, until } = asked;
  const by = { person, reason, ...(authors.unknown ? { authorsUnknown: true as const } : {}) };
  const { store } = planning;
  const approver = { names: asked.by.names, roles: rolesFor(offered, asked, survey) };
  const word = { estate: asked.estate, plans, digest, generation, by, until, approver };
  const given = await giveApproval({ ...word, ...(await brokenBy(asked, survey, plans)) }, store);
  const scopes = given.map(({ scope }) => scope);
  await requestReconciles({ name: asked.estate }, scopes, { store, reason: `${person} approved: ${reason}` });
  return { generation, digest, authors, given, missing: await stillMissing(asked.estate, offered, store) };
}

/** A decision is bound to the digest that its person saw. */
function refuseMoved({ digest, generation }: Pick<Offered, 'digest' | 'generation'>, asked: string): void {
  if (digest === asked) return;
  throw new Declined(
    'conflict',
    'The pending actions have another digest now. Review them with GET /v1/approvals, and send that digest.',
    { digest, generation },
  );
}

/** Everybody who may approve may refuse: also an author, and also after an incomplete observation. */
async function refuse(
  asked: OfferAsked & Pick<ApprovalWord, 'digest' | 'reason'>,
  planning: PreviewContext,
): Promise<RefusedPlan> {
  const { plans, digest, generation } = await offerIn(await planning.survey(asked), asked);
  refuseMoved({ digest, generation }, asked.digest);
  const by = { person: asked.by.person, reason: asked.reason };
  const refusals = await recordRefusals({ estate: asked.estate, plans, generation, digest, by }, planning.store);
  if (refusals === undefined)
    throw new Declined('conflict', 'Nothing was refused: other specs were activated. Review GET /v1/approvals again.');
  return { generation, digest, refusals };
}

/** The windows and freezes that a break-glass approval lets actions pass. */
export async function brokenBy(
  { breakGlass = false }: OfferChoice,
  { estate, store }: StoredEstateView,
  plans: readonly ScopePlan[],
): Promise<Pick<NewApproval, 'passed'>> {
  if (!breakGlass) return {};
  const actions = plans.flatMap((plan) => plan.actions);
  return { passed: [...new Set((await heldByCalendars(estate, store, actions)).values())] };
}

async function stillMissing(
  estate: string,
  { plans, required }: Pick<Offered, 'plans' | 'required'>,
  { fleet }: Pick<Store, 'fleet'>,
): Promise<readonly RequiredApproval[]> {
  if (required.length === 0) return [];
  const consentsOf = consentsBy(await fleet.approvals.activeIn(estate), sha256);
  const actions = new Map(
    plans.flatMap((plan) => plan.actions.map((action) => [actionDigest(action, sha256), action] as const)),
  );
  return required.flatMap((one) => {
    const action = actions.get(one.digest);
    return action === undefined ? [] : unmetBy([one], consentsOf(action)).map(({ by }) => ({ ...one, by }));
  });
}

/** An approval is bound to what was seen. */
function refuseUnseen({ plans }: Planned): void {
  const reasons = plans.flatMap(({ findings }) =>
    findings.filter(({ type }) => unseen.has(type)).map(({ why }) => why),
  );
  if (reasons.length > 0)
    throw new Declined('conflict', 'An incomplete observation allows no approval: see `reasons`.', { reasons });
}

const unseen: ReadonlySet<string> = new Set(['incomplete', 'wrong-account', 'foreign-store']);

/** A new approval. `generation`: the newest; an approval of another generation approves nothing. */
export interface NewApproval
  extends Pick<ApprovalDraft, 'estate' | 'generation' | 'digest' | 'by' | 'until' | 'approver'> {
  /** The actions of each are what is let pass. */
  readonly plans: readonly ScopePlan[];
  /** By break-glass: the windows and freezes that hold them now; absent: it passes none. */
  readonly passed?: readonly string[];
}

/** One approval for each scope where something waits. Break-glass has an entry of its own in the ledger, before them. */
export async function giveApproval(
  { plans, passed, ...approval }: NewApproval,
  { fleet, ledger }: Pick<Store, 'fleet' | 'ledger'>,
): Promise<readonly Approval[]> {
  const given: Approval[] = [];
  const { estate, generation, digest, by } = approval;
  const all = plans.flatMap(({ actions }) => actions);
  if (passed !== undefined && all.length > 0) {
    const note = breakGlassNote({ ...by, generation, plan: digest, actions: all, passed });
    await ledger.note(estate, { breakGlass: { ...note, approval: true } });
  }
  const word = { ...approval, ...(passed === undefined ? {} : { breakGlass: true as const }) };
  for (const { scope, actions } of plans) {
    if (actions.length === 0) continue;
    const digests = actions.map((action) => actionDigest(action, sha256));
    given.push(await fleet.approvals.give({ ...word, scope, actions: digests, ...boundedIn(actions) }));
  }
  return given;
}

interface Withdrawal {
  readonly seq: number;
  readonly by: By;
}

/** By anybody who may open the store. Undefined: none with this entry is active, or let a deletion begin its grace. */
export async function withdrawApproval(
  estate: string,
  { seq, by }: Withdrawal,
  store: Store,
): Promise<Withdrawn | undefined> {
  const approval = await store.fleet.approvals.withdraw(estate, seq, by);
  if (approval === undefined) return undefined;
  const reason = `${by.person} withdrew an approval: ${by.reason}`;
  await requestReconciles({ name: estate }, [approval.scope], { store, reason });
  return { approval, onTheWay: (await callsOnTheWay(estate, [approval.scope], store)).length };
}

/**
 * Over the API: an approval lets changes of all owners pass, so it is withdrawn by whoever may approve in all of its scope, or by
 * the person who gave it.
 */
async function withdrawAsked(
  asked: PauseAsked,
  { seq, by }: Withdrawal,
  grounds: Pick<QueryContext, 'store' | 'open'>,
): Promise<Withdrawn> {
  const { store } = grounds;
  const { estate } = await openActiveSpec(asked.estate, grounds);
  const { approvals } = store.fleet;
  const standing = [...(await approvals.given(asked.estate)), ...(await approvals.ofTombstones(asked.estate))];
  const approval = standing.find((one) => one.seq === seq);
  if (approval === undefined) throw unknown();
  const isTheirs = approval.by.person === by.person || hasScope(asked.mine, approval.scope, estate);
  if (!isTheirs && !hasScope(asked.seen, approval.scope, estate)) throw unknown();
  if (!isTheirs)
    throw new Declined('forbidden', 'You need the permission approve for the whole scope.', {
      permission: 'approve',
    });
  const withdrawn = await withdrawApproval(asked.estate, { seq, by }, store);
  if (withdrawn === undefined) throw unknown();
  return withdrawn;
}

const unknown = (): Declined => new Declined('unknown', 'It does not exist, or your grants do not cover it.');

/** Earlier decisions of people on a scope: active approvals, and rollouts that stopped and nobody resumed. */
interface Said {
  readonly approvals: readonly Approval[];
  readonly stopped: readonly StoppedWaves[];
}

export async function saidOf({ looked, estate, store }: EstateView & { readonly store: Store }): Promise<SaidOf> {
  const { approvals, rollouts } = store.fleet;
  const said = looked.map(async ({ scope: { scope } }) => {
    const where = { estate: estate.name, scope };
    const of: Said = { approvals: await approvals.active(where), stopped: await rollouts.stopped(where) };
    return [scope, of] as const;
  });
  return new Map(await Promise.all(said));
}

type SaidOf = ReadonlyMap<ScopeKey, Said>;

/** `going`: those changes, of each scope. */
interface ApprovableAndGoing extends Approvable {
  readonly going: readonly ScopePlan[];
}

/** `address`, or its end: offers only the actions there. `breakGlass`: offers changes that windows and freezes hold, too. */
type OfferChoice = Pick<OfferAsked, 'address' | 'breakGlass'>;

/**
 * Plans as a worker would, and finds the actions that an approval would release. Approved actions count against the limits with
 * all others, so others may exceed a limit only then: it repeats until there are none. An approval also covers actions that a
 * pause, a wave or a missing reference holds: they run when that ends. It does not cover those that `observe` or `protect`
 * hold. An action that would lose data, although no spec asked for it, and drift whose remediation is `report`, are offered only to a
 * caller who names it. What needs further approvals is offered until it has them all.
 */
export async function approvableIn(
  survey: EstateView,
  said: SaidOf,
  choice: OfferChoice = {},
): Promise<ApprovableAndGoing> {
  const before = [...said.values()].flatMap(({ approvals }) => approvals.flatMap(({ actions }) => actions));
  const digests = new Set(before);
  const lifted = new Map<string, Lifted>();
  for (;;) {
    const seen = new Map<ScopeKey, Seen>();
    const judged = { digests, lifted, seen, said, breakGlass: choice.breakGlass === true };
    const plans = await planAgain(survey, (input) => asWorker(input, judged));
    // why: policies judge only what is planned, and people approve before a window opens
    const inTime = isHeldByTime(survey, plans)
      ? await planAgain(survey, (input) => regardlessOfTime(input, judged))
      : [];
    const withheld = [...plans, ...inTime].flatMap((plan) => withheldIn(plan, seen, choice));
    const more = withheld.filter(({ digest }) => !lifted.has(digest));
    if (more.length === 0)
      return approvable(survey, { plans, judged: inTime.length === 0 ? plans : inTime }, [...lifted.values()]);
    for (const one of more) {
      digests.add(one.digest);
      lifted.set(one.digest, one);
    }
  }
}

/** True where a rule about changes may not have judged an action, as a hold that ends by itself withholds it. */
const isHeldByTime = ({ looked }: EstateView, plans: readonly ScopePlan[]): boolean =>
  looked.some(({ input }) => input.choices?.judge !== undefined) &&
  plans.some(({ findings }) => findings.some((found) => isWithheld(found) && endsByItself.has(found.code)));

const endsByItself: ReadonlySet<WithholdCode> = new Set(['paused', 'window', 'freeze', 'wave', 'rollout-stopped']);

function regardlessOfTime(input: PlanInput, judged: JudgedApproval): Choices {
  const choices = asWorker(input, judged);
  const { holds = [] } = choices;
  const lasting = holds.map(
    (hold): Hold =>
      (action) => {
        const reason = hold(action);
        return reason !== undefined && endsByItself.has(reason.code) ? undefined : reason;
      },
  );
  return { ...choices, holds: lasting, stopped: [], atOnce: true };
}

interface Lifted {
  readonly scope: ScopeKey;
  readonly action: Action;
  readonly digest: string;
}

/** The actions before anything was withheld, by their keys. */
type Seen = Map<string, Action[]>;

interface JudgedApproval {
  readonly digests: ReadonlySet<string>;
  readonly lifted: ReadonlyMap<string, Lifted>;
  readonly seen: Map<ScopeKey, Seen>;
  readonly said: SaidOf;
  readonly breakGlass: boolean;
}

function asWorker(
  { observation: { scope }, choices = {} }: PlanInput,
  { digests, lifted, seen, said, breakGlass }: JudgedApproval,
): Choices {
  const here: Seen = new Map();
  seen.set(scope, here);
  const assumed = { approved: (action: Action) => lifted.has(actionDigest(action, sha256)), breakGlass };
  const { holds = [], judge } = choices;
  return {
    ...choices,
    unattended: true,
    approved: (action) => digests.has(actionDigest(action, sha256)),
    stopped: said.get(scope)?.stopped ?? [],
    holds: [noting(here), ...holds.map((hold) => hold.assuming?.(assumed) ?? hold)],
    ...(judge === undefined ? {} : { judge: judge.assuming?.(assumed) ?? judge }),
  };
}

const noting =
  (seen: Seen): Hold =>
  (action) => {
    const key = actionKey(action);
    seen.set(key, [...(seen.get(key) ?? []), action]);
    return undefined;
  };

const withheldIn = (
  { scope, findings }: ScopePlan,
  seen: ReadonlyMap<ScopeKey, Seen>,
  { address: named, breakGlass = false }: OfferChoice,
): readonly Lifted[] =>
  findings.filter(isWithheld).flatMap((found) => {
    const isNamed = named !== undefined && (found.address === named || found.address.endsWith(`/${named}`));
    const isLifted = lifts.has(found.code) || (breakGlass && liftsBroken.has(found.code));
    if (named === undefined ? !isLifted : !(isNamed && (isLifted || liftsNamed.has(found.code)))) return [];
    const actions = seen.get(scope)?.get(withheldKey(found)) ?? [];
    return actions
      .filter((action) => found.code !== 'destructive-drift' || isDestructive(action))
      .filter((action) => named !== undefined || !namedOnly.has(driftPartOf(action)))
      .map((action) => ({ scope, action, digest: actionDigest(action, sha256) }));
  });

/** Parts of drift that wait for another approval, or for their time. */
const namedOnly: ReadonlySet<DriftPart | undefined> = new Set(['report', 'contested', 'destructive']);

const lifts: ReadonlySet<WithholdCode> = new Set(['mode', 'limit', 'remediation', 'approvals']);
const liftsNamed: ReadonlySet<WithholdCode> = new Set(['destructive-drift', 'contested']);
const liftsBroken: ReadonlySet<WithholdCode> = new Set(['window', 'freeze']);
/** Stay whatever is approved: of `mode` what is left is `observe`. */
const stays: ReadonlySet<WithholdCode> = new Set([
  'mode',
  'protect',
  'retain',
  'adopted-in-store-only',
  'data-disks',
  'policy',
]);

const isWithheld = (found: Finding): found is WithheldFinding => found.type === 'withheld';

async function approvable(
  { estate, looked }: EstateView,
  { plans, judged }: { readonly plans: readonly ScopePlan[]; readonly judged: readonly ScopePlan[] },
  lifted: readonly Lifted[],
): Promise<ApprovableAndGoing> {
  const digests = new Set(lifted.map(({ digest }) => digest));
  const isFree = (action: Action): boolean => action.verb !== 'forget' && !digests.has(actionDigest(action, sha256));
  const going = plans.map((plan) => ({ ...plan, actions: plan.actions.filter(isFree) }));
  const offered = plans.map((plan) => {
    const held = new Set(
      plan.findings.flatMap((found) => (isWithheld(found) && stays.has(found.code) ? [withheldKey(found)] : [])),
    );
    const actions = lifted
      .filter(({ scope, action }) => scope === plan.scope && !held.has(actionKey(action)))
      .map(({ action }) => action);
    return namedFromHere({ ...plan, actions, findings: plan.findings.filter(isWithheld) }, estate.dir);
  });
  const required: RequiredApproval[] = [];
  for (const [at, view] of looked.entries()) {
    const [plan, offer] = [judged[at], offered[at]];
    if (plan === undefined || offer === undefined) continue;
    required.push(...(await requiredIn({ plan, actions: offer.actions, input: view.input }, view.input.choices)));
  }
  return { plans: offered, free: going.flatMap(({ actions }) => actions).length, going, required };
}

interface RequiredOf {
  readonly plan: ScopePlan;
  readonly actions: readonly Action[];
  readonly input: PlanInput;
}

/** The unmet requirements of these actions of a plan, judged together. */
export async function requiredIn(
  { plan, actions, input }: RequiredOf,
  { holds = [], judge }: Pick<Choices, 'holds' | 'judge'> = {},
): Promise<readonly RequiredApproval[]> {
  if (actions.length === 0) return [];
  const judged = judge === undefined ? undefined : await inTurns(judge(plan, input));
  const asking = [...holds.filter((hold) => hold.assuming !== undefined), ...(judged === undefined ? [] : [judged])];
  return actions.flatMap((action) => {
    const { address, verb } = action;
    const digest = actionDigest(action, sha256);
    const unmet = asking.flatMap((hold) => hold(action)?.requirements ?? []);
    return unmet.map((one) => ({ address, verb, digest, ...one }));
  });
}
