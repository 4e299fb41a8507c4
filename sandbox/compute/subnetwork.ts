import { addressText, type Cidr, contains, overlaps, parseCidr } from '../cidr.ts';
import { invalid, refused, required } from './errors.ts';
import { flag, listOf, type Message, message, oneOf, type Reader, text } from './message.ts';
import { linkTo, nameIn } from './place.ts';
import type { Project } from './project.ts';
import type { Json, SecondaryRange, Subnetwork } from './records.ts';
import { checkedName, fingerprint, resourceJson, shown } from './resource.ts';

const rate: Reader<number> = (value, field) => {
  if (typeof value !== 'number' || value < 0 || value > 1) throw invalid(field, value, 'Must be between 0 and 1.');
  return value;
};

const logFields = {
  enable: flag,
  aggregationInterval: oneOf(
    'INTERVAL_5_SEC',
    'INTERVAL_30_SEC',
    'INTERVAL_1_MIN',
    'INTERVAL_5_MIN',
    'INTERVAL_10_MIN',
    'INTERVAL_15_MIN',
  ),
  flowSampling: rate,
  filterExpr: text,
  metadata: oneOf('EXCLUDE_ALL_METADATA', 'INCLUDE_ALL_METADATA', 'CUSTOM_METADATA'),
  metadataFields: listOf(text),
} as const;

const secondaryRange = message(
  { rangeName: text, ipCidrRange: text, ipVersion: oneOf('IPV4') },
  { unmodelled: ['ipCollection', 'reservedInternalRange'] },
);

const fields = {
  name: text,
  description: text,
  network: text,
  ipCidrRange: text,
  region: text,
  privateIpGoogleAccess: flag,
  enableFlowLogs: flag,
  logConfig: message(logFields),
  fingerprint: text,
  secondaryIpRanges: listOf(secondaryRange),
  purpose: oneOf('PRIVATE'),
  stackType: oneOf('IPV4_ONLY'),
  privateIpv6GoogleAccess: oneOf('DISABLE_GOOGLE_ACCESS'),
} as const;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/subnetworks */
export const subnetworkMessage = message(fields, {
  outputs: [
    'kind',
    'id',
    'creationTimestamp',
    'selfLink',
    'gatewayAddress',
    'state',
    'ipv6CidrRange',
    'ipv6GceEndpoint',
    'systemReservedExternalIpv6Ranges',
    'systemReservedInternalIpv6Ranges',
    'utilizationDetails',
  ],
  unmodelled: [
    'allowSubnetCidrRoutesOverlap',
    'externalIpv6Prefix',
    'internalIpv6Prefix',
    'ipCollection',
    'ipv6AccessType',
    'params',
    'reservedInternalRange',
    'resolveSubnetMask',
    'role',
  ],
});

type SubnetworkMessage = Message<typeof fields>;

/** https://docs.cloud.google.com/vpc/docs/subnets#ipv4-ranges: a primary range is /29 or larger, and lies in none of these */
const NARROWEST = 29;

const PROHIBITED: readonly string[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '255.255.255.255/32',
  '199.36.153.4/30',
  '199.36.153.8/30',
];

export function checkedRange(value: string | undefined, field = 'resource.ipCidrRange'): Cidr {
  if (!value) throw required(field);
  const cidr = parseCidr(value, 'ipv4');
  if (!cidr || cidr.text !== value) throw invalid(field, value, 'Must be a valid IPV4 CIDR address range.');
  if (cidr.prefix > NARROWEST)
    throw invalid(field, value, `Range is too small: the smallest subnetwork is a /${NARROWEST}.`);
  for (const each of PROHIBITED) {
    const block = parseCidr(each, 'ipv4');
    if (block && overlaps(block, cidr)) throw invalid(field, value, `The range is within the prohibited ${each}.`);
  }
  return cidr;
}

/** The secondary ranges that a request lists: whole, as `patch` replaces them. The same blocks are valid as for a primary range. */
export function secondaryOf({
  secondaryIpRanges = [],
}: Pick<SubnetworkMessage, 'secondaryIpRanges'>): readonly SecondaryRange[] {
  return secondaryIpRanges.map(({ rangeName, ipCidrRange }, index) => {
    const field = `resource.secondaryIpRanges[${index}]`;
    const name = checkedName(rangeName, `${field}.rangeName`);
    if (secondaryIpRanges.slice(0, index).some((other) => other.rangeName === name))
      throw invalid(`${field}.rangeName`, name, 'The name is taken in this subnetwork.');
    return { name, cidr: checkedRange(ipCidrRange, `${field}.ipCidrRange`).text };
  });
}

