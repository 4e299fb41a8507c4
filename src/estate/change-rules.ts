import type { Action, ScopePlan } from '../core/action.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import type { Guards } from '../core/guards.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Hold, PlanInput, PlanJudge } from '../core/plan/plan-input.ts';
import { type Change, changesIn } from '../core/policy/change.ts';
import { createJudge, type Expression, type Found, rulesAbout, type Violation } from '../core/policy/evaluate.ts';
import { asBefore, isExcused, whyDenied } from '../core/policy/hold.ts';
import { type BrokenRule, type PolicyRules, policyRulesOf } from '../core/policy/rules.ts';
import type { Kind } from '../core/resource.ts';
import type { Withholding } from '../engine/ports.ts';
import type { OpenedEstate } from './load.ts';
import { enforcedPolicies } from './policies.ts';
import { sha256 } from './sha256.ts';

/** Some rules are about a change: about an action, its plan, or its effect on traffic. They are evaluated where there is a plan. */
interface ChangeLanguage {
  concernsChange(expression: Expression): boolean;
  evaluateNow(expressions: readonly Expression[], given: Change): readonly Found[];
}

async function changeLanguage(): Promise<ChangeLanguage> {
  const { concernsChange, evaluateNow } = await import('../policy/evaluation.ts');
  return {
    concernsChange,
    evaluateNow: (expressions, { view, change }) => evaluateNow(expressions, { resource: view, change }),
  };
}

/** Why a plan by other rules about changes is not carried out. */
export const judgedOtherwise: Withholding = {
  code: 'stale',
  why: 'policies about changes are others than when this was planned. Plan again.',
};

type Estate = Pick<OpenedEstate, 'tree' | 'compiled' | 'today'>;

/**
 * Judges a plan by the rules about changes of the policies in enforce mode, now and in the generation before. Undefined where there is
 * no such rule.
 */
export async function changeJudge(estate: Estate, before?: Pick<Guards, 'enforced'>): Promise<PlanJudge | undefined> {
  const { now, former } = enforcedPolicies(estate, before);
  if (now.length + former.length === 0) return undefined;
  const language = await changeLanguage();
  const [judgeNow, judgeFormer] = [judgeBy(now, language, estate.today), judgeBy(former, language, estate.today)];
  if (judgeNow === undefined && judgeFormer === undefined) return undefined;
  const judge = (plan: ScopePlan, input: PlanInput): Hold | undefined => {
    const changes = changesOf(plan, input, estate);
    const denied = new Map([
      ...deniedIn(judgeFormer?.(changes) ?? [], ` ${asBefore}`),
      ...deniedIn(judgeNow?.(changes) ?? []),
    ]);
    if (denied.size === 0) return undefined;
    return (action) => {
      const why = denied.get(keyOf(action));
      return why === undefined ? undefined : { code: 'policy' as const, why };
    };
  };
  return Object.assign(judge, { key: sha256(canonical([now, former, estate.today])) });
}

/** The reason by the key of each denied action. */
const deniedIn = (breaking: readonly BreakingChange[], suffix = ''): readonly (readonly [string, string])[] =>
  breaking.flatMap(({ change, rules }) =>
    change.actions.flatMap((action) => {
      const rule = rules.find((one) => one.effect === 'deny' && !isExcused(one, action));
      return rule === undefined ? [] : [[keyOf(action), `${whyDenied(rule)}${suffix}`] as const];
    }),
  );

const keyOf = ({ verb, kind, address }: Action): string => `${verb} ${kind} ${address}`;

/** The violations of rules about changes by what these plans still do: an enforced denial has been withheld. */
export async function changeViolations(
  estate: Estate,
  plans: readonly ScopePlan[],
  looked: readonly { readonly input: PlanInput }[],
): Promise<readonly Violation[]> {
  const policies = policyRulesOf(ofKind(estate.tree.documents, 'Policy'));
  if (policies.length === 0) return [];
  const judge = judgeBy(policies, await changeLanguage(), estate.today);
  if (judge === undefined) return [];
  const inputs = new Map(looked.map(({ input }) => [input.observation.scope, input]));
  return plans.flatMap((plan) => {
    const input = inputs.get(plan.scope);
    if (input === undefined) return [];
    return judge(changesOf(plan, input, estate)).flatMap(({ change, rules }) =>
      rules.map((one) => violation(change, one)),
    );
  });
}

function violation(
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

/** Undefined where none of the policies has a rule about changes. */
function judgeBy(
  policies: readonly PolicyRules[],
  { concernsChange, evaluateNow }: ChangeLanguage,
  today: string,
): ((changes: readonly Change[]) => readonly BreakingChange[]) | undefined {
  const kinds = [...new Set(policies.flatMap((policy) => policy.kinds))];
  const about = new Map(
    kinds.flatMap((kind: Kind) => {
      const rules = rulesAbout(kind, policies).filter(concernsChange);
      return rules.length === 0 ? [] : [[kind, rules] as const];
    }),
  );
  if (about.size === 0) return undefined;
  return (changes) => {
    const judge = createJudge(policies, today);
    return changes.flatMap((change) => {
      const rules = about.get(change.view.kind);
      if (rules === undefined) return [];
      const broken = judge.brokenBy(change, rules, evaluateNow(rules, change));
      return broken.length === 0 ? [] : [{ change, rules: broken }];
    });
  };
}

function changesOf(plan: ScopePlan, input: PlanInput, { tree, compiled }: Estate): readonly Change[] {
  const scope = compiled.scopes.find((one) => one.scope === plan.scope);
  return scope === undefined ? [] : changesIn(plan, input, { scope, documents: tree.documents });
}
