import { type Action, actionKey, isRestart, type Requirement, type ScopePlan } from '../core/action.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import { type Effect, effectInSteps, joinEffects } from '../core/effect/effect.ts';
import type { Guards } from '../core/guards.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Approved, AssumedApproval, Hold, PlanInput, PlanJudge, Withholding } from '../core/plan/plan-input.ts';
import { beganByPerson, type ConsentsOf, noConsents, unlessMet } from '../core/plan/required-approvals.ts';
import { type Change, changesIn } from '../core/policy/change.ts';
import { exemptionsOf, type KindRule, rulesAbout, type Violation } from '../core/policy/evaluate.ts';
import { asBefore, isExcused, whyDenied } from '../core/policy/hold.ts';
import { type BrokenRule, effectOf, type PolicyRules, policyRulesOf } from '../core/policy/rules.ts';
import { flatMapInSteps, type Steps } from '../core/steps.ts';
import type { ExpressionSubject } from '../policy/expressions.ts';
import { inTurns } from './in-turns.ts';
import { type Estate, type OpenedEstate, placedIn } from './load.ts';
import { enforcedPolicies, judgeEstate } from './policies.ts';
import { sha256 } from './sha256.ts';

/** Why a plan by other rules about changes is not carried out. */
export const judgedOtherwise: Withholding = {
  code: 'stale',
  why: 'policies about changes are others than when this was planned. Plan again.',
};

type Stated = Pick<OpenedEstate, 'tree' | 'compiled' | 'today'>;

/**
 * Judges a plan by the rules about changes of the policies in enforce mode, now and in the generation before: what they deny is withheld,
 * and what needs approvals until `consentsOf` has them. Undefined where there is no such rule.
 */
export async function changeJudge(
  estate: Stated,
  before?: Pick<Guards, 'enforced'>,
  consentsOf: ConsentsOf = noConsents,
): Promise<PlanJudge | undefined> {
  const { now, former } = enforcedPolicies(estate, before);
  const byNow = await changeRulesOf(now, estate.today);
  const byFormer = await changeRulesOf(former, estate.today);
  if (byNow === undefined && byFormer === undefined) return undefined;
  const askForEffect = [byNow, byFormer].some((rules) => rules?.askForEffect);
  const judging = (consents: ConsentsOf, isMet: Approved): PlanJudge => {
    const heldBy = (action: Action, broken: readonly BrokenBy[]): Withholding | undefined => {
      const denied = broken.find(({ rule }) => rule.effect === 'deny');
      if (denied !== undefined) return { code: 'policy', why: `${whyDenied(denied.rule)}${denied.suffix}` };
      if (broken.length === 0 || isMet(action) || beganByPerson(action)) return undefined;
      return unlessMet(broken.map(requirementOf), consents(action));
    };
    const judge = function* (plan: ScopePlan, input: PlanInput): Steps<Hold | undefined> {
      const effect = askForEffect ? yield* effectInSteps(plan, input) : undefined;
      const changes = changesOf(plan, input, { estate, effect });
      const broken = [
        ...(byNow === undefined ? [] : brokenIn(yield* byNow.brokenBy(changes))),
        ...(byFormer === undefined ? [] : brokenIn(yield* byFormer.brokenBy(changes), ` ${asBefore}`)),
      ];
      const byAction = Map.groupBy(broken, ({ action }) => actionKey(action));
      const hold: Hold = (action) => heldBy(action, byAction.get(actionKey(action)) ?? []);
      return broken.some(({ action }) => hold(action) !== undefined) ? hold : undefined;
    };
    return Object.assign(judge, {
      key: sha256(canonical([now, former, estate.today])),
      assuming: ({ approved }: AssumedApproval) => judging(consents, (action) => isMet(action) || approved(action)),
    });
  };
  return judging(consentsOf, () => false);
}

/** A rule that an action breaks. `suffix`: of the reason. */
interface BrokenBy {
  readonly action: Action;
  readonly rule: BrokenRule;
  readonly suffix: string;
}

const brokenIn = (breaking: readonly BreakingChange[], suffix = ''): readonly BrokenBy[] =>
  breaking.flatMap(({ change, rules }) =>
    change.actions.flatMap((action) =>
      rules
        .filter((rule) => rule.effect !== 'warn' && !isExcused(rule, action))
        .map((rule) => ({ action, rule, suffix })),
    ),
  );

const requirementOf = ({ rule: { policy, rule, message, failed, approvers }, suffix }: BrokenBy): Requirement => ({
  people: approvers?.people ?? 1,
  ...(approvers?.role === undefined ? {} : { role: approvers.role }),
  reason: `the rule ${rule} of the policy ${policy} ${failed === undefined ? 'asks for approval' : `has no answer for it (${failed}), so it asks for approval`} (${message})${suffix}`,
});

/** The other parts of plans: the effect on traffic, where it was asked for, and the violations of policies. */
export interface PlanMeaning {
  readonly effect?: Effect;
  readonly violations: readonly Violation[];
}

