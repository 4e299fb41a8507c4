import { addressNumber, parseCidr } from '../cidr.ts';
import { listOf, optional, scalar } from '../json.ts';
import { fields, readOnly } from './body.ts';
import { refused } from './errors.ts';
import { reference } from './network-interface.ts';
import type { NetworkSecurityGroup, RuleSide, SecurityRule, Traffic } from './records.ts';
import { childPath, keyOf, nameOf } from './resource-id.ts';
import type { RuleQuotas } from './subscription.ts';

/**
 * Service tags that rules may name, with ranges for the packet check. The names are Azure's; its ranges are thousands
 * and change weekly, so those here are a sample out of the blocks that the tag really holds.
 * https://learn.microsoft.com/azure/virtual-network/service-tags-overview#available-service-tags
 */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  ActionGroup: [],
  ApiManagement: [],
  AppService: ['20.50.64.0/24'],
  AzureActiveDirectory: ['20.190.128.0/18'],
  AzureBackup: [],
  AzureCloud: ['20.38.64.0/19', '20.50.0.0/16', '20.190.128.0/18', '52.239.128.0/17', '40.74.0.0/15'],
  AzureContainerRegistry: ['40.74.100.160/27'],
  AzureCosmosDB: ['40.74.98.192/26'],
  AzureKeyVault: ['20.50.88.128/25'],
  AzureMonitor: ['20.50.65.64/26'],
  AzureResourceManager: ['20.50.68.112/28'],
  AzureTrafficManager: [],
  EventHub: ['20.50.72.0/26'],
  GatewayManager: [],
  ServiceBus: ['20.50.72.64/26'],
  Sql: ['40.74.96.0/24'],
  Storage: ['20.38.64.0/19', '52.239.128.0/17'],
};

const REGIONS: ReadonlySet<string> = new Set(['westeurope', 'northeurope', 'eastus', 'eastus2', 'westus', 'westus2']);

/** The three that mean a place and no service: any case is taken. */
const PLACES: ReadonlySet<string> = new Set(['virtualnetwork', 'internet', 'azureloadbalancer']);

/** The probes' and the platform's own address: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 */
export const LOAD_BALANCER = '168.63.129.16';

const byKey = new Map(Object.entries(RANGES).map(([name, ranges]) => [name.toLowerCase(), ranges]));

function isServiceTag(value: string): boolean {
  return PLACES.has(value.toLowerCase()) || rangesOf(value) !== undefined;
}

/** The blocks of a service, also of `Storage.WestEurope`; undefined when no service has this tag. */
export function rangesOf(tag: string): readonly string[] | undefined {
  const [name = '', region] = tag.toLowerCase().split('.');
  return region === undefined || REGIONS.has(region) ? byKey.get(name) : undefined;
}

/**
 * Azure's validation of a rule. Bounds: https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#security-rules;
 * codes and sentences as recorded: priority and conflict in https://github.com/hashicorp/terraform-provider-azurerm/issues/11137,
 * prefixes in https://github.com/Azure/azure-powershell/issues/4557, tags and `*` in a list in
 * https://github.com/hashicorp/terraform-provider-azurerm/issues/5617, "exactly one of" in https://github.com/Azure/azure-cli/issues/8615.
 * The codes of a bad protocol, access, direction and description, and of "exactly one of", are assumptions.
 */
const PRIORITIES = { lowest: 100, highest: 4096 };

const LONGEST_DESCRIPTION = 140;

/** https://learn.microsoft.com/rest/api/virtualnetwork/security-rules/create-or-update#securityruleprotocol */
const PROTOCOLS: ReadonlySet<string> = new Set(['tcp', 'udp', 'icmp', 'esp', 'ah', '*']);

type Properties = RuleForm['properties'];

/** Protocol as written, access and direction in Azure's own spelling. */
export function checkedTraffic({ protocol = '', access, direction, priority }: Properties): Traffic {
  if (!PROTOCOLS.has(protocol.toLowerCase())) throw invalid('Protocol', protocol);
  if (
    priority === undefined ||
    !Number.isInteger(priority) ||
    priority < PRIORITIES.lowest ||
    priority > PRIORITIES.highest
  )
    throw refused(
      'SecurityRuleInvalidPriority',
      `Security rule has invalid Priority. Value provided: ${priority} Allowed range ${PRIORITIES.lowest}-${PRIORITIES.highest}.`,
      { details: [] },
    );
  return {
    protocol,
    priority,
    access: oneOf('Access', ['Allow', 'Deny'], access),
    direction: oneOf('Direction', ['Inbound', 'Outbound'], direction),
  };
}

