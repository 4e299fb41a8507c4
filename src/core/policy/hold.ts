import type { Action } from '../action.ts';
import { onlyNarrows } from '../plan/narrowing.ts';
import type { Hold } from '../plan/plan-input.ts';
import { withFullStop } from '../text.ts';
import type { Violation } from './evaluate.ts';
import type { BrokenRule } from './rules.ts';

/**
 * Withholds an action that makes a resource, or changes it, as a rule denies it to be. All of a firewall rule's document waits: its atoms
 * are one resource. An action that only narrows traffic passes if it heals drift, or if the rule has no answer.
 *
 * `before`: violations of the policies as they were in the generation before.
 */
export function policyHold(violations: readonly Violation[], before: readonly Violation[] = []): Hold | undefined {
  const denied = [
    ...violations
      .filter(isDenied)
      .map((violation) => ({ violation, why: `${ended(violation)}${ofDocument(violation)}` })),
    ...before
      .filter(isDenied)
      .map((violation) => ({ violation, why: `${ended(violation)}${ofDocument(violation)} ${asBefore}` })),
  ];
  if (denied.length === 0) return undefined;
  const byResource = Map.groupBy(denied, ({ violation: { kind, address } }) => `${kind} ${address}`);
  return (action) => {
    const found = resourcesOf(action).flatMap((key) => byResource.get(key) ?? []);
    const first = found.find(({ violation }) => !isExcused(violation, action));
    return first === undefined ? undefined : { code: 'policy', why: first.why };
  };
}

/** Parts of a rule have addresses of their own, and an exemption names its document. */
const ofDocument = ({ kind, address }: Violation): string =>
  kind === 'firewall-rule' ? ` Its document is ${address}.` : '';

/** People write the message of a rule with a full stop or without one. */
const ended = (violation: Violation): string => withFullStop(whyDenied(violation));

const isDenied = ({ effect, mode }: Violation): boolean => effect === 'deny' && mode === 'enforce';

/** An action that only narrows traffic passes if it heals drift, or if the rule has no answer. */
export const isExcused = ({ failed }: BrokenRule, action: Action): boolean =>
  (failed !== undefined || action.cause === 'drift') && onlyNarrows(action);

/**
 * As views are called: a rule has the address of its document. A removal leaves nothing that could violate a rule, but of a document
 * that changes: what it no longer states goes when its new rules may come.
 */
function resourcesOf(action: Action): readonly string[] {
  const isPart = action.verb === 'delete' && action.because === 'changed' && action.kind === 'firewall-rule';
  const isGoing = action.verb === 'update' && action.retires !== undefined;
  if ((!('desired' in action) && !isPart) || isGoing) return [];
  const { kind, address, documents } = action;
  const addresses = kind === 'firewall-rule' ? documents.map((document) => document.address) : [address];
  return addresses.map((one) => `${kind} ${one}`);
}

export const whyDenied = ({ policy, rule, message, failed, facts }: BrokenRule): string =>
  failed === undefined
    ? `the rule ${rule} of the policy ${policy} denies it${facts === undefined ? '' : `, as ${facts}`}: ${message}`
    : `the rule ${rule} of the policy ${policy} has no answer for it (${failed}), which denies it: ${message}`;

export const asBefore =
  '(as the policy was in the generation before; a looser one counts from the next generation on, which the next change of the specs makes)';
