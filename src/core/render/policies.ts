import { error, type Problem, warning } from '../documents/problem.ts';
import type { Judgement, Violation } from '../policy/evaluate.ts';
import { compareText, printable } from '../text.ts';
import { type Paint, plain } from './wording.ts';

/** Violations of one rule by one document: of all targets, replicas and protocols. */
interface Breach {
  readonly first: Violation;
  readonly names: readonly string[];
  readonly targets: readonly string[];
}

function breachesOf(violations: readonly Violation[]): readonly Breach[] {
  const key = ({ policy, rule, kind, document, failed, facts }: Violation): string =>
    JSON.stringify([document.file, document.line, policy, rule, kind, failed, facts]);
  return [...Map.groupBy(violations, key).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const names = new Set(same.map(nameOf));
    const targets = new Set(same.flatMap((one) => one.targets));
    return [{ first, names: [...names], targets: [...targets].toSorted(compareText) }];
  });
}

const nameOf = ({ address }: Violation): string => address.slice(address.lastIndexOf('/') + 1);

const calledIn = ({ first: { kind }, names }: Breach): string =>
  names.length > 1 ? `${kind} ${names[0]} and ${names.length - 1} more` : `${kind} ${names[0]}`;

const noAnswer = (failed: string): string => `the rule has no answer for it (${failed}), which counts as a violation`;

const isEnforced = ({ first: { effect, mode } }: Breach): boolean => effect === 'deny' && mode === 'enforce';

/** Each breach at its document, and each exemption that matches nothing, as a warning; as an error where a policy denies in enforce mode. */
export function policyProblems({ violations, unused }: Judgement): readonly Problem[] {
  return [
    ...breachesOf(violations).map((breach) => {
      const { policy, rule, effect, document, failed, message } = breach.first;
      const where = { file: document.file, line: document.line, column: 1 };
      const what = `${calledIn(breach)} on ${breach.targets.join(', ')} violates the rule ${rule} of the policy ${policy} (${effect})`;
      const why = failed === undefined ? '' : `: ${noAnswer(failed)}`;
      const report = isEnforced(breach) ? error : warning;
      return report('policy-violation', where, `${what}${why}`, { expected: message });
    }),
    ...unused.map(({ at }) =>
      warning('unused-exemption', at, 'this exemption matches no resource of the policy', {
        expected: 'addresses of resources, such as */instance/bastion-*; or remove the entry',
      }),
    ),
  ];
}

/** The section of a plan; undefined where nothing is violated. */
export function policiesText(violations: readonly Violation[], paint: Paint = plain): string | undefined {
  const breaches = breachesOf(violations);
  if (breaches.length === 0) return undefined;
  const count = breaches.length === 1 ? '1 violation' : `${breaches.length} violations`;
  const denied = breaches.filter(isEnforced).length;
  return [
    paint('strong', `Policies: ${count}, ${heldText(breaches, denied)}`),
    ...breaches.flatMap((breach) => {
      const { policy, rule, effect, document, failed, facts, message } = printable(breach.first);
      const place = document.file === '' ? '' : `  ${paint('dim', `${document.file}:${document.line}`)}`;
      const on = printable(breach.targets).join(', ');
      return [
        `  ${paint(isEnforced(breach) ? 'remove' : 'note', `! ${printable(calledIn(breach))}`)}  ${policy}/${rule}  ${isEnforced(breach) ? 'denied' : effect}  on ${on}${place}`,
        `      ${message}`,
        ...(facts === undefined ? [] : [`      ${facts}`]),
        ...(failed === undefined ? [] : [`      ${noAnswer(failed)}`]),
      ];
    }),
  ].join('\n');
}

function heldText(breaches: readonly Breach[], denied: number): string {
  if (denied > 0) return `${denied} denied (enforce)`;
  return breaches.every(({ first }) => first.mode === 'audit') ? 'reported only (audit)' : 'reported only';
}

/** The same as data, one entry a resource and rule. */
export const policiesJson = (violations: readonly Violation[]) =>
  violations.map(({ policy, rule, effect, mode, message, kind, address, targets, document, owner, failed, facts }) => ({
    policy,
    rule,
    effect,
    mode,
    kind,
    address,
    targets,
    document: { file: document.file, line: document.line },
    owner,
    message,
    failed,
    facts,
  }));
