import type { DocumentRef } from '../desired.ts';
import { holds } from '../documents/effective-terms.ts';
import type { Position } from '../documents/tree.ts';
import type { Address, Kind } from '../resource.ts';
import { isGlobOf } from '../text.ts';
import { type BrokenRule, effectOf, type PolicyRules } from './rules.ts';
import type { Viewed, ViewedDocument } from './view.ts';

/** True: the resource violates the rule. `failed`: the expression has no answer for it, with the reason. */
export type Outcome = boolean | { readonly failed: string };

/** An expression, and the kinds of resources that it is about: they decide the fields that it may name. */
export interface Expression {
  readonly text: string;
  readonly kinds: readonly Kind[];
}

/** The outcome of one of several expressions, where it is not false. `rule`: its position among them. `facts`: see BrokenRule. */
export interface Found extends Pick<BrokenRule, 'facts'> {
  readonly rule: number;
  readonly outcome: Exclude<Outcome, false>;
}

/** One desired resource that breaks one rule. */
export interface Violation extends BrokenRule {
  readonly kind: Kind;
  readonly address: Address;
  readonly targets: readonly string[];
  readonly document: DocumentRef;
  readonly owner?: string;
}

export const violationOf = (
  { view: { kind, address, owner }, document, targets }: ViewedDocument,
  broken: BrokenRule,
): Violation => ({ ...broken, kind, address, targets, document, ...(owner === undefined ? {} : { owner }) });

export interface Judgement {
  /** By address, then in the order of the policies and their rules. */
  readonly violations: readonly Violation[];
  /** Exemptions that match no resource of the judged scopes. */
  readonly unused: readonly { readonly policy: string; readonly at: Position }[];
}

/** One rule among all that are about a kind. */
export interface KindRule extends Expression {
  /** The position of its policy among all. */
  readonly policy: number;
  readonly rule: PolicyRules['rules'][number];
}

/** The rules of all policies that are about a kind. */
export const rulesAbout = (kind: Kind, policies: readonly PolicyRules[]): readonly KindRule[] =>
  policies.flatMap(({ kinds, rules }, policy) =>
    kinds.includes(kind) ? rules.map((rule) => ({ policy, rule, kinds, text: textOf(rule) })) : [],
  );

export const textOf = ({
  deny,
  warn,
  requireApproval,
}: Pick<PolicyRules['rules'][number], 'deny' | 'warn' | 'requireApproval'>): string =>
  deny ?? warn ?? requireApproval ?? '';

/** Tells the rules that resources break, by the outcomes of rules and less the exempted. It remembers which exemptions matched something. */
export interface Exemptions {
  brokenBy(viewed: Viewed, rules: readonly KindRule[], found: readonly Found[]): readonly BrokenRule[];
  /** Those that matched nothing so far. */
  unused(): readonly UnusedExemption[];
}

/** An exemption by its policy and its position in it. */
export interface UnusedExemption {
  readonly policy: string;
  readonly index: number;
}

/** `today`: 2027-01-31. */
export function exemptionsOf(policies: readonly PolicyRules[], today: string): Exemptions {
  const exempted = policies.flatMap((policy) =>
    policy.exemptions.map(
      (entry, index): Exempted => ({ policy, index, entry, active: holds(entry, today), used: false }),
    ),
  );
  return {
    brokenBy: (viewed, rules, found) => {
      const covering = exempted.filter((one) => covers(one, viewed));
      for (const one of covering) one.used = true;
      return found.flatMap(({ rule: index, outcome, facts }) => {
        const one = rules[index];
        const policy = one && policies[one.policy];
        if (one === undefined || policy === undefined || !isAbout(policy, viewed)) return [];
        const { name } = one.rule;
        const isExempt = covering.some(
          ({ active, entry, policy: of }) => active && of === policy && (entry.rules?.includes(name) ?? true),
        );
        return isExempt ? [] : [{ ...brokenRule(policy, one.rule, outcome), ...(facts && { facts }) }];
      });
    },
    unused: () => exempted.flatMap(({ policy, index, used }) => (used ? [] : [{ policy: policy.name, index }])),
  };
}

const brokenRule = (policy: PolicyRules, rule: KindRule['rule'], outcome: Found['outcome']): BrokenRule => ({
  ...{ policy: policy.name, rule: rule.name, effect: effectOf(rule), mode: policy.mode },
  message: rule.message,
  ...(rule.approvers === undefined ? {} : { approvers: rule.approvers }),
  ...(outcome === true ? {} : { failed: outcome.failed }),
});

interface Exempted {
  readonly policy: PolicyRules;
  readonly index: number;
  readonly entry: PolicyRules['exemptions'][number];
  readonly active: boolean;
  used: boolean;
}

const isAbout = ({ targets, scopes = [] }: PolicyRules, { view, targets: here }: Viewed): boolean =>
  targets === undefined ||
  targets.some((name) => here.includes(name)) ||
  scopes.some((scope) => view.address.startsWith(`${scope}/`));

const covers = ({ policy, entry }: Exempted, viewed: Viewed): boolean =>
  policy.kinds.includes(viewed.view.kind) &&
  isAbout(policy, viewed) &&
  entry.resources.some((glob) => isGlobOf(glob, viewed.view.address));
