import type { CompiledScope } from '../core/compile/compile.ts';
import type { Hash } from '../core/digest.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import type { Guards } from '../core/guards.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Hold } from '../core/plan/plan-input.ts';
import {
  createJudge,
  type Found,
  type Judge,
  type Judgement,
  type KindRule,
  rulesAbout,
  type Violation,
} from '../core/policy/evaluate.ts';
import { policyHold } from '../core/policy/hold.ts';
import { enforcedIn, type PolicyRules, policyRulesOf } from '../core/policy/rules.ts';
import { type Viewed, viewsOf } from '../core/policy/view.ts';
import type { Kind } from '../core/resource.ts';
import { flatMapInSteps } from '../core/steps.ts';
import type { Evaluate } from '../policy/evaluator.ts';
import { inTurns } from './in-turns.ts';
import type { OpenedEstate } from './load.ts';
import { sha256 } from './sha256.ts';

/** The violations of policies by resources, and the judge that found them. `today`: 2027-01-31. */
export type FindViolations = (
  policies: readonly PolicyRules[],
  viewed: readonly Viewed[],
  today: string,
) => Promise<{ readonly violations: readonly Violation[]; readonly judge: Judge }>;

/** The most rule sets and resources whose outcomes are remembered. */
const MOST_SETS = 64;
const MOST_KEPT = 100_000;

/** Resources in one step: of each a digest is taken. */
const STEP = 50;

/**
 * Outcomes are remembered by the digests of the rules' texts and of the resource's view: of an unchanged estate nothing is evaluated
 * again. Violations come in the order of the resources, then of the policies and their rules.
 */
export function violationFinder(evaluate: Evaluate, hash: Hash): FindViolations {
  const remembered = new Map<string, Map<string, readonly Found[]>>();
  const outcomesBy = (kind: Kind, rules: readonly KindRule[]): Map<string, readonly Found[]> => {
    const key = hash(JSON.stringify([kind, rules.map(({ text, kinds }) => [text, kinds])]));
    const known = remembered.get(key);
    if (known !== undefined) return known;
    if (remembered.size >= MOST_SETS) remembered.clear();
    const outcomes = new Map<string, readonly Found[]>();
    remembered.set(key, outcomes);
    return outcomes;
  };
  const foundIn = async (kind: Kind, rules: readonly KindRule[], those: readonly Viewed[]) => {
    const outcomes = outcomesBy(kind, rules);
    const digests = await inTurns(flatMapInSteps(those, ({ view }) => [hash(canonical(view))], STEP));
    const unknown = [...new Map(digests.map((digest, i) => [digest, those[i]] as const))].flatMap(([digest, one]) =>
      one === undefined || outcomes.has(digest) ? [] : [{ digest, given: { resource: one.view } }],
    );
    const answers = await evaluate(
      rules,
      unknown.map(({ given }) => given),
    );
    const fresh = new Map(unknown.map(({ digest }, i) => [digest, answers[i] ?? []]));
    const found = digests.map((digest) => fresh.get(digest) ?? outcomes.get(digest) ?? []);
    if (outcomes.size + fresh.size > MOST_KEPT) outcomes.clear();
    for (const [digest, one] of fresh) outcomes.set(digest, one);
    return found;
  };
  return async (policies, viewed, today) => {
    const judge = createJudge(policies, today);
    const violations = new Map<Viewed, readonly Violation[]>();
    for (const [kind, those] of Map.groupBy(viewed, ({ view }) => view.kind)) {
      const rules = rulesAbout(kind, policies);
      if (rules.length === 0) continue;
      const found = await foundIn(kind, rules, those);
      for (const [i, one] of those.entries()) violations.set(one, judge.violationsOf(one, rules, found[i] ?? []));
    }
    return { violations: viewed.flatMap((one) => violations.get(one) ?? []), judge };
  };
}

let usual: FindViolations | undefined;

/** Loads the language of expressions only where there is a policy. */
async function findViolations(): Promise<FindViolations> {
  const { evaluate } = await import('../policy/evaluator.ts');
  usual ??= violationFinder(evaluate, sha256);
  return usual;
}

const viewedIn = ({ tree: { documents } }: Pick<OpenedEstate, 'tree'>, scopes: readonly CompiledScope[]) =>
  scopes.flatMap((scope) => viewsOf(scope, documents));

/** The violations of an estate's policies by its desired resources in these scopes. `today`: 2027-01-31. */
export async function judgeEstate(
  estate: Pick<OpenedEstate, 'tree'>,
  scopes: readonly CompiledScope[],
  today: string,
): Promise<Judgement> {
  const policies = ofKind(estate.tree.documents, 'Policy');
  if (policies.length === 0) return { violations: [], unused: [] };
  const find = await findViolations();
  const { violations, judge } = await find(policyRulesOf(policies), viewedIn(estate, scopes), today);
  const unused = judge.unused().flatMap(({ policy, index }) => {
    const document = policies.find(({ value }) => value.metadata.name === policy);
    return document === undefined ? [] : [{ policy, at: document.at(['spec', 'exemptions', index]) }];
  });
  return { violations, unused };
}

/**
 * Withholds what policies in enforce mode deny, by the specs and by the generation before: a policy or a rule that went, and an exemption
 * that came, count from the next generation on.
 */
export async function policiesHold(
  estate: Pick<OpenedEstate, 'tree' | 'compiled' | 'today'>,
  before?: Pick<Guards, 'enforced'>,
): Promise<Hold | undefined> {
  const now = enforcedIn(estate.tree.documents);
  const known = new Set(now.map((policy) => canonical(policy)));
  const then = (before?.enforced ?? []).filter((policy) => !known.has(canonical(policy)));
  if (now.length + then.length === 0) return undefined;
  const find = await findViolations();
  const viewed = viewedIn(estate, estate.compiled.scopes);
  const [here, there] = [await find(now, viewed, estate.today), await find(then, viewed, estate.today)];
  return policyHold(here.violations, there.violations);
}