/** All IPv4 blocks of a subnetwork. */
export const blocksIn = ({ cidr, secondary }: Pick<Subnetwork, 'cidr' | 'secondary'>): readonly Cidr[] =>
  [cidr, ...secondary.map((range) => range.cidr)].flatMap((block) => parseCidr(block, 'ipv4') ?? []);

/**
 * Ranges of a network never overlap, in whichever regions. Google says so when the operation runs, with the code
 * INVALID_USAGE: https://docs.cloud.google.com/vpc/docs/subnets#ipv4-ranges
 */
export function mustNotOverlap(project: Project, subnetwork: Subnetwork): void {
  const own = blocksIn(subnetwork);
  for (const [index, block] of own.entries())
    if (own.slice(0, index).some((other) => overlaps(other, block)))
      throw refused(
        'invalidUsage',
        `Invalid IPCidrRange: ${block.text} conflicts with another range of the subnetwork.`,
      );
  for (const other of project.subnetworks.of(subnetwork.network)) {
    const taken = other.id === subnetwork.id ? [] : blocksIn(other);
    const clash = own.find((block) => taken.some((one) => overlaps(one, block)));
    if (clash)
      throw refused(
        'invalidUsage',
        `Invalid IPCidrRange: ${clash.text} conflicts with existing subnetwork '${other.name}' in region '${nameIn(other.scope)}'.`,
      );
  }
}

export function mustGrow(subnetwork: Subnetwork, cidr: Cidr): void {
  const before = parseCidr(subnetwork.cidr, 'ipv4');
  if (!before || before.text === cidr.text || !contains(cidr, before))
    throw invalid('ipCidrRange', cidr.text, `Must be a larger range that contains ${subnetwork.cidr}.`);
}

/** Defaults: https://docs.cloud.google.com/vpc/docs/using-flow-logs#enable-logging-new-subnets */
const LOG_DEFAULTS = { aggregationInterval: 'INTERVAL_5_SEC', flowSampling: 0.5, metadata: 'EXCLUDE_ALL_METADATA' };

export function logOf({ logConfig, enableFlowLogs }: SubnetworkMessage): Json | undefined {
  const enable = logConfig?.enable ?? enableFlowLogs;
  if (enable === undefined && logConfig === undefined) return undefined;
  return enable ? { ...LOG_DEFAULTS, ...logConfig, enable } : { ...logConfig, enable: false };
}

export function subnetworkJson(project: Project, subnetwork: Subnetwork): Json {
  const cidr = parseCidr(subnetwork.cidr, 'ipv4');
  return shown({
    ...resourceJson(project, 'subnetwork', subnetwork),
    network: linkTo(project, subnetwork.network),
    ipCidrRange: subnetwork.cidr,
    // The second address of the range: https://docs.cloud.google.com/vpc/docs/subnets#unusable-ip-addresses-in-every-subnet
    gatewayAddress: cidr && addressText(cidr.first + 1n, 'ipv4'),
    region: linkTo(project, subnetwork.scope),
    privateIpGoogleAccess: subnetwork.privateGoogleAccess,
    privateIpv6GoogleAccess: 'DISABLE_GOOGLE_ACCESS',
    fingerprint: subnetworkFingerprint(subnetwork),
    enableFlowLogs: subnetwork.log?.['enable'],
    logConfig: subnetwork.log,
    purpose: 'PRIVATE',
    secondaryIpRanges:
      subnetwork.secondary.length > 0
        ? subnetwork.secondary.map(({ name, cidr: block }) => ({ rangeName: name, ipCidrRange: block }))
        : undefined,
    ...ipv6Json(subnetwork),
  });
}

/** https://docs.cloud.google.com/vpc/docs/subnets#ipv6-ranges */
function ipv6Json({ ipv6: { internal, external } }: Subnetwork): Json {
  if (internal === undefined && external === undefined) return { stackType: 'IPV4_ONLY' };
  return {
    stackType: 'IPV4_IPV6',
    ipv6AccessType: external === undefined ? 'INTERNAL' : 'EXTERNAL',
    internalIpv6Prefix: internal,
    externalIpv6Prefix: external,
    ipv6CidrRange: (external ?? internal)?.replace(/64$/, '96'),
  };
}

/** A subnetwork as a request may say it: an estate alone gives it IPv6. */
export function knownSubnetwork(project: Project, subnetwork: Subnetwork): SubnetworkMessage {
  const ipv6 = { internal: undefined, external: undefined };
  return subnetworkMessage(subnetworkJson(project, { ...subnetwork, ipv6 }), 'resource');
}

/** Over all that may change, and over the number: a subnetwork that was made anew has another. */
export function subnetworkFingerprint({ number, cidr, secondary, privateGoogleAccess, log }: Subnetwork): string {
  return fingerprint(['subnetwork', { number, cidr, secondary, privateGoogleAccess, log }]);
}
