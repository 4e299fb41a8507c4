import type { ApplicationSecurityGroup, NetworkSecurityGroup, VirtualNetwork } from '@azure/arm-network';
import type { CloudId } from '../../src/core/resource.ts';
import { filterIdOf } from './filter.ts';
import { canonicalId, cloudIdOf, guidOf } from './ids.ts';
import { readMark } from './marks.ts';
import { filterPart, isNearPartOf } from './part.ts';

/** The network that the rules of an NSG belong to. */
export interface Home {
  /** The network that it filters; its own id where it filters none. */
  readonly network: CloudId;
  /** It stands where the network's own filter does: only there rules of ours can be. */
  readonly isFilter: boolean;
  /** It is the network's own part: rules in it are owned through the network. */
  readonly isPart: boolean;
}

/** The networks and groups that reading rules needs. */
export interface RuleContext {
  homeOf(nsg: NetworkSecurityGroup): Home;
  /** The id that we have for a group: rules name it without its number. */
  groupId(armId: string): CloudId;
}

export function ruleContextOf(
  vnets: readonly VirtualNetwork[],
  asgs: readonly ApplicationSecurityGroup[],
): RuleContext {
  const byFilter = new Map(vnets.map((vnet) => [canonicalId(filterIdOf(vnet.id ?? '')), vnet]));
  const byId = new Map(vnets.map((vnet) => [canonicalId(vnet.id ?? ''), vnet]));
  const groups = new Map(asgs.map(({ id = '', resourceGuid }) => [canonicalId(id), cloudIdOf(id, resourceGuid)]));
  return {
    homeOf: (nsg) => {
      const own = byFilter.get(canonicalId(nsg.id ?? ''));
      if (own)
        return { network: idOf(own), isFilter: true, isPart: isNearPartOf(readMark(own.tags), nsg.tags, filterPart) };
      const elsewhere = (nsg.subnets ?? [])
        .flatMap(({ id = '' }) => byId.get(vnetOfSubnet(id)) ?? [])
        .map(idOf)
        .sort();
      return { network: elsewhere[0] ?? cloudIdOf(nsg.id ?? '', nsg.resourceGuid), isFilter: false, isPart: false };
    },
    groupId: (armId) => groups.get(canonicalId(armId)) ?? canonicalId(armId),
  };
}

const idOf = ({ id = '', resourceGuid }: VirtualNetwork): CloudId => cloudIdOf(id, resourceGuid);
const vnetOfSubnet = (id: string): string => canonicalId(id).replace(/\/subnets\/[^/]*$/, '');

/** `…/securityrules/web#1a2b` is of `…/networksecuritygroups/core-nsg#1a2b`. */
export const nsgOfRule = (rule: CloudId): CloudId =>
  cloudIdOf(rule.replace(/#.*$/, '').replace(/\/securityrules\/[^/]*$/, ''), guidOf(rule));
