import { join } from 'node:path';
import { markTags } from '../providers/aws/marks.ts';
import type { Region } from '../sandbox/ec2/region.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import type { Desired } from '../src/core/desired.ts';
import type { Address, Kind } from '../src/core/resource.ts';
import { bootScript, compiled, type Place, type Shape, specFiles } from './estate/specs.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';
import { expectCode, planned, setpoint } from './processes/setpoint.ts';

/** 10,000 instances, 10,000 subnets, 10,000 rules in 500 groups. */
const observed: Shape = {
  networks: 50,
  subnets: 200,
  groups: 10,
  rulesPerGroup: 20,
  machines: { documents: 4, replicas: 50, furnished: true },
  internet: true,
};

const place: Omit<Place, 'endpoint'> = {
  account: '111122223333',
  region: 'eu-west-1',
  image: 'ami-0abcdef1234567890',
};

/**
 * Calls that `setpoint plan` makes to look at a whole scope that stands as wanted, from the sandbox's own log, against what
 * paging through every listing takes. Asked: at most the floor, with no throttle answered.
 */
export async function observeCalls(shape: Shape = observed, spoil: Spoil = spoilNothing): Promise<readonly Figure[]> {
  const sandbox = await startSandbox();
  try {
    await inScratch(async (cwd) => planEmpty(sandbox, { shape, spoil, cwd }));
    return [figureOf(sandbox)];
  } finally {
    await sandbox.close();
  }
}

interface Scene {
  readonly shape: Shape;
  readonly spoil: Spoil;
  readonly cwd: string;
}

/** Everything stands before the plan, marked as ours, so that whatever is not seen shows as something to do. */
async function planEmpty({ url, control }: Sandbox, { shape, spoil, cwd }: Scene): Promise<void> {
  const files = specFiles(shape, { ...place, endpoint: url });
  const { desired } = compiled(files).wanted;
  control.ec2.load(standing(desired, { ...place, estate: 'bench', store: 'an-earlier-store' }));
  await spoil(control);
  await writeFiles(join(cwd, 'specs'), [...files, bootScript]);
  process.stderr.write(`observe-calls: planning ${desired.length} resources and atoms\n`);
  const ended = await setpoint(['plan', '--allow-endpoint', '--json'], { cwd });
  const { summary, actions } = planned(expectCode(ended, 0, 'setpoint plan'));
  const todo = actions.length + summary.blocked + summary.withheld + summary.orphan;
  if (todo > 0) throw new Error(`all stands as wanted, and yet: ${JSON.stringify(summary)} ${actions[0]?.address}`);
}

function figureOf({ control: { log, ec2 } }: Sandbox): Figure {
  const entries = log.entries();
  const refused = entries.filter(({ status }) => status !== 200);
  if (refused.length > 0) throw new Error(`${refused.length} calls were refused, first ${refused[0]?.errorCode}`);
  if (entries.some(({ mutating }) => mutating)) throw new Error('a plan wrote');
  const floor = listingsFloor(ec2.region(place.account, place.region));
  process.stderr.write(`observe-calls: ${JSON.stringify(log.counts())}\n`);
  return { name: 'observe-calls', value: entries.length, unit: 'calls', floor, ratio: entries.length / floor };
}

/** One listing that somebody needs. Pages: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/Welcome.html, MaxResults of each. */
interface Row {
  readonly action: string;
  readonly for: string;
  readonly page: number;
  readonly items: (region: Region) => number;
}

/**
 * Every listing that the kinds and their parts need. Rules come with their groups, and network interfaces with their
 * instances; a disk is described by its volume alone.
 */
const listings: readonly Row[] = [
  { action: 'DescribeVpcs', for: 'networks', page: 1000, items: ({ vpcs }) => vpcs.size },
  { action: 'DescribeInternetGateways', for: 'networks: gateway', page: 1000, items: ({ gateways }) => gateways.size },
  {
    action: 'DescribeRouteTables',
    for: 'networks: route table',
    page: 100,
    items: ({ routeTables }) => routeTables.size,
  },
  { action: 'DescribeNetworkAcls', for: 'subnets: network ACL', page: 1000, items: ({ acls }) => acls.size },
  { action: 'DescribeSubnets', for: 'subnets', page: 1000, items: ({ subnets }) => subnets.size },
  { action: 'DescribeSecurityGroups', for: 'groups, rules', page: 1000, items: ({ groups }) => groups.size },
  { action: 'DescribeInstances', for: 'instances', page: 1000, items: ({ instances }) => instances.size },
  { action: 'DescribeVolumes', for: 'instances: disk', page: 1000, items: ({ volumes }) => volumes.size },
];

