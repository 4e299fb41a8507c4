import { parseCidr } from '../../cidr.ts';
import type { FirewallRuleDoc, NetworkDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { placeOf, targetsOf, targetsOfRule } from '../placement.ts';
import { error, type Problem } from '../problem.ts';
import { groupsIn } from '../spec-groups.ts';
import type { SpecSet } from '../spec-set.ts';

/**
 * One NSG holds all rules of a network on Azure, and has room for so many.
 * https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits#azure-resource-manager-virtual-networking-limits
 */
const LIMITS =
  'https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits#azure-resource-manager-virtual-networking-limits';
const MOST_RULES = 1000;
/** Application security groups in all rules of an NSG. */
const MOST_GROUPS = 100;

export function* mostRules(set: SpecSet): Iterable<Problem> {
  const named = Map.groupBy(groupsIn(set), ({ network }) => network);
  const written = Map.groupBy(set.rules, ({ value }) => value.spec.network);
  for (const network of set.networks.values()) {
    const { name } = network.value.metadata;
    const inRules = (named.get(name) ?? []).filter(({ fills }) => !fills);
    const groups = new Set(['all', ...inRules.map((use) => use.name.toLowerCase())]).size;
    for (const { value: target } of targetsOf(set, network.value.spec.targets)) {
      if (target.spec.provider !== 'azure') continue;
      const rules = (written.get(name) ?? []).filter(({ value }) =>
        targetsOfRule(set, value).some((one) => one.value === target),
      );
      yield* tooMany(network, placeOf(target), { rules: ours(network.value) + rulesOf(rules), groups });
    }
  }
}

interface Count {
  readonly rules: number;
  readonly groups: number;
}

function* tooMany(network: Located<NetworkDoc>, where: string, { rules, groups }: Count): Iterable<Problem> {
  const at = network.at(['metadata', 'name']);
  if (rules > MOST_RULES) {
    const message = `the rules of this network are ${rules} in its NSG in ${where}, with those for \`default\``;
    const expected = `at most ${MOST_RULES}: one for all IPv4 and one for all IPv6 blocks of a rule, one for each group and service tag (${LIMITS})`;
    yield error('too-many-rules', at, message, { expected });
  }
  if (groups > MOST_GROUPS) {
    const message = `the rules of this network name ${groups} groups, with that of all instances, in ${where}`;
    yield error('too-many-groups', at, message, { expected: `at most ${MOST_GROUPS} in all rules (${LIMITS})` });
  }
}

/** The network's `default`: what comes in always, what goes out where it is denied. */
const ours = ({ spec }: NetworkDoc): number => (spec.default.egress === 'deny' ? 2 : 1);

const rulesOf = (rules: readonly Located<FirewallRuleDoc>[]): number =>
  rules.reduce((sum, { value }) => sum + count(value), 0);

/** A side of an Azure rule is a list of blocks of one family, a service tag, or a group. */
function count({ spec }: FirewallRuleDoc): number {
  const { any, cidrs, groups, serviceTags } = spec.peers;
  const families = new Set(cidrs.map((text) => parseCidr(text)?.family));
  const named = new Set([...groups, ...serviceTags.map((tag) => `tag:${tag.toLowerCase()}`)]);
  return (any ? 1 : 0) + families.size + named.size;
}
