import type { NetworkSecurityGroup, RuleSide, SecurityRule } from './records.ts';
import { nameOf } from './resource-id.ts';

const TYPE = 'Microsoft.Network/networkSecurityGroups';

/** A rule as answers show it: its etag and state are its security group's. */
export function ruleBody({ version }: NetworkSecurityGroup, rule: SecurityRule, collection = 'securityRules'): object {
  return {
    name: nameOf(rule.path),
    id: rule.path,
    etag: version.etag,
    type: `${TYPE}/${collection}`,
    properties: {
      provisioningState: version.state,
      ...(rule.description === undefined ? {} : { description: rule.description }),
      ...rule.traffic,
      ...sideBody('source', rule.source),
      ...sideBody('destination', rule.destination),
    },
  };
}

/** Lists are always there; the singular is not where a list was written, and empty where groups were. */
function sideBody(name: 'source' | 'destination', side: RuleSide): object {
  const groups = side.groups.map((id) => ({ id }));
  return {
    ...(side.portRange ? { [`${name}PortRange`]: side.portRange } : {}),
    [`${name}PortRanges`]: side.portRanges,
    ...(side.prefix || groups.length > 0 ? { [`${name}AddressPrefix`]: side.prefix ?? '' } : {}),
    [`${name}AddressPrefixes`]: side.prefixes,
    ...(groups.length > 0 ? { [`${name}ApplicationSecurityGroups`]: groups } : {}),
  };
}
