import {
  ipv6Forms,
  isObject,
  isTexts,
  type JsonRow,
  type JsonTable,
  maskless,
  orders,
  portForms,
  withFields,
} from '../spelling.ts';

/** Recorded answers: */
const C7N = 'https://github.com/cloud-custodian/cloud-custodian/tree/main/tools/c7n_azure/tests/cassettes';

const RULES = 'https://learn.microsoft.com/rest/api/virtualnetwork/security-rules/get';

/** Azure takes these in any case and answers them as they were stored: */
const ANY_CASE = 'https://github.com/bridgecrewio/checkov/pull/655';

const SIDES = ['source', 'destination'] as const;

type Fields = Readonly<Record<string, unknown>>;

/** The properties of a security rule. */
function isRule(value: unknown): value is Fields {
  return isObject(value) && 'direction' in value && 'access' in value;
}

/** Two fields of one meaning, for one text and for a list; [one, many]. */
const PAIRS: readonly (readonly [one: string, many: string])[] = SIDES.flatMap((side) => [
  [`${side}AddressPrefix`, `${side}AddressPrefixes`],
  [`${side}PortRange`, `${side}PortRanges`],
]);

const address = (key: string): boolean => /AddressPrefix(?:es\[\])?$/.test(key);
const port = (key: string): boolean => /PortRange(?:s\[\])?$/.test(key);

/** Tags of services and `*`: no addresses. https://learn.microsoft.com/azure/virtual-network/service-tags-overview */
const SERVICE_TAG = /^[A-Za-z]+(?:\.[A-Za-z0-9]+)?$/;

/** As the portal and `az account list-locations` show them: https://learn.microsoft.com/azure/reliability/regions-list */
const DISPLAY_NAMES: Readonly<Record<string, string>> = {
  westeurope: 'West Europe',
  northeurope: 'North Europe',
  eastus: 'East US',
};

/** Lists without an order of their own. */
const SETS =
  /^(?:securityRules|subnets|routes|virtualNetworkPeerings|addressPrefixes|nextHopIpAddresses|(?:source|destination)(?:AddressPrefixes|PortRanges|ApplicationSecurityGroups)|applicationSecurityGroups|networkInterfaces)$/;

/** Lists that some answers hold empty, and others do not hold: [a field of the object, the list]. */
const EMPTY: readonly (readonly [beside: string, list: string])[] = [
  ['osDisk', 'dataDisks'],
  ['addressSpace', 'virtualNetworkPeerings'],
  ['disableBgpRoutePropagation', 'routes'],
  ['privateEndpointNetworkPolicies', 'delegations'],
  ['privateEndpointNetworkPolicies', 'serviceEndpoints'],
];

