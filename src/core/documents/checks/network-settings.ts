import { formatCidr, overlapsCidr, parseCidr } from '../../cidr.ts';
import { routeTerms } from '../../resource.ts';
import type { NetworkDoc, TargetDoc } from '../document.ts';
import { error, type Problem } from '../problem.ts';
import { type SpecSet, targetsOf } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';

type OfNetwork = NonNullable<NetworkDoc['spec']['settings']>;
type OfSubnet = NonNullable<NetworkDoc['spec']['subnets'][number]['settings']>;
type Cloud = TargetDoc['spec']['provider'];
type Clouds = readonly Cloud[];

/**
 * The clouds that have a setting; the memory provider has none. A network of Google Cloud has no addresses of its own but an internal
 * IPv6 block, and its subnets have one IPv4 block and named ranges. Routes belong to the network there, and to a table of the subnet
 * elsewhere.
 */
const NETWORK_CLOUDS: Readonly<Record<keyof OfNetwork, Clouds>> = {
  secondaryCidrs: ['aws', 'azure'],
  ipv6Cidrs: ['aws', 'gcp', 'azure'],
  routes: ['gcp'],
  natGateways: ['aws', 'gcp'],
  peerings: ['aws', 'gcp', 'azure'],
};

const SUBNET_CLOUDS: Readonly<Record<keyof OfSubnet, Clouds>> = {
  secondaryCidrs: ['azure'],
  ipv6Cidrs: ['aws', 'gcp', 'azure'],
  secondaryRanges: ['gcp'],
  privateGoogleAccess: ['gcp'],
  publicIpOnLaunch: ['aws'],
  routes: ['aws', 'azure'],
  natGateway: ['azure'],
};

/**
 * Only an adopted network or subnet may state settings, and only those that its clouds have. On AWS `internet` gives a subnet another
 * route table, and on Google Cloud it states the default route, which is one of the routes. So a document that states the routes there
 * leaves it alone.
 */
export function* networkSettings(set: SpecSet): Iterable<Problem> {
  for (const network of set.networks.values()) {
    const { metadata, spec } = network.value;
    const { settings, targets } = spec;
    yield* settingsOn(set, network, {
      targets,
      settings,
      cidr: spec.cidr,
      adopt: metadata.adopt,
      path: ['spec'],
    });
    const isManaged = spec.internet !== 'unmanaged';
    if (settings?.routes !== undefined && isManaged)
      yield* statedTwice(network, ['spec', 'settings', 'routes'], targetsOf(set, targets));
    for (const [index, subnet] of spec.subnets.entries()) {
      const here = subnet.target === undefined ? targets : [subnet.target];
      const path = ['spec', 'subnets', index];
      yield* settingsOn(set, network, { ...subnet, targets: here, path });
      if (subnet.settings?.routes !== undefined && isManaged)
        yield* statedTwice(network, [...path, 'settings', 'routes'], targetsOf(set, here));
    }
  }
}

/** Routes of a network are those of Google Cloud, routes of a subnet those of AWS and Azure. */
function* statedTwice(
  network: Located<NetworkDoc>,
  path: Path,
  targets: readonly Located<TargetDoc>[],
): Iterable<Problem> {
  const [cloud, doing] = path.length > 3 ? ['aws', onAws] : ['gcp', onGoogle];
  const target = targets.find(({ value }) => value.spec.provider === cloud)?.value.metadata.name;
  if (target === undefined) return;
  const message = `\`internet: ${network.value.spec.internet}\` ${doing} (${target})`;
  yield error('not-expressible', network.at(path), message, { expected: '`internet: unmanaged`, or no routes' });
}

const onAws = 'would put the subnet on a route table without these routes';
const onGoogle = 'states the default route, which is one of these routes';

interface Stated {
  readonly targets: readonly string[];
  readonly settings?: Settings | undefined;
  readonly adopt?: Readonly<Record<string, string>> | undefined;
  readonly cidr: string;
  /** Of the map that has the field `settings`. */
  readonly path: Path;
}

/** Those of a network, or those of a subnet. */
type Settings = Omit<OfNetwork & OfSubnet, 'routes'> & Pick<OfNetwork, 'routes'>;

function* settingsOn(set: SpecSet, network: Located<NetworkDoc>, stated: Stated): Iterable<Problem> {
  if (stated.settings === undefined) return;
  const targets = targetsOf(set, stated.targets);
  const clouds = new Set(targets.map(({ value }) => value.spec.provider));
  for (const { value } of targets) {
    if (Object.hasOwn(stated.adopt ?? {}, value.metadata.name)) yield* unknownSettings(network, stated, value, clouds);
    else yield notAdopted(network, stated, value.metadata.name);
  }
  yield* impossibleValues(network, stated, clouds);
  yield* repeatedRoutes(network, stated, clouds.has('azure'));
  if (clouds.has('aws') && isOfNetwork(stated.path)) yield* overlappingBlocks(network, stated);
}

