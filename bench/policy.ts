import { ofKind } from '../src/core/documents/spec-set.ts';
import { kindNames } from '../src/core/kinds/kinds.ts';
import { policyRulesOf } from '../src/core/policy/rules.ts';
import { viewsOf } from '../src/core/policy/view.ts';
import type { Kind } from '../src/core/resource.ts';
import { brokenRuleFinder } from '../src/estate/policies.ts';
import { sha256 } from '../src/estate/sha256.ts';
import { subjectOfExpression } from '../src/policy/evaluation.ts';
import { createEvaluator } from '../src/policy/evaluator.ts';
import type { Figure } from './figure.ts';
import { compiledNetworks } from './plan-100k/input.ts';

/** Forms of rules as people write them; `n` makes each a text of its own. Few are true of a resource here. */
const forms: { readonly [K in Kind]: readonly ((n: number) => string)[] } = {
  network: [
    (n) => `!has(resource.labels.team) || resource.labels.team == 'team-${n}'`,
    (n) => `resource.region.startsWith('eu-') && resource.name == 'net-${n}'`,
  ],
  subnet: [
    (n) => `resource.cidr == '10.${n}.0.0/16'`,
    (n) => `resource.network == 'net-${n}' && resource.name.endsWith('.s${n}x')`,
  ],
  group: [
    (n) => `resource.name.matches('^(db|cache)-${n}$')`,
    (n) => `resource.network == 'net-${n}' && !has(resource.owner)`,
  ],
  'firewall-rule': [
    (n) =>
      `resource.direction == 'ingress' && resource.action == 'allow' && resource.fromAnyone && resource.opens(${n})`,
    (n) => `resource.opens(${20_000 + n}) && resource.peers.exists(peer, peer == '0.0.0.0/0')`,
  ],
  instance: [
    (n) => `resource.publicIp && resource.size in ['t2.${n}', 'm1.${n}']`,
    (n) =>
      `has(resource.disk.size) && resource.disk.size > ${100 + n} && resource.groups.exists(one, one.startsWith('core'))`,
    (n) => `resource.image.matches('^ami-${n}') || resource.name == 'web-${n}-0'`,
  ],
};

const policyOf = (kind: Kind, rules: number): string =>
  JSON.stringify({
    ...{ apiVersion: 'setpoint.dev/v1', kind: 'Policy', metadata: { name: `of-${kind}` } },
    spec: { kinds: [kind], rules: Array.from({ length: rules }, (_, n) => ruleOf(kind, n)) },
  });

function ruleOf(kind: Kind, n: number): object {
  const all = forms[kind];
  return { name: `r${n}`, deny: all[n % all.length]?.(n), message: 'Comply.' };
}

interface Measured {
  readonly seconds: number;
  readonly judged: number;
  readonly violations: number;
}

/** The processor's time of this process and its thread. Throws where a rule has no answer: then it was not evaluated to its end. */
export async function measure(kinds: readonly Kind[], rules: number, networks: number): Promise<Measured> {
  const policies = kinds.map((kind) => ({ path: `${kind}.json`, text: policyOf(kind, rules) }));
  const { scope, documents } = compiledNetworks(networks, policies);
  const from = process.cpuUsage();
  const viewed = viewsOf(scope, documents);
  const find = brokenRuleFinder({ evaluate: createEvaluator(), subjectOf: subjectOfExpression }, sha256);
  const { broken } = await find(policyRulesOf(ofKind(documents, 'Policy')), viewed, '2026-01-01');
  const { user, system } = process.cpuUsage(from);
  const violations = broken.flatMap(({ rules }) => rules);
  const failed = violations.find((one) => one.failed !== undefined);
  if (failed !== undefined) throw new Error(`a rule has no answer: ${failed.policy}/${failed.rule}: ${failed.failed}`);
  const judged = viewed.filter(({ view }) => kinds.includes(view.kind)).length;
  return { seconds: (user + system) / 1e6, judged, violations: violations.length };
}

/**
 * Processor time to judge desired resources for the first time, nothing remembered: 1,000 rules on 10,000 resources, 200 on each of five
 * kinds; and all 1,000 on 10,000 instances. Asked: at most 2 and 10 seconds.
 */
export async function policies(): Promise<readonly Figure[]> {
  const five = await measure(kindNames, 200, 109);
  const one = await measure(['instance'], 1000, 200);
  if ([five, one].some(({ judged, violations }) => judged < 10_000 || violations === 0))
    throw new Error(`not what was asked: ${JSON.stringify([five, one])}`);
  return [
    { name: 'policy', value: five.seconds, unit: 's of CPU' },
    { name: 'policy-one-kind', value: one.seconds, unit: 's of CPU' },
  ];
}
