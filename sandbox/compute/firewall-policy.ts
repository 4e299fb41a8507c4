import { invalid, required } from './errors.ts';
import { firewallJson, orNone, rangesIn, trafficOf } from './firewall.ts';
import { flag, listOf, type Message, message, oneOf, text, whole } from './message.ts';
import { linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { FirewallPolicy, Json, Network, PolicyRule } from './records.ts';
import { checkedDescription, fingerprint, resourceJson, shown } from './resource.ts';

const ruleFields = {
  priority: whole,
  action: oneOf('allow', 'deny', 'goto_next'),
  direction: oneOf('INGRESS', 'EGRESS'),
  description: text,
  disabled: flag,
  match: message(
    {
      layer4Configs: listOf(message({ ipProtocol: text, ports: listOf(text) })),
      srcIpRanges: listOf(text),
      destIpRanges: listOf(text),
    },
    {
      unmodelled: [
        ...['srcAddressGroups', 'destAddressGroups', 'srcFqdns', 'destFqdns', 'srcRegionCodes', 'destRegionCodes'],
        ...['srcThreatIntelligences', 'destThreatIntelligences', 'srcSecureTags', 'srcNetworks'],
        ...['srcNetworkType', 'destNetworkType', 'srcNetworkContext', 'destNetworkContext'],
      ],
    },
  ),
  targetServiceAccounts: listOf(text),
} as const;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/networkFirewallPolicies/addRule */
export const policyRuleMessage = message(ruleFields, {
  outputs: ['kind', 'ruleTupleCount'],
  unmodelled: [
    ...['enableLogging', 'ruleName', 'securityProfileGroup', 'tlsInspect', 'targetResources', 'targetSecureTags'],
    ...['targetType', 'targetForwardingRules'],
  ],
});

const associationFields = { name: text, attachmentTarget: text } as const;

export const associationMessage = message(associationFields, {
  outputs: ['displayName', 'shortName', 'firewallPolicyId'],
  unmodelled: ['priority'],
});

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/networkFirewallPolicies */
export const firewallPolicyMessage = message(
  { name: text, description: text, rules: listOf(policyRuleMessage) },
  {
    outputs: [
      ...['kind', 'id', 'creationTimestamp', 'selfLink', 'selfLinkWithId', 'fingerprint', 'region', 'ruleTupleCount'],
      'parent',
    ],
    unmodelled: ['associations', 'displayName', 'shortName', 'policyType', 'packetMirroringRules'],
  },
);

/** "a default rule (rule with priority 2147483647 and match *)", says the discovery document. */
const LOWEST = 2_147_483_647;

/**
 * The rules that every policy is born with: each leaves the decision to what is evaluated next.
 * https://docs.cloud.google.com/firewall/docs/firewall-policies-rule-details#pre-defined-rules
 */
export const predefinedRules: readonly PolicyRule[] = [
  predefined(3, 'EGRESS', '::/0'),
  predefined(2, 'INGRESS', '::/0'),
  predefined(1, 'EGRESS', '0.0.0.0/0'),
  predefined(0, 'INGRESS', '0.0.0.0/0'),
];

function predefined(above: number, direction: PolicyRule['direction'], range: string): PolicyRule {
  return {
    ...{ priority: LOWEST - above, action: 'goto_next', direction, disabled: false, accounts: undefined },
    description: `default ${direction.toLowerCase()} rule ${range.includes(':') ? 'ipv6' : 'ipv4'}`,
    traffic: [{ protocol: 'all', ports: undefined }],
    sources: direction === 'INGRESS' ? [range] : undefined,
    destinations: direction === 'EGRESS' ? [range] : undefined,
  };
}

/** Throws where it is invalid. */
export function policyRule(asked: Message<typeof ruleFields>, field: string): PolicyRule {
  const { priority, action, direction, match } = asked;
  if (priority === undefined) throw required(`${field}.priority`);
  if (priority < 0 || priority >= LOWEST - 3)
    throw invalid(`${field}.priority`, priority, `Must be between 0 and ${LOWEST - 4}, inclusive.`);
  if (action === undefined) throw required(`${field}.action`);
  if (direction === undefined) throw required(`${field}.direction`);
  const configs = orNone(match?.layer4Configs);
  if (configs === undefined) throw required(`${field}.match.layer4Configs`);
  const ranges = (side: 'srcIpRanges' | 'destIpRanges'): readonly string[] | undefined =>
    orNone(rangesIn(match?.[side] ?? [], side).map((range) => range.text));
  return {
    ...{ priority, action, direction, disabled: asked.disabled ?? false },
    description: checkedDescription(asked.description),
    traffic: configs.map(({ ipProtocol, ports }, index) =>
      trafficOf(
        { ...(ipProtocol === undefined ? {} : { IPProtocol: ipProtocol }), ...(ports === undefined ? {} : { ports }) },
        `${field}.match.layer4Configs[${index}]`,
      ),
    ),
    sources: ranges('srcIpRanges'),
    destinations: ranges('destIpRanges'),
    accounts: orNone(asked.targetServiceAccounts),
  };
}

export function firewallPolicyJson(project: Project, policy: FirewallPolicy): Json {
  const { scope, associations, number } = policy;
  return shown({
    ...resourceJson(project, 'firewallPolicy', policy),
    selfLinkWithId: linkTo(project, `${scope}/firewallPolicies/${number}`),
    region: scope === 'global' ? undefined : linkTo(project, scope),
    fingerprint: fingerprint(policy.rules),
    rules: rulesJson(policy),
    associations: orNone(
      associations.map(({ name, network }) => ({
        name,
        attachmentTarget: linkTo(project, network),
        firewallPolicyId: number,
      })),
    ),
    ruleTupleCount: policy.rules.length,
  });
}

const rulesJson = ({ rules }: FirewallPolicy): readonly Json[] =>
  rules
    .toSorted((a, b) => a.priority - b.priority)
    .map((rule) =>
      shown({
        kind: 'compute#firewallPolicyRule',
        priority: rule.priority,
        action: rule.action,
        direction: rule.direction,
        description: rule.description,
        disabled: rule.disabled ? true : undefined,
        enableLogging: false,
        match: shown({
          layer4Configs: rule.traffic.map(({ protocol, ports }) => shown({ ipProtocol: protocol, ports })),
          srcIpRanges: rule.sources,
          destIpRanges: rule.destinations,
        }),
        targetServiceAccounts: rule.accounts,
        ruleTupleCount: 1,
      }),
    );

/** Policies that hold for a network, and in a region, in the order of their evaluation. */
export function effectivePolicies(
  project: Project,
  network: string,
  region: string | undefined,
): readonly FirewallPolicy[] {
  const here = ['global', ...(region === undefined ? [] : [`regions/${region}`])];
  const own = [...project.firewallPolicies.values()].filter((policy) =>
    policy.associations.some((association) => association.network === network),
  );
  return [...project.inheritedPolicies, ...here.flatMap((scope) => own.filter((policy) => policy.scope === scope))];
}

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/regionNetworkFirewallPolicies/getEffectiveFirewalls */
export const effectiveFirewallsJson = (project: Project, network: Network, region: string | undefined): Json =>
  shown({
    firewalls: orNone([...project.firewalls.of(network.id)].map((firewall) => firewallJson(project, firewall))),
    firewallPolicys: orNone(effectivePolicies(project, network.id, region).map(effectivePolicyJson)),
  });

const effectivePolicyJson = (policy: FirewallPolicy): Json =>
  shown({
    name: policy.name,
    displayName: policy.parent?.shortName,
    type: typeOf(policy),
    rules: rulesJson(policy),
  });

function typeOf({ parent, scope }: FirewallPolicy): string {
  if (parent !== undefined) return 'HIERARCHY';
  return scope === 'global' ? 'NETWORK' : 'NETWORK_REGIONAL';
}