export function checkedDescription(description: string | undefined): string | undefined {
  if ((description?.length ?? 0) <= LONGEST_DESCRIPTION) return description;
  throw refused(
    'SecurityRuleInvalidDescription',
    `Security rule has invalid Description. The description must not be longer than ${LONGEST_DESCRIPTION} characters.`,
    { details: [] },
  );
}

interface Where {
  readonly path: string;
  readonly side: 'Source' | 'Destination';
  readonly quotas: RuleQuotas;
}

/** Exactly one way of saying who, exactly one of saying which ports, and each of them well-formed. */
export function checkSide(side: RuleSide, where: Where): void {
  const { path, side: name } = where;
  const who = [side.prefixes.length > 0, Boolean(side.prefix), side.groups.length > 0];
  const ports = [side.portRanges.length > 0, Boolean(side.portRange)];
  if (who.filter(Boolean).length !== 1)
    throw exactlyOne(path, `${name}AddressPrefixes, ${name}AddressPrefix, ${name}ApplicationSecurityGroups`);
  if (ports.filter(Boolean).length !== 1) throw exactlyOne(path, `${name}PortRanges, ${name}PortRange`);
  checkPrefixes(side, where);
  checkPorts(side, where);
}

/** `*` and service tags stand alone, never in a list. */
function checkPrefixes({ prefix, prefixes }: RuleSide, { path, side, quotas }: Where): void {
  if (prefixes.length > quotas.prefixesPerSide)
    throw refused(
      'SecurityRuleAddressPrefixLimitReached',
      `Security rule ${path} has too many ${side}AddressPrefixes.`,
    );
  const tag = prefixes.find((each) => each === '*' || isServiceTag(each));
  if (tag !== undefined) throw tagInList(path, `${side}AddressPrefix`, tag);
  const single = prefix && prefix !== '*' && !isServiceTag(prefix) ? [prefix] : [];
  const bad = [...prefixes, ...single].find((each) => !isAddress(each));
  if (bad !== undefined) throw badPrefix(path, bad);
}

function checkPorts({ portRange, portRanges }: RuleSide, { path }: Where): void {
  const bad = portRanges.find((range) => !isPortRange(range));
  if (bad !== undefined) throw badPorts(path, bad, 'SecurityRuleParameterContainsInvalidPortRanges');
  if (portRange && portRange !== '*' && !isPortRange(portRange))
    throw badPorts(path, portRange, 'SecurityRuleInvalidPortRange');
}

/** Within a security group: no two of one direction and priority. */
export function refuseConflicts(rules: readonly SecurityRule[]): void {
  const taken = new Map<string, SecurityRule>();
  for (const rule of rules) {
    const key = `${rule.traffic.direction}/${rule.traffic.priority}`;
    const other = taken.get(key);
    if (other)
      throw refused(
        'SecurityRuleConflict',
        `Security rule ${nameOf(other.path)} conflicts with rule ${nameOf(rule.path)}. Rules cannot have the same Priority and Direction. To learn more, see aka.ms/nsgrules.`,
        { details: [] },
      );
    taken.set(key, rule);
  }
}

/** An address, or a block without host bits. */
function isAddress(value: string): boolean {
  const [address = '', prefix] = value.split('/');
  const parsed = addressNumber(address);
  if (prefix === undefined || !parsed) return parsed !== undefined && prefix === undefined;
  return parseCidr(value, parsed.family)?.first === parsed.number;
}

function isPortRange(value: string): boolean {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(value) ?? [];
  return first !== undefined && Number(first) <= Number(last) && Number(last) <= 65_535;
}

function oneOf<const T extends string>(what: string, values: readonly T[], written = ''): T {
  const found = values.find((each) => each.toLowerCase() === written.toLowerCase());
  if (found === undefined) throw invalid(what, written);
  return found;
}

function invalid(what: string, value: string): Error {
  return refused(`SecurityRuleInvalid${what}`, `Security rule has invalid ${what}. Value provided: ${value}`, {
    details: [],
  });
}

