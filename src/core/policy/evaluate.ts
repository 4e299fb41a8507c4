import type { CompiledScope } from '../compile/compile.ts';
import type { DocumentRef } from '../desired.ts';
import type { Hash } from '../digest.ts';
import type { Document, PolicyDoc } from '../documents/document.ts';
import { holds } from '../documents/effective-terms.ts';
import { ofKind } from '../documents/spec-set.ts';
import type { Located, Position } from '../documents/tree.ts';
import { canonical } from '../ledger/canonical.ts';
import type { Address, Kind } from '../resource.ts';
import { flatMapInSteps, type Steps } from '../steps.ts';
import { isGlobOf } from '../text.ts';
import { type ResourceView, type Viewed, viewsOf } from './view.ts';

/** True: the resource violates the rule. `failed`: the expression has no answer for it, with the reason. */
export type Outcome = boolean | { readonly failed: string };

/** The language of expressions. Given from outside: the core knows none. */
export interface Language {
  /** Throws where the text is no expression over these kinds; `validate` has refused that. */
  compile(text: string, kinds: readonly Kind[]): Expression;
  /** Once for all rules of a resource. */
  prepare(view: ResourceView): Prepared;
}

export type Expression = (given: Prepared) => Outcome;

/** A view in the values of the language. */
export type Prepared = object;

/** One resource that breaks one rule. */
export interface Violation {
  readonly policy: string;
  readonly rule: string;
  readonly effect: 'deny' | 'warn';
  readonly mode: PolicyDoc['spec']['mode'];
  /** How to comply. */
  readonly message: string;
  readonly kind: Kind;
  readonly address: Address;
  readonly targets: readonly string[];
  readonly document: DocumentRef;
  readonly owner?: string;
  /** The reason for which the expression has no answer; it counts as a violation. */
  readonly failed?: string;
}

export interface Judgement {
  /** By address, then in the order of the policies and their rules. */
  readonly violations: readonly Violation[];
  /** Exemptions that match no resource of the judged scopes, by their place. */
  readonly unused: readonly { readonly policy: string; readonly at: Position }[];
}

interface Judged {
  readonly documents: readonly Located<Document>[];
  readonly scopes: readonly CompiledScope[];
  /** 2027-01-31 */
  readonly today: string;
}

export interface Judge {
  /** In steps: 1,000 rules over 10,000 resources take more than a second. */
  judge(judged: Judged): Steps<Judgement>;
}

/** The most rule sets and resources whose outcomes are remembered. */
const MOST_SETS = 64;
const MOST_KEPT = 100_000;

/** Resources in one step: of 1,000 rules each takes about a millisecond. */
const STEP = 10;

/**
 * Judges desired resources by the policies among the documents. Outcomes are remembered by the digests of the rules' texts and of the
 * resource's view: of an unchanged estate nothing is evaluated again.
 */
export function createJudge(language: Language, hash: Hash): Judge {
  const remembered = new Map<string, RuleSet>();
  return {
    *judge({ documents, scopes, today }) {
      const policies = ofKind(documents, 'Policy');
      if (policies.length === 0) return { violations: [], unused: [] };
      const viewed = scopes.flatMap((scope) => viewsOf(scope, documents));
      yield;
      const exempted = policies.flatMap((policy) => exemptionsOf(policy, today));
      const sets = new Map<Kind, RuleSet>();
      const violations = yield* flatMapInSteps(
        viewed,
        (one) => {
          const { kind } = one.view;
          const set = sets.get(kind) ?? ruleSet(kind, policies, { language, hash, remembered });
          sets.set(kind, set);
          return violationsOf(one, set, {
            policies,
            exempted,
            outcomes: outcomesOf(one.view, set, { language, hash }),
          });
        },
        STEP,
      );
      return { violations, unused: exempted.filter(({ used }) => !used) };
    },
  };
}

/** The rules of all policies that are about a kind. */
interface RuleSet {
  readonly rules: readonly Rule[];
  /** The outcomes other than false, by the digest of a view. */
  readonly outcomes: Map<string, readonly Found[]>;
}

interface Rule {
  /** Of its policy among all. */
  readonly policy: number;
  readonly rule: PolicyDoc['spec']['rules'][number];
  readonly expression: Expression;
}

interface Found {
  /** Of its rule among those of the set. */
  readonly rule: number;
  readonly outcome: Exclude<Outcome, false>;
}