const isOfNetwork = (path: Path): boolean => path.length === 1;

function notAdopted(network: Located<NetworkDoc>, { path }: Stated, target: string): Problem {
  const [kind, field] = isOfNetwork(path) ? ['network', 'metadata.adopt'] : ['subnet', 'adopt'];
  const message = `Setpoint makes no ${kind} with these settings yet: only one that the document adopts may state them (${target})`;
  const expected = `no settings, or its id under ${field}: { ${target}: <id> }`;
  return error('not-expressible', network.at([...path, 'settings']), message, { expected });
}

/** A setting of one cloud may belong to the network there, and to the subnet on another. */
function* unknownSettings(
  network: Located<NetworkDoc>,
  { settings = {}, path }: Stated,
  { metadata, spec }: TargetDoc,
  clouds: ReadonlySet<Cloud>,
): Iterable<Problem> {
  const [here, there, kind, other] = isOfNetwork(path)
    ? [NETWORK_CLOUDS, SUBNET_CLOUDS, 'network', 'the settings of an entry of `subnets`']
    : [SUBNET_CLOUDS, NETWORK_CLOUDS, 'subnet', 'the settings of the network, under spec'];
  for (const [setting, value] of Object.entries(settings)) {
    const having = cloudsWith(here, setting);
    if (value === undefined || having.includes(spec.provider)) continue;
    const message = `a ${kind} of this cloud has no such setting (${metadata.name})`;
    const elsewhere = cloudsWith(there, setting).includes(spec.provider)
      ? `${setting} in ${other}: that is its place on ${spec.provider}`
      : `no ${setting}: only ${having.join(', ')} has it`;
    const expected = having.some((cloud) => clouds.has(cloud))
      ? `${setting} only where every target is of ${having.join(', ')}`
      : elsewhere;
    yield error('not-expressible', network.at([...path, 'settings', setting]), message, { expected });
  }
}

const cloudsWith = (table: Readonly<Record<string, Clouds>>, setting: string): Clouds => table[setting] ?? [];

/** A value that no network or subnet of a cloud can have: its form, and the reason and the form to write. */
interface ValueRow {
  readonly clouds: Clouds;
  readonly field: keyof Settings;
  /** Of an entry that is a map. */
  readonly part?: string;
  readonly allows: (text: string) => boolean;
  readonly why: string;
  readonly instead: string;
}

const isBlock = (text: string): boolean => parseCidr(text) !== undefined;

const isAddress = (text: string): boolean => isBlock(`${text}/32`) || isBlock(`${text}/128`);

const matches =
  (form: RegExp) =>
  (text: string): boolean =>
    form.test(text);