/**
 * Judges by what the plans still do: an enforced denial of a rule about changes has been withheld. Files of documents are named as from
 * where the question was asked. `looked`: in any order, with the input of each plan.
 */
export async function planMeaning(
  { estate, plans, looked }: Planned,
  { tellsEffect }: { readonly tellsEffect: boolean },
): Promise<PlanMeaning> {
  const { violations } = await judgeEstate(estate);
  const rules = await changeRulesOf(policyRulesOf(ofKind(estate.tree.documents, 'Policy')), estate.today);
  const inputs = new Map(looked.map(({ input }) => [input.observation.scope, input]));
  const effects: Effect[] = [];
  const ofChanges: Violation[] = [];
  for (const plan of plans) {
    const input = inputs.get(plan.scope);
    if (input === undefined) continue;
    const effect = tellsEffect || rules?.askForEffect ? await inTurns(effectInSteps(plan, input)) : undefined;
    if (effect !== undefined) effects.push(effect);
    if (rules === undefined) continue;
    const broken = await inTurns(rules.brokenBy(changesOf(plan, input, { estate, effect })));
    ofChanges.push(...broken.flatMap(({ change, rules: all }) => all.map((one) => violationBy(change, one))));
  }
  const placed = violations.map((one) => ({ ...one, document: placedIn(estate.dir, one.document) }));
  return { ...(tellsEffect ? { effect: joinEffects(effects) } : {}), violations: [...placed, ...ofChanges] };
}

interface Planned {
  readonly estate: Estate;
  readonly plans: readonly ScopePlan[];
  readonly looked: readonly { readonly input: PlanInput }[];
}

function violationBy(
  { view: { kind, address, owner }, targets, actions: [action] }: Change,
  rule: BrokenRule,
): Violation {
  const document = action?.documents[0] ?? { address, file: '', line: 0 };
  return { ...rule, kind, address, targets, document, ...(owner === undefined ? {} : { owner }) };
}

interface BreakingChange {
  readonly change: Change;
  readonly rules: readonly BrokenRule[];
}

interface ChangeRules {
  /** True where one of them is about the effect on traffic, which takes as long as the plan itself. */
  readonly askForEffect: boolean;
  brokenBy(changes: readonly Change[]): Steps<readonly BreakingChange[]>;
}

/** The rules of policies about a change: about an action, its plan, or its effect on traffic. Undefined where there is none. */
async function changeRulesOf(policies: readonly PolicyRules[], today: string): Promise<ChangeRules | undefined> {
  if (policies.length === 0) return undefined;
  const { concernsEffect, evaluateNow, subjectOfExpression } = await import('../policy/evaluation.ts');
  const subjectOf = (rule: KindRule): ExpressionSubject =>
    effectOf(rule.rule) === 'approval' ? 'change' : subjectOfExpression(rule);
  const kinds = [...new Set(policies.flatMap((policy) => policy.kinds))];
  const about = new Map(
    kinds.map((kind) => [kind, rulesAbout(kind, policies).filter((rule) => subjectOf(rule) !== 'resource')] as const),
  );
  const all = [...about.values()].flat();
  const ofChanges = new Map(
    [...about].map(([kind, rules]) => [kind, rules.filter((rule) => subjectOf(rule) === 'change')]),
  );
  if (all.length === 0) return undefined;
  const exemptions = exemptionsOf(policies, today);
  return {
    askForEffect: all.some(concernsEffect),
    brokenBy: (changes) =>
      flatMapInSteps(
        changes,
        (change) => {
          const rules = (choosesNoImage(change) ? ofChanges : about).get(change.view.kind) ?? [];
          const { view: resource, image } = change;
          const found = evaluateNow(rules, { resource, change: change.change, ...(image && { image }) });
          const broken = warningsOfUnasked(exemptions.brokenBy(change, rules, found), change);
          return broken.length === 0 ? [] : [{ change, rules: broken }];
        },
        changesAtOnce,
      ),
  };
}

const changesAtOnce = 50;

/** A rule that lacks the facts of an image, which the next observation reads: it denies nothing of a stored one, and warns. */
function warningsOfUnasked(broken: readonly BrokenRule[], { image }: Change): readonly BrokenRule[] {
  if (image === undefined || !('unread' in image) || image.isUnasked !== true) return broken;
  return broken.map((rule) => (rule.failed === image.unread ? { ...rule, effect: 'warn' } : rule));
}

/** A removal leaves no machine that boots from an image, nor does the stop that begins one. The start of a machine that Setpoint stopped chooses none. */
const choosesNoImage = ({ actions: [action] }: Change): boolean =>
  action !== undefined &&
  (!('desired' in action) || isRestart(action) || (action.verb === 'update' && action.retires !== undefined));

function changesOf(
  plan: ScopePlan,
  input: PlanInput,
  { estate: { tree, compiled }, effect }: { readonly estate: Stated; readonly effect: Effect | undefined },
): readonly Change[] {
  const scope = compiled.scopes.find((one) => one.scope === plan.scope);
  return scope === undefined ? [] : changesIn(plan, input, { scope, documents: tree.documents, effect });
}