interface Tools {
  readonly language: Language;
  readonly hash: Hash;
  readonly remembered: Map<string, RuleSet>;
}

function ruleSet(kind: Kind, policies: readonly Located<PolicyDoc>[], { language, hash, remembered }: Tools): RuleSet {
  const about = policies.flatMap(({ value: { spec } }, policy) =>
    spec.kinds.includes(kind) ? spec.rules.map((rule) => ({ policy, rule, kinds: spec.kinds })) : [],
  );
  const texts = about.map(({ policy, rule, kinds }) => [policy, textOf(rule), kinds]);
  const key = hash(JSON.stringify([kind, texts]));
  const known = remembered.get(key);
  if (remembered.size >= MOST_SETS) remembered.clear();
  const set = {
    rules: about.map(({ policy, rule, kinds }, index) => ({
      policy,
      rule,
      expression: known?.rules[index]?.expression ?? language.compile(textOf(rule), kinds),
    })),
    outcomes: known?.outcomes ?? new Map<string, readonly Found[]>(),
  };
  remembered.set(key, set);
  return set;
}

export const textOf = ({ deny, warn }: PolicyDoc['spec']['rules'][number]): string => deny ?? warn ?? '';

function outcomesOf(view: ResourceView, { rules, outcomes }: RuleSet, { language, hash }: Omit<Tools, 'remembered'>) {
  if (rules.length === 0) return [];
  const key = hash(canonical(view));
  const known = outcomes.get(key);
  if (known !== undefined) return known;
  const prepared = language.prepare(view);
  const found: Found[] = [];
  for (const [rule, { expression }] of rules.entries()) {
    const outcome = expression(prepared);
    if (outcome !== false) found.push({ rule, outcome });
  }
  if (outcomes.size >= MOST_KEPT) outcomes.clear();
  outcomes.set(key, found);
  return found;
}

interface Exempted {
  readonly policy: string;
  readonly at: Position;
  readonly kinds: readonly Kind[];
  readonly targets: readonly string[] | undefined;
  readonly resources: readonly string[];
  readonly rules: readonly string[] | undefined;
  readonly active: boolean;
  used: boolean;
}

const exemptionsOf = ({ value: { metadata, spec }, at }: Located<PolicyDoc>, today: string): readonly Exempted[] =>
  spec.exemptions.map((entry, index) => ({
    policy: metadata.name,
    at: at(['spec', 'exemptions', index]),
    ...{ kinds: spec.kinds, targets: spec.targets, resources: entry.resources, rules: entry.rules },
    ...{ active: holds(entry, today), used: false },
  }));

interface Judging {
  readonly policies: readonly Located<PolicyDoc>[];
  readonly exempted: readonly Exempted[];
  readonly outcomes: readonly Found[];
}

function violationsOf(
  { view, document, targets }: Viewed,
  { rules }: RuleSet,
  { policies, exempted, outcomes }: Judging,
): readonly Violation[] {
  const covering = exempted.filter((entry) => covers(entry, view, targets));
  for (const entry of covering) entry.used = true;
  return outcomes.flatMap(({ rule: index, outcome }) => {
    const one = rules[index];
    const policy = one && policies[one.policy]?.value;
    if (one === undefined || policy === undefined || !isAbout(policy.spec.targets, targets)) return [];
    const { rule } = one;
    const isExempt = covering.some(
      (entry) => entry.active && entry.policy === policy.metadata.name && (entry.rules?.includes(rule.name) ?? true),
    );
    if (isExempt) return [];
    return [
      {
        ...({
          policy: policy.metadata.name,
          rule: rule.name,
          effect: rule.deny === undefined ? 'warn' : 'deny',
        } as const),
        ...{ mode: policy.spec.mode, message: rule.message, kind: view.kind, address: view.address, targets, document },
        ...(view.owner === undefined ? {} : { owner: view.owner }),
        ...(outcome === true ? {} : { failed: outcome.failed }),
      },
    ];
  });
}

const isAbout = (stated: readonly string[] | undefined, targets: readonly string[]): boolean =>
  stated?.some((name) => targets.includes(name)) ?? true;

const covers = ({ kinds, targets, resources }: Exempted, view: ResourceView, here: readonly string[]): boolean =>
  kinds.includes(view.kind) && isAbout(targets, here) && resources.some((glob) => isGlobOf(glob, view.address));
