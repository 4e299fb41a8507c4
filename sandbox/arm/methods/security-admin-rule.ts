import { optional, scalar } from '../../json.ts';
import { fields, readBody } from '../body.ts';
import { refused } from '../errors.ts';
import { seenRecord } from '../kind.ts';
import { type Method, method } from '../method.ts';
import type { AdminRule } from '../subscription.ts';
import { pathOf } from '../tracked-methods.ts';
import { virtualNetworkKind } from '../virtual-network.ts';

/** Not documented; small, so that a few rules take pages. */
const PAGE = 20;

const queryForm = fields({ skipToken: optional(scalar('string')) });

/** https://learn.microsoft.com/rest/api/networkmanager/list-network-manager-effective-security-admin-rules */
export const securityAdminRuleMethods: readonly Method[] = [
  method({
    verb: 'POST',
    path: '/resourceGroups/{group}/providers/Microsoft.Network/virtualNetworks/{name}/listNetworkManagerEffectiveSecurityAdminRules',
    action: 'listNetworkManagerEffectiveSecurityAdminRules',
    reads: true,
    answer: (asked) => {
      const { id } = seenRecord(asked, virtualNetworkKind, pathOf(asked, virtualNetworkKind));
      const { skipToken = '' } = readBody(asked.request.body ?? {}, queryForm);
      const from = startOf(skipToken);
      const rules = asked.subscription.adminRules.filter(({ network }) => network === id);
      const size = Math.min(PAGE, asked.answerFaults.items ?? PAGE);
      const next = from + size < rules.length ? tokenOf(from + size) : '';
      return { status: 200, body: { value: rules.slice(from, from + size).map(ruleBody), skipToken: next } };
    },
  }),
];

const tokenOf = (from: number): string => Buffer.from(`rules/${from}`).toString('base64url');

function startOf(token: string): number {
  if (token === '') return 0;
  const from = /^rules\/(\d+)$/.exec(Buffer.from(token, 'base64url').toString('latin1'))?.[1];
  if (from === undefined) throw refused('InvalidSkipToken', `The skip token '${token}' is invalid.`);
  return Number(from);
}

const ruleBody = (rule: AdminRule): object => ({
  id: rule.path,
  kind: 'Custom',
  configurationDescription: '',
  ruleCollectionDescription: '',
  ruleCollectionAppliesToGroups: [],
  ruleGroups: [],
  properties: {
    description: '',
    protocol: rule.protocol,
    sources: rule.sources.map(prefixBody),
    destinations: rule.destinations.map(prefixBody),
    sourcePortRanges: ['0-65535'],
    destinationPortRanges: rule.ports,
    access: rule.access,
    priority: rule.priority,
    direction: rule.direction,
    provisioningState: 'Succeeded',
  },
});

const prefixBody = (addressPrefix: string): object => ({
  addressPrefix,
  addressPrefixType: /^[\d*]/.test(addressPrefix) || addressPrefix.includes(':') ? 'IPPrefix' : 'ServiceTag',
});