function exactlyOne(path: string, names: string): Error {
  return refused(
    'SecurityRuleParameterNotSpecified',
    `Security rule with Id ${path} must specify a non empty value for exactly one of: ${names}.`,
    { details: [] },
  );
}

function tagInList(path: string, parameter: string, value: string): Error {
  return refused(
    'SecurityRuleParameterContainsUnsupportedValue',
    `Security rule parameter ${parameter} for rule with Id ${path} cannot specify existing VIRTUALNETWORK, INTERNET, AZURELOADBALANCER, '*' or system tags. Unsupported value used: ${value}.`,
    { details: [] },
  );
}

function badPrefix(path: string, value: string): Error {
  return refused(
    'SecurityRuleInvalidAddressPrefix',
    `Security rule ${path} has invalid Address prefix. Value provided: ${value}`,
    { details: [] },
  );
}

function badPorts(path: string, value: string, code: string): Error {
  return refused(
    code,
    `Security rule ${path} has invalid Port range. Value provided: ${value}. Value should be an integer OR integer range with '-' delimiter. Valid range 0-65535.`,
    { details: [] },
  );
}

const text = optional(scalar('string'));

const texts = optional(listOf(scalar('string')));

const references = optional(listOf(reference));

/** A security rule as a client writes it, inline or on its own. */
export const ruleForm = fields({
  name: text,
  properties: fields({
    description: text,
    protocol: text,
    access: text,
    direction: text,
    priority: optional(scalar('number')),
    sourceAddressPrefix: text,
    sourceAddressPrefixes: texts,
    sourceApplicationSecurityGroups: references,
    sourcePortRange: text,
    sourcePortRanges: texts,
    destinationAddressPrefix: text,
    destinationAddressPrefixes: texts,
    destinationApplicationSecurityGroups: references,
    destinationPortRange: text,
    destinationPortRanges: texts,
    provisioningState: readOnly,
  }),
  id: readOnly,
  etag: readOnly,
  type: readOnly,
});

export type RuleForm = ReturnType<typeof ruleForm>;

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

type Row = readonly [
  name: string,
  description: string,
  way: Pick<Traffic, 'direction' | 'access' | 'priority'>,
  source: string,
  destination: string,
];

/** https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#default-security-rules */
const ROWS: readonly Row[] = [
  [
    'AllowVnetInBound',
    'Allow inbound traffic from all VMs in VNET',
    { direction: 'Inbound', access: 'Allow', priority: 65_000 },
    'VirtualNetwork',
    'VirtualNetwork',
  ],
  [
    'AllowAzureLoadBalancerInBound',
    'Allow inbound traffic from azure load balancer',
    { direction: 'Inbound', access: 'Allow', priority: 65_001 },
    'AzureLoadBalancer',
    '*',
  ],
  ['DenyAllInBound', 'Deny all inbound traffic', { direction: 'Inbound', access: 'Deny', priority: 65_500 }, '*', '*'],
  [
    'AllowVnetOutBound',
    'Allow outbound traffic from all VMs to all VMs in VNET',
    { direction: 'Outbound', access: 'Allow', priority: 65_000 },
    'VirtualNetwork',
    'VirtualNetwork',
  ],
  [
    'AllowInternetOutBound',
    'Allow outbound traffic from all VMs to Internet',
    { direction: 'Outbound', access: 'Allow', priority: 65_001 },
    '*',
    'Internet',
  ],
  [
    'DenyAllOutBound',
    'Deny all outbound traffic',
    { direction: 'Outbound', access: 'Deny', priority: 65_500 },
    '*',
    '*',
  ],
];

/** The six that every security group has and nobody can take away. */
export function defaultRules(group: Pick<NetworkSecurityGroup, 'path'>): readonly SecurityRule[] {
  return ROWS.map(([name, description, way, source, destination]) => {
    const path = childPath(group, 'defaultSecurityRules', name);
    const traffic = { protocol: '*', ...way };
    return { id: keyOf(path), path, description, traffic, source: side(source), destination: side(destination) };
  });
}

function side(prefix: string): RuleSide {
  return { prefix, prefixes: [], portRange: '*', portRanges: [], groups: [] };
}
