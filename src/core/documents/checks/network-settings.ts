import type { NetworkDoc, TargetDoc } from '../document.ts';
import { error, type Problem } from '../problem.ts';
import { type SpecSet, targetsOf } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';

type NetworkSetting = keyof NonNullable<NetworkDoc['spec']['settings']>;
type SubnetSetting = keyof NonNullable<NetworkDoc['spec']['subnets'][number]['settings']>;
type Clouds = readonly TargetDoc['spec']['provider'][];

/**
 * The clouds that have a setting; the memory provider has none. A network of Google Cloud has no addresses of its own but an internal
 * IPv6 block, and its subnets have one IPv4 block and named ranges. Routes belong to the network there, and to a table of the subnet
 * elsewhere.
 */
const NETWORK_CLOUDS: Readonly<Record<NetworkSetting, Clouds>> = {
  secondaryCidrs: ['aws', 'azure'],
  ipv6Cidrs: ['aws', 'gcp', 'azure'],
  routes: ['gcp'],
  natGateways: ['aws', 'gcp'],
  peerings: ['aws', 'gcp', 'azure'],
};

const SUBNET_CLOUDS: Readonly<Record<SubnetSetting, Clouds>> = {
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
      adopt: metadata.adopt,
      path: ['spec'],
      clouds: NETWORK_CLOUDS,
    });
    const isManaged = spec.internet !== 'unmanaged';
    if (settings?.routes !== undefined && isManaged)
      yield* statedTwice(network, ['spec', 'settings', 'routes'], targetsOf(set, targets));
    for (const [index, subnet] of spec.subnets.entries()) {
      const here = subnet.target === undefined ? targets : [subnet.target];
      const path = ['spec', 'subnets', index];
      yield* settingsOn(set, network, { ...subnet, targets: here, path, clouds: SUBNET_CLOUDS });
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
  readonly settings?: object | undefined;
  readonly adopt?: Readonly<Record<string, string>> | undefined;
  /** Of the map that has the field `settings`. */
  readonly path: Path;
  readonly clouds: Readonly<Record<string, Clouds>>;
}

function* settingsOn(set: SpecSet, network: Located<NetworkDoc>, stated: Stated): Iterable<Problem> {
  if (stated.settings === undefined) return;
  for (const { value } of targetsOf(set, stated.targets)) {
    if (Object.hasOwn(stated.adopt ?? {}, value.metadata.name)) yield* unknownSettings(network, stated, value);
    else yield notAdopted(network, stated, value.metadata.name);
  }
}

function notAdopted(network: Located<NetworkDoc>, { path }: Stated, target: string): Problem {
  const [kind, field] = path.length === 1 ? ['network', 'metadata.adopt'] : ['subnet', 'adopt'];
  const message = `Setpoint makes no ${kind} with these settings yet: only one that the document adopts may state them (${target})`;
  const expected = `no settings, or its id under ${field}: { ${target}: <id> }`;
  return error('not-expressible', network.at([...path, 'settings']), message, { expected });
}

function* unknownSettings(
  network: Located<NetworkDoc>,
  { settings = {}, path, clouds }: Stated,
  { metadata, spec }: TargetDoc,
): Iterable<Problem> {
  for (const [setting, value] of Object.entries(settings)) {
    const having = clouds[setting] ?? [];
    if (value === undefined || having.includes(spec.provider)) continue;
    const message = `this cloud has no such setting (${metadata.name})`;
    const expected = `${setting} only where every target is of ${having.join(', ')}`;
    yield error('not-expressible', network.at([...path, 'settings', setting]), message, { expected });
  }
}