/** Only forms that the cloud's own documents fix: an import writes all that a cloud answers. */
const VALUE_ROWS: readonly ValueRow[] = [
  {
    clouds: ['aws', 'azure'],
    field: 'secondaryCidrs',
    allows: (text) => parseCidr(text)?.family === 4,
    why: 'this is an IPv6 block',
    instead: 'IPv4 blocks; IPv6 blocks are ipv6Cidrs',
  },
  {
    clouds: ['aws', 'gcp', 'azure'],
    field: 'ipv6Cidrs',
    allows: (text) => parseCidr(text)?.family === 6,
    why: 'this is an IPv4 block',
    instead: 'IPv6 blocks, such as 2001:db8::/56',
  },
  {
    // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Route.html
    clouds: ['aws'],
    field: 'routes',
    part: 'destination',
    allows: (text) => isBlock(text) || text.startsWith('pl-'),
    why: 'this is no destination of a route of AWS',
    instead: 'an address block such as 10.40.0.0/16, or the id of a prefix list: pl-0abc…',
  },
  {
    // https://cloud.google.com/compute/docs/reference/rest/v1/routes
    clouds: ['gcp'],
    field: 'routes',
    part: 'destination',
    allows: isBlock,
    why: 'this is no destination of a route of Google Cloud',
    instead: 'an address block with its mask, such as 10.40.0.0/16',
  },
  {
    // https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview#service-tags-for-user-defined-routes
    clouds: ['azure'],
    field: 'routes',
    part: 'destination',
    allows: (text) => isBlock(text) || isAddress(text) || /^[a-z][\w.-]*$/i.test(text),
    why: 'this is no destination of a route of Azure',
    instead: 'an address block such as 10.40.0.0/16, or a service tag such as Storage',
  },
  {
    // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NatGateway.html
    clouds: ['aws'],
    field: 'natGateways',
    allows: matches(/^nat-./),
    why: 'this is no NAT gateway of AWS',
    instead: 'its id: nat-0abc…',
  },
  {
    clouds: ['gcp'],
    field: 'natGateways',
    allows: matches(/^[^/]+\/[^/]+\/[^/]+$/),
    why: 'this is no NAT gateway of Google Cloud',
    instead: '<region>/<router>/<name>, such as europe-west1/hub/out',
  },
  {
    // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VpcPeeringConnection.html
    clouds: ['aws'],
    field: 'peerings',
    part: 'name',
    allows: matches(/^pcx-./),
    why: 'this is no peering of AWS',
    instead: 'its id: pcx-0abc…',
  },
  {
    // The VPC of another account, too.
    clouds: ['aws'],
    field: 'peerings',
    part: 'network',
    allows: matches(/^vpc-./),
    why: 'this is no VPC',
    instead: 'the id of the other VPC: vpc-0abc…',
  },
  {
    // `peerings[].network` of https://cloud.google.com/compute/docs/reference/rest/v1/networks; ids end in a number
    clouds: ['gcp'],
    field: 'peerings',
    part: 'network',
    allows: matches(/^projects\/[^/]+\/global\/networks\/[^/]+$/),
    why: 'this is no network of Google Cloud',
    instead: 'the path of the other network: projects/<project>/global/networks/<name>',
  },
  {
    // `remoteVirtualNetwork` of https://learn.microsoft.com/rest/api/virtualnetwork/virtual-network-peerings/get
    clouds: ['azure'],
    field: 'peerings',
    part: 'network',
    allows: matches(/^\/subscriptions\/.+\/virtualNetworks\/[^/]+\/?$/i),
    why: 'this is no virtual network of Azure',
    instead: 'the id of the other one: /subscriptions/…/virtualNetworks/<name>',
  },
];

function* impossibleValues(
  network: Located<NetworkDoc>,
  { settings = {}, path }: Stated,
  clouds: ReadonlySet<Cloud>,
): Iterable<Problem> {
  for (const { field, part, allows, why, instead, clouds: having } of VALUE_ROWS) {
    if (!having.some((cloud) => clouds.has(cloud))) continue;
    for (const [at, text] of textsIn(settings[field], part)) {
      if (allows(text)) continue;
      yield error('bad-value', network.at([...path, 'settings', field, ...at]), why, { expected: instead });
    }
  }
}

/** The entries of a list, or a part of each, with the way to them. */
function* textsIn(list: unknown, part: string | undefined): Iterable<readonly [Path, string]> {
  for (const [index, entry] of Array.isArray(list) ? list.entries() : []) {
    const found: unknown = part === undefined ? entry : entry[part];
    if (typeof found === 'string') yield [part === undefined ? [index] : [index, part], found];
  }
}

/** Clouds hold a route once, in whatever spelling a document states it. Azure tells no case apart. */
function* repeatedRoutes(
  network: Located<NetworkDoc>,
  { settings = {}, path }: Stated,
  isCaseless: boolean,
): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [index, { destination, nextHop, priority, tags }] of (settings.routes ?? []).entries()) {
    const block = parseCidr(destination);
    const texts = [block === undefined ? destination : formatCidr(block), nextHop.replace(/#\d+$/, '')];
    const named = isCaseless ? texts.map((text) => text.toLowerCase()) : texts;
    const key = JSON.stringify([...named, routeTerms(priority, tags)]);
    const at = network.at([...path, 'settings', 'routes', index]);
    if (seen.has(key))
      yield error('bad-value', at, 'this route is in the list already', { expected: 'each route once' });
    seen.add(key);
  }
}

/** "The CIDR block must not overlap with any existing CIDR block that's associated with the VPC": https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html */
function* overlappingBlocks(network: Located<NetworkDoc>, { settings = {}, cidr, path }: Stated): Iterable<Problem> {
  const texts = [cidr, ...(settings.secondaryCidrs ?? [])];
  for (const [index, text] of texts.entries()) {
    const block = parseCidr(text);
    const other = texts.slice(0, index).find((one) => {
      const before = parseCidr(one);
      return before !== undefined && block !== undefined && overlapsCidr(before, block);
    });
    if (other === undefined) continue;
    const at = network.at([...path, 'settings', 'secondaryCidrs', index - 1]);
    yield error('overlap', at, `${text} overlaps ${other} of the same VPC`, { expected: 'blocks that do not overlap' });
  }
}