/** Every way in which Azure Resource Manager says one thing. */
const ARM_SPELLINGS: readonly JsonRow[] = [
  {
    name: 'a protocol in capitals or in small letters',
    source: `${C7N}: TCP and Tcp; https://github.com/hashicorp/terraform-provider-azurerm/issues/16092`,
    ways: (value, key) => (key === 'protocol' ? cases(value) : []),
  },
  {
    name: 'access and direction in small letters',
    source: ANY_CASE,
    ways: (value, key) => (key === 'access' || key === 'direction' ? cases(value) : []),
  },
  {
    name: 'a service tag in another case',
    source: ANY_CASE,
    ways: (value, key) => (address(key) && SERVICE_TAG.test(String(value)) ? cases(value) : []),
  },
  {
    name: 'one address without its mask',
    source: `${C7N}: sourceAddressPrefixes 38.122.226.210`,
    ways: (value, key) => (address(key) && typeof value === 'string' ? maskless(value) : []),
  },
  {
    name: 'an IPv6 block with all its groups, or in capitals',
    source: 'https://www.rfc-editor.org/rfc/rfc5952#section-1: every form of RFC 4291 is one address',
    ways: (value, key) => (address(key) && typeof value === 'string' ? ipv6Forms(value) : []),
  },
  {
    name: 'a port as a range of one',
    source: `${C7N}: 22-22, 443-443`,
    ways: (value, key) => (port(key) && typeof value === 'string' ? portForms(value) : []),
  },
  {
    name: 'every port as a range',
    source: `${RULES}: asterisk matches all ports, 0 to 65535`,
    ways: (value, key) => (port(key) && value === '*' ? [value, '0-65535'] : []),
  },
  {
    name: 'a next hop in capitals or in small letters',
    source:
      'https://github.com/aztfmod/terraform-azurerm-caf, modules/networking/routes/module.tf: lower(next_hop_type)',
    ways: (value, key) => (key === 'nextHopType' ? cases(value) : []),
  },
  {
    name: 'no address of a next hop as an empty text',
    source:
      'https://github.com/Azure/terraform-provider-azapi: "nextHopIpAddress": "" beside "nextHopType": "VnetLocal"',
    ways: (value) => {
      if (!isObject(value) || !('nextHopType' in value) || 'nextHopIpAddress' in value) return [];
      return [value, withFields(value, { nextHopIpAddress: '' })];
    },
  },
  {
    name: 'an IPv6 address of a next hop with all its groups, or in capitals',
    source: 'https://www.rfc-editor.org/rfc/rfc5952#section-1: every form of RFC 4291 is one address',
    ways: (value, key) => (/^nextHopIpAddress/.test(key) && typeof value === 'string' ? ipv6Forms(value) : []),
  },
  {
    name: 'one of a list in the field for one, or in the list',
    source: `${RULES}; ${C7N}: destinationPortRange and destinationPortRanges`,
    ways: (value) => (isRule(value) ? [value, PAIRS.reduce(inList, value), PAIRS.reduce(inOne, value)] : []),
  },
  {
    name: 'lists of a rule absent, or null',
    source: `${C7N}: empty lists; ${RULES}: none is required`,
    ways: (value) => (isRule(value) ? [value, emptied(value, undefined), emptied(value, null)] : []),
  },
  {
    name: 'an empty address beside groups, or none',
    source: `${C7N}: sourceAddressPrefix '' beside sourceApplicationSecurityGroups`,
    ways: (value) => (isRule(value) ? [value, withoutBlank(value)] : []),
  },
  {
    name: 'the block of a subnet as a list of one',
    source: 'https://learn.microsoft.com/rest/api/virtualnetwork/subnets/get: addressPrefix and addressPrefixes',
    ways: (value) => {
      if (!isObject(value) || typeof value['addressPrefix'] !== 'string' || 'nextHopType' in value) return [];
      const list = [value['addressPrefix']];
      return [
        value,
        withFields(value, { addressPrefix: undefined, addressPrefixes: list }),
        withFields(value, { addressPrefixes: list }),
      ];
    },
  },
  {
    name: 'lists in another order',
    source: 'https://github.com/hashicorp/terraform-provider-azurerm: pluginsdk.TypeSet',
    ways: (value, key) => (SETS.test(key) && Array.isArray(value) ? orders(value) : []),
  },
  {
    name: 'ids with their resource group in capitals, in small letters, or wholly in capitals behind it',
    source: `${C7N}: 55 of 525 groups in capitals; https://github.com/hashicorp/terraform-provider-azurerm/issues/29841`,
    ways: (value) => (isId(value) ? idCases(value) : []),
  },
  {
    name: 'identities by ids in another case',
    source:
      'https://github.com/hashicorp/terraform-provider-azurerm/issues/9869: resourcegroups in the keys of userAssignedIdentities',
    ways: (value, key) => (key === 'userAssignedIdentities' && isObject(value) ? [value, recased(value)] : []),
  },
  {
    name: 'a location by its display name',
    source: `https://learn.microsoft.com/azure/reliability/regions-list; ${C7N}: global and Global`,
    ways: (value, key) => {
      const shown = key === 'location' ? DISPLAY_NAMES[String(value)] : undefined;
      return shown === undefined ? [] : [value, shown, shown.replace(' ', '')];
    },
  },
  {
    name: 'no tags as an empty object, or null',
    source:
      'https://learn.microsoft.com/rest/api/resources/tags: an object; absent in answers of resources that never had any',
    ways: (value) => {
      if (!isObject(value) || !isId(value['id']) || !('location' in value)) return [];
      if (value['tags'] !== undefined && JSON.stringify(value['tags']) !== '{}') return [];
      return [
        value,
        withFields(value, { tags: {} }),
        withFields(value, { tags: null }),
        withFields(value, { tags: undefined }),
      ];
    },
  },
  {
    name: 'tags in another order',
    source:
      'https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources: pairs of names and values',
    ways: (value, key) =>
      key === 'tags' && isObject(value)
        ? orders(Object.entries(value)).map((entries) => Object.fromEntries(entries))
        : [],
  },
  {
    name: 'empty lists left out, or there',
    source: `${C7N}: dataDisks [] and absent`,
    ways: (value) => {
      if (!isObject(value)) return [];
      const here = EMPTY.filter(([beside, list]) => beside in value && Array.isArray(value[list] ?? []));
      const bare = here.filter(([, list]) => value[list] === undefined || String(value[list]) === '');
      if (bare.length === 0) return [];
      const all = (as: unknown): object => withFields(value, Object.fromEntries(bare.map(([, list]) => [list, as])));
      return [value, all([]), all(undefined)];
    },
  },
];

