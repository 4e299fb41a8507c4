import type { Document, PolicyDoc } from '../documents/document.ts';
import { ofKind } from '../documents/spec-set.ts';
import type { Located } from '../documents/tree.ts';
import type { ScopeKey } from '../resource.ts';

/** A policy as data: a generation keeps those in force beside its limits. */
export type PolicyRules = PolicyDoc['spec'] & {
  readonly name: string;
  /** In the record of a generation: the scopes of its targets then. A target may have another name in the next one. */
  readonly scopes?: readonly ScopeKey[];
};

export const policyRulesOf = (policies: readonly Located<PolicyDoc>[]): readonly PolicyRules[] =>
  policies.map(({ value: { metadata, spec } }) => ({ name: metadata.name, ...spec }));

/** The effect of a rule where its expression is true. */
export type RuleEffect = 'deny' | 'warn' | 'approval';

export function effectOf({ deny, requireApproval }: PolicyRules['rules'][number]): RuleEffect {
  if (deny !== undefined) return 'deny';
  return requireApproval === undefined ? 'warn' : 'approval';
}

/** The policies that withhold actions: those in enforce mode with a rule that does more than warn. */
export const enforcedIn = (documents: readonly Located<Document>[]): readonly PolicyRules[] =>
  policyRulesOf(ofKind(documents, 'Policy')).filter(
    ({ mode, rules }) => mode === 'enforce' && rules.some((rule) => effectOf(rule) !== 'warn'),
  );

/** The people who must approve a change. */
export type Approvers = NonNullable<PolicyRules['rules'][number]['approvers']>;

/** One rule that a resource breaks. */
export interface BrokenRule {
  readonly policy: string;
  readonly rule: string;
  readonly effect: RuleEffect;
  /** Of `approval`. */
  readonly approvers?: Approvers;
  readonly mode: PolicyDoc['spec']['mode'];
  /** The way to comply, for people. */
  readonly message: string;
  /** The reason for which the expression has no answer; it counts as a violation. */
  readonly failed?: string;
  /** The facts of the image by which a rule about images judged, for people. */
  readonly facts?: string;
}

/** So many objects of a cloud break rules of a policy; an object and a rule are one. */
export interface ViolationCount extends Pick<BrokenRule, 'policy' | 'effect' | 'mode'> {
  readonly cloud: string;
  readonly criticality: string;
  readonly count: number;
}