/** Σ(⌈n/page⌉ + 1): each page, and one call more for whoever must look behind the last. */
const listingsFloor = (region: Region): number =>
  listings.reduce((calls, { page, items }) => calls + Math.ceil(items(region) / page) + 1, 0);

interface Owner {
  readonly account: string;
  readonly region: string;
  readonly estate: string;
  readonly store: string;
}

/** An estate that a sandbox loads (`sandbox/ec2/estate.ts`), as if we had made all of `desired` long ago. */
function standing(desired: readonly Desired[], owner: Owner): unknown {
  const { account, region } = owner;
  const all = kindsOf(desired);
  return {
    regions: [
      {
        account,
        region,
        vpcs: all.network.map((network) => vpc(network, all, owner)),
        instances: all.instance.map((one) => instance(one, owner)),
      },
    ],
  };
}

type ByKind = { readonly [K in Kind]: readonly Desired<K>[] };

function kindsOf(desired: readonly Desired[]): ByKind {
  const of = <K extends Kind>(kind: K) => desired.filter((one): one is Desired<K> => one.kind === kind);
  return {
    network: of('network'),
    subnet: of('subnet'),
    group: of('group'),
    'firewall-rule': of('firewall-rule'),
    instance: of('instance'),
  };
}

function vpc({ address, name, attributes, terms }: Desired<'network'>, all: ByKind, owner: Owner) {
  const tags = { Name: name, ...attributes.labels, ...tagsOf(address, terms, owner) };
  const inside = <K extends 'subnet' | 'group'>(some: readonly Desired<K>[]) =>
    some.filter((one) => one.attributes.network === address);
  const subnets = inside(all.subnet);
  const public_ = subnets.filter((one) => one.attributes.internet === true);
  const internet = attributes.internet === true;
  return {
    key: keyOf(address),
    cidr: attributes.cidr,
    tags,
    ...(internet ? { gateway: { tags: { ...tags, 'setpoint:part': 'internet-gateway' } } } : {}),
    routeTables: internet
      ? [
          {
            tags: { ...tags, 'setpoint:part': 'route-table' },
            subnets: public_.map((one) => keyOf(one.address)),
            routes: [{ to: '0.0.0.0/0', via: 'gateway' }],
          },
        ]
      : [],
    subnets: subnets.map((one) => ({
      key: keyOf(one.address),
      cidr: one.attributes.cidr,
      tags: { Name: one.name, ...one.attributes.labels, ...tagsOf(one.address, one.terms, owner) },
    })),
    groups: inside(all.group).map((one) => group(one, all, owner)),
  };
}

function group({ address, name, attributes, terms }: Desired<'group'>, all: ByKind, owner: Owner) {
  const rules = all['firewall-rule'].filter((one) => one.attributes.group === address);
  return {
    key: keyOf(address),
    name,
    tags: { Name: name, ...attributes.labels, ...tagsOf(address, terms, owner) },
    ingress: rules
      .filter(({ attributes: { match } }) => match.direction === 'ingress')
      .map(({ attributes: { match, description } }) => ({
        protocol: match.protocol,
        ports: match.ports,
        peers: match.peers,
        description,
      })),
  };
}

function instance({ address, name, attributes, terms }: Desired<'instance'>, owner: Owner) {
  const { placement, machine, boot, disk, labels } = attributes;
  const mark = { estate: owner.estate, store: owner.store, address, deletionPolicy: terms.deletionPolicy };
  const launched = {
    'user-data': boot?.userData ?? '',
    access: boot?.access ?? '',
    'public-ip': `${placement.publicIp}`,
  };
  return {
    subnet: keyOf(placement.subnet),
    groups: (attributes.groups ?? []).map(keyOf),
    image: machine.image,
    size: machine.size,
    tags: { Name: name, ...labels, ...markTags(mark, launched) },
    disk: { size: disk?.size, type: disk?.type, encrypted: disk?.encrypted },
    ...(boot?.userData === undefined ? {} : { userData: Buffer.from(bootScript.text).toString('base64') }),
  };
}

const tagsOf = (address: Address, { deletionPolicy }: Desired['terms'], { estate, store }: Owner) =>
  markTags({ estate, store, address, deletionPolicy });

const keyOf = (address: Address): string => address.replaceAll('/', '.');