function cases(value: unknown): readonly unknown[] {
  if (typeof value !== 'string' || value === '*') return [];
  return [value, value.toUpperCase(), value.toLowerCase()];
}

function inList(rule: Fields, [one, many]: readonly [string, string]): Fields {
  const only = rule[one];
  if (typeof only !== 'string' || only === '' || !isWritableInList(only)) return rule;
  // why: withFields gives back the fields that it was given
  return withFields(rule, { [one]: undefined, [many]: [only] }) as Fields;
}

/** `*` and service tags stand alone: https://github.com/hashicorp/terraform-provider-azurerm/issues/5617 */
function isWritableInList(text: string): boolean {
  return text !== '*' && !SERVICE_TAG.test(text);
}

function inOne(rule: Fields, [one, many]: readonly [string, string]): Fields {
  const list = rule[many];
  if (!isTexts(list) || list.length !== 1) return rule;
  return withFields(rule, { [one]: list[0], [many]: [] }) as Fields; // why: as above
}

function emptied(rule: Fields, as: null | undefined): object {
  const empty = PAIRS.flatMap(([, many]) => (isTexts(rule[many]) && rule[many].length === 0 ? [[many, as]] : []));
  return withFields(rule, Object.fromEntries(empty));
}

function withoutBlank(rule: Fields): object {
  const blank = PAIRS.flatMap(([one]) => (rule[one] === '' ? [[one, undefined]] : []));
  return withFields(rule, Object.fromEntries(blank));
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\//i.test(value);
}

function idCases(id: string): readonly string[] {
  const [, start = '', group = '', rest = ''] =
    /^(\/subscriptions\/[^/]+\/resourceGroups\/)([^/]+)(\/.*)$/i.exec(id) ?? [];
  return [id, start + group.toUpperCase() + rest, id.toLowerCase(), start + group.toUpperCase() + nameInCapitals(rest)];
}

function nameInCapitals(rest: string): string {
  const at = rest.lastIndexOf('/') + 1;
  return rest.slice(0, at) + rest.slice(at).toUpperCase();
}

function recased(identities: Fields): object {
  return Object.fromEntries(
    Object.entries(identities).map(([id, each]) => [id.replace(/resourceGroups/i, 'resourcegroups'), each]),
  );
}

export const ARM_TABLE: JsonTable = {
  rows: ARM_SPELLINGS,
  opaque: new Set(['tags', 'description']),
  idOf: (object) => ('id' in object && typeof object.id === 'string' ? object.id : undefined),
};
