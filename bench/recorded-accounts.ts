import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type * as ec2 from '@aws-sdk/client-ec2';
import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface, SecurityRule } from '@azure/arm-network';
import { groupOrigin } from '../providers/aws/group.ts';
import { observeInstance, withDisk } from '../providers/aws/instance/observe.ts';
import { internetPartsOf } from '../providers/aws/internet/parts.ts';
import { observeVpc } from '../providers/aws/network.ts';
import { atomsOf } from '../providers/aws/permission.ts';
import { indexTables, observeSubnet } from '../providers/aws/subnet.ts';
import { readLabels } from '../providers/aws/tags.ts';
import { canonicalId } from '../providers/azure/ids.ts';
import { interfaceOf, observeMachine } from '../providers/azure/instance/observe.ts';
import { canonicalLocation, prefixAt } from '../providers/azure/place.ts';
import { readMatch } from '../providers/azure/security-rule.ts';
import { observeFirewall } from '../providers/gcp/firewall.ts';
import { observeInstance as observeGoogleInstance } from '../providers/gcp/instance/observe.ts';
import { pathOf } from '../providers/gcp/links.ts';
import type {
  Disk,
  Firewall,
  Instance as GoogleInstance,
  Network,
  Route,
  Subnetwork,
} from '../providers/gcp/messages.ts';
import { observeNetwork } from '../providers/gcp/network.ts';
import { observeSubnet as observeGoogleSubnet } from '../providers/gcp/subnet.ts';
import { rulesOf } from '../src/core/kinds/kinds.ts';
import type { Observed } from '../src/core/observed.ts';
import { type Kind, slotOf } from '../src/core/resource.ts';

/** One recorded account. `recorded`: ids of the objects that count. */
export interface RecordedAccount {
  readonly name: string;
  /** Targets as YAML, one for each place. */
  readonly targets: string;
  readonly objects: readonly Observed[];
  readonly recorded: ReadonlySet<string>;
}

/** The accounts of the recordings in a folder, decoded as the providers decode them. */
export const recordedAccounts = (folder: string): readonly RecordedAccount[] => [
  ...awsAccounts(folder),
  ...googleProjects(folder),
  ...azureSubscriptions(folder),
];

const linesOf = <T>(folder: string, file: string): readonly T[] =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T); // why: the files hold what their README says

/** The first of each id: later answers of a recording show what its program changed. */
const firstOf = <T>(all: readonly T[], idOf: (one: T) => string | undefined): readonly T[] => {
  const found = new Map<string, T>();
  for (const one of all) if (!found.has(idOf(one) ?? '')) found.set(idOf(one) ?? '', one);
  return [...found.values()];
};

interface AwsLine {
  readonly file: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function awsAccounts(folder: string): readonly RecordedAccount[] {
  const lines = linesOf<AwsLine>(folder, 'aws.jsonl');
  return [...Map.groupBy(lines, ({ file }) => dirname(file))].map(([name, answers]) => {
    const listed = <T>(list: string): readonly T[] => answers.flatMap(({ data }) => (data[list] ?? []) as readonly T[]); // why: EC2 names a list by its content
    const listedIfAsked = <T>(list: string): readonly T[] | undefined =>
      answers.some(({ data }) => list in data) ? listed(list) : undefined;
    return awsAccount(name, listed, listedIfAsked);
  });
}

/** `listedIfAsked`: undefined where the recording has no such listing. */
function awsAccount(
  name: string,
  listed: <T>(list: string) => readonly T[],
  listedIfAsked: <T>(list: string) => readonly T[] | undefined,
): RecordedAccount {
  const vpcs = firstOf(listed<ec2.Vpc>('Vpcs'), ({ VpcId }) => VpcId);
  const subnets = firstOf(listed<ec2.Subnet>('Subnets'), ({ SubnetId }) => SubnetId);
  const groups = firstOf(listed<ec2.SecurityGroup>('SecurityGroups'), ({ GroupId }) => GroupId);
  const gateways = listed<ec2.InternetGateway>('InternetGateways');
  const tables = listed<ec2.RouteTable>('RouteTables');
  const natGateways = listedIfAsked<ec2.NatGateway>('NatGateways');
  const peerings = listedIfAsked<ec2.VpcPeeringConnection>('VpcPeeringConnections');
  const settings = {
    ...(natGateways === undefined ? {} : { natGateways }),
    ...(peerings === undefined ? {} : { peerings }),
    unlisted: [],
  };
  const tableIndex = listedIfAsked('RouteTables') === undefined ? undefined : indexTables(tables);
  const volumes = new Map(listed<ec2.Volume>('Volumes').map((volume) => [volume.VolumeId ?? '', volume]));
  const reservations = listed<{ readonly Instances?: readonly ec2.Instance[] }>('Reservations');
  const machines = firstOf(
    reservations.flatMap(({ Instances = [] }) => Instances),
    ({ InstanceId }) => InstanceId,
  );
  const owner =
    [...vpcs, ...subnets, ...groups].find(({ OwnerId }) => OwnerId !== undefined)?.OwnerId ?? '111122223333';
  const recorded: readonly Observed[] = [
    ...vpcs.map((vpc) =>
      observeVpc(vpc, {
        parts: internetPartsOf(vpc, gateways, tables),
        region: 'eu-west-1',
        account: vpc.OwnerId ?? owner,
        settings,
      }),
    ),
    ...subnets.map((subnet) => observeSubnet(subnet, tableIndex, subnet.OwnerId ?? owner)),
    ...groups.flatMap((group) => groupAndRules(group, group.OwnerId ?? owner)),
    ...machines.map((machine) => withDisk(observeInstance(machine), volumes)),
  ];
  const zone =
    machines.find(({ Placement }) => Placement?.AvailabilityZone)?.Placement?.AvailabilityZone ??
    subnets.find(({ AvailabilityZone }) => AvailabilityZone)?.AvailabilityZone;
  const region = zone?.replace(/[a-z]$/, '') ?? 'us-east-1';
  const targets = `---\napiVersion: setpoint.dev/v1\nkind: Target\nmetadata: { name: aws }\nspec: { provider: aws, account: "${accountOf(owner)}", region: ${region} }\n`;
  return {
    name,
    targets,
    objects: withSurroundings(recorded, machines),
    recorded: new Set(recorded.flatMap(({ id }) => (id === '' ? [] : [id]))),
  };
}

/** Owners altered some ids before publication. */
const accountOf = (owner: string): string => (/^\d{12}$/.test(owner) ? owner : '111122223333');

/** As `group.ts` and `firewall-rule.ts` list them. */
function groupAndRules(group: ec2.SecurityGroup, account: string): readonly Observed[] {
  const origin = groupOrigin(group, account);
  const signs = origin === undefined ? {} : { origin };
  const id = group.GroupId ?? '';
  const condition = { state: 'ready' } as const;
  const attributes = { network: group.VpcId ?? '', labels: readLabels(group.Tags) };
  return [
    { kind: 'group', id, name: group.GroupName ?? '', attributes, signs, condition },
    ...atomsOf(group, account).map((atom): Observed<'firewall-rule'> => {
      const { id: ruleId, attributes: rule } = atom;
      return {
        kind: 'firewall-rule',
        id: ruleId,
        name: '',
        attributes: rule,
        signs: { ...signs, container: id },
        condition,
      };
    }),
  ];
}

/** Networks, subnets and groups that recorded objects name, and that were not recorded. */
function withSurroundings(recorded: readonly Observed[], machines: readonly ec2.Instance[]): readonly Observed[] {
  const there = new Set(recorded.map(({ id }) => id));
  const more = new Map<string, Observed>();
  const add = (one: Observed): void => {
    if (one.id !== '' && !there.has(one.id) && !more.has(one.id)) more.set(one.id, one);
  };
  const common = { signs: {}, condition: { state: 'ready' } } as const;
  const network = (id: string): void => {
    const inside = recorded.flatMap(({ kind, attributes }) =>
      kind === 'subnet' && 'network' in attributes && 'cidr' in attributes && attributes.network === id
        ? [attributes.cidr]
        : [],
    );
    // why: a network of AWS is a /16 at most, and most that were recorded are
    const [a = '10', b = '0'] = (inside[0] ?? '10.0.0.0/16').split('.');
    add({ kind: 'network', id, name: '', attributes: { cidr: `${a}.${b}.0.0/16`, labels: {} }, ...common });
  };
  for (const { attributes } of recorded) if ('network' in attributes) network(attributes.network);
  for (const [index, { VpcId = '', SubnetId = '', SecurityGroups = [] }] of machines.entries()) {
    network(VpcId);
    const cidr = `10.0.${index % 250}.0/28`;
    add({ kind: 'subnet', id: SubnetId, name: '', attributes: { network: VpcId, cidr, labels: {} }, ...common });
    for (const { GroupId = '', GroupName = '' } of SecurityGroups)
      add({ kind: 'group', id: GroupId, name: GroupName, attributes: { network: VpcId, labels: {} }, ...common });
  }
  return [...recorded, ...more.values()];
}

interface GoogleLine {
  readonly file: string;
  readonly kind: string;
  readonly o: { readonly selfLink?: string; readonly id?: string };
}

const linkOf = (link: string | null | undefined): string => pathOf(link ?? '');

function googleProjects(folder: string): readonly RecordedAccount[] {
  const lines = linesOf<GoogleLine>(folder, 'gcp.jsonl').filter(
    ({ o }) => o.selfLink !== undefined && /^\d+$/.test(o.id ?? ''),
  );
  const projectOf = ({ o }: GoogleLine): string => /projects\/([^/]+)/.exec(o.selfLink ?? '')?.[1] ?? '';
  return [...Map.groupBy(lines, projectOf)].map(([project, of]) =>
    googleProject(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project) ? project : 'altered-project', of),
  );
}

function googleProject(project: string, lines: readonly GoogleLine[]): RecordedAccount {
  const listed = <T>(kind: string): readonly T[] =>
    firstOf(
      lines.filter((line) => line.kind === `compute#${kind}`),
      ({ o }) => o.selfLink,
    ).map(({ o }) => o as T); // why: the kind names the type
  const disks = new Map(listed<Disk>('disk').map((disk) => [pathOf(disk.selfLink ?? ''), disk]));
  const machines = listed<GoogleInstance>('instance');
  const routes = lines.some(({ kind }) => kind === 'compute#route') ? listed<Route>('route') : undefined;
  const recorded = linked([
    ...listed<Network>('network').map((network) => observeNetwork(network, routes)),
    ...listed<Subnetwork>('subnetwork').map((subnet) => observeGoogleSubnet(subnet, linkOf, { project })),
    ...listed<Firewall>('firewall').map((firewall) => observeFirewall(firewall, linkOf, project)),
    ...machines.map((machine) => observeGoogleInstance(machine, { project, resolve: linkOf, disks })),
  ]);
  const objects = withGoogleSurroundings(recorded, machines).filter(({ id }) => id !== '');
  const places = [
    ...new Set(
      recorded.flatMap(({ signs }) => /^gcp\/[^/]+\/([a-z]+-[a-z]+\d(?:-[a-z])?)\//.exec(signs.slot ?? '')?.[1] ?? []),
    ),
  ];
  const targets = (places.length === 0 ? ['us-central1'] : places).map((place) => {
    const [region, zone] = /-[a-z]$/.test(place) ? [place.slice(0, -2), `, zone: ${place}`] : [place, ''];
    return `---\napiVersion: setpoint.dev/v1\nkind: Target\nmetadata: { name: ${place} }\nspec: { provider: gcp, account: "${project}", region: ${region}${zone} }\n`;
  });
  return {
    name: project,
    targets: targets.join(''),
    objects,
    recorded: new Set(recorded.flatMap(({ id }) => (id === '' ? [] : [id]))),
  };
}

/** References lead to ids, as the provider resolves them: `…/networks/core` is `…/networks/core#123` there. */
function linked(observed: readonly Observed[]): readonly Observed[] {
  const byPath = new Map(observed.map(({ id }) => [id.replace(/#.*/, ''), id]));
  return observed.map((one) => ({
    ...one,
    attributes: rulesOf(one.kind).mapRefs(one.attributes, (ref) => byPath.get(ref) ?? ref),
  }));
}

function withGoogleSurroundings(
  recorded: readonly Observed[],
  machines: readonly GoogleInstance[],
): readonly Observed[] {
  const paths = new Map(recorded.map(({ id }) => [id.replace(/#.*/, ''), id]));
  const more = new Map<string, Observed>();
  const common = { signs: {}, condition: { state: 'ready' } } as const;
  const add = (one: Observed): void => {
    if (one.id !== '' && !paths.has(one.id.replace(/#.*/, ''))) more.set(one.id, one);
  };
  const named = (path: string) => ({ id: path, name: path.split('/').at(-1) ?? '' });
  const network = (path: string): void =>
    add({ kind: 'network', ...named(path), attributes: { labels: {} }, ...common });
  for (const { attributes } of recorded) if ('network' in attributes) network(attributes.network);
  for (const [index, { networkInterfaces = [] }] of machines.entries()) {
    const [first] = networkInterfaces ?? [];
    const path = linkOf(first?.network);
    network(path);
    const attributes = { network: paths.get(path) ?? path, cidr: `10.240.${index % 250}.0/28`, labels: {} };
    add({ kind: 'subnet', ...named(linkOf(first?.subnetwork)), attributes, ...common });
  }
  return [...recorded, ...more.values()];
}

interface AzureLine {
  readonly file: string;
  readonly kind: string;
  readonly o: { readonly id?: string; readonly location?: string; readonly properties: object };
}

interface RecordedNsg {
  readonly subnets?: readonly { readonly id: string }[];
  readonly securityRules: readonly {
    readonly id?: string;
    readonly name?: string;
    readonly properties: SecurityRule;
  }[];
}

interface AzureNsg extends AzureLine {
  readonly o: { readonly id: string; readonly location?: string; readonly properties: RecordedNsg };
}

/** Security groups and machines, a region each: a scope is a region. */
function azureSubscriptions(folder: string): readonly RecordedAccount[] {
  const lines = firstOf(linesOf<AzureLine>(folder, 'azure.jsonl'), ({ o }) => o.id?.toLowerCase());
  const byRegion = Map.groupBy(lines, ({ o }) => canonicalLocation(o.location ?? 'westeurope'));
  return [...byRegion].map(([region, of]) => azureRegion(region, of));
}

/**
 * Networks, subnets and interfaces were seldom recorded: a machine gets an interface in a stand-in for its subnet, and an
 * application security group is one of its network.
 */
function azureRegion(region: string, lines: readonly AzureLine[]): RecordedAccount {
  const [, subscription = ''] = /subscriptions\/([^/]+)/i.exec(lines[0]?.o.id ?? '') ?? [];
  const inGroup = (id: string): string => /resourcegroups\/([^/]+)/i.exec(id)?.[1] ?? 'acme';
  const standIn = (id: string): string =>
    `/subscriptions/${subscription}/resourceGroups/${inGroup(id)}/providers/Microsoft.Network/virtualNetworks/stand-in`;
  const nsgs = lines.filter((line): line is AzureNsg => line.kind === 'networksecuritygroups');
  const machines = lines.flatMap(({ kind, o: { properties, ...rest } }) =>
    // why: the kind names the type; the SDK has the properties beside the id
    kind === 'virtualmachines' ? [{ ...rest, ...properties } as VirtualMachine] : [],
  );
  const asgs = new Map(
    nsgs
      .flatMap(({ o }) => o.properties.securityRules.map((rule) => ({ rule, nsg: o.id })))
      .flatMap(({ rule: { properties: rule }, nsg }) =>
        [...(rule.sourceApplicationSecurityGroups ?? []), ...(rule.destinationApplicationSecurityGroups ?? [])].map(
          ({ id = '' }) => [canonicalId(id), canonicalId(standIn(nsg))] as const,
        ),
      ),
  );
  const vnets = new Set([
    ...nsgs.flatMap(({ o }) => vnetsOf(o.properties)),
    ...asgs.values(),
    ...machines.map(({ id = '' }) => canonicalId(standIn(id))),
  ]);
  const common = { condition: { state: 'ready' } } as const;
  const placed = (kind: Kind, id: string) => {
    const name = id.split('/').at(-1) ?? '';
    return { id, name, signs: { slot: slotOf(prefixAt(id, region), kind, name) } };
  };
  const subnetOf = (vnet: string): string => `${vnet}/subnets/stand-in`;
  const surroundings: readonly Observed[] = [
    ...[...vnets].map((id): Observed => {
      const attributes = { cidr: '10.0.0.0/8', labels: {} };
      return { kind: 'network', ...placed('network', id), attributes, ...common };
    }),
    ...[...vnets].map((id): Observed => {
      const attributes = { network: id, cidr: '10.0.0.0/24', labels: {} };
      return { kind: 'subnet', id: subnetOf(id), name: 'stand-in', attributes, signs: { parent: id }, ...common };
    }),
    ...[...asgs].map(([id, network]): Observed => {
      return { kind: 'group', ...placed('group', id), attributes: { network, labels: {} }, ...common };
    }),
  ];
  const nics = new Map(
    machines.map((machine) => {
      const id = interfaceOf(machine) ?? '';
      const subnet = { id: subnetOf(canonicalId(standIn(machine.id ?? ''))) };
      const nic: NetworkInterface = { id, ipConfigurations: [{ subnet }] };
      return [canonicalId(id), nic] as const;
    }),
  );
  const context = { nics, addresses: new Map(), disks: new Map(), views: new Map() };
  const recorded: readonly Observed[] = [
    ...nsgs.flatMap(({ o }) => rulesOfNsg(o)),
    ...machines.map((machine) =>
      observeMachine(machine, { ...context, refOf: (id) => canonicalId(id ?? ''), unknownTo: () => undefined }),
    ),
  ];
  const places = new Set([...lines.map(({ o }) => inGroup(o.id ?? '').toLowerCase())]);
  const targets = [...places].map(
    (place, index) =>
      `---\napiVersion: setpoint.dev/v1\nkind: Target\nmetadata: { name: azure-${index} }\nspec: { provider: azure, account: ${subscription}, region: ${region}, resourceGroup: ${place} }\n`,
  );
  return {
    name: `azure ${region}`,
    targets: targets.join(''),
    objects: [...recorded, ...surroundings],
    recorded: new Set(recorded.map(({ id }) => id)),
  };
}

const vnetsOf = ({ subnets = [] }: RecordedNsg): readonly string[] =>
  subnets.map(({ id }) => canonicalId(id).replace(/\/subnets\/[^/]*$/, ''));

/** As `firewall-rule.ts` lists them: of the network of its subnets, or of none. */
function rulesOfNsg({ id: nsg, properties }: AzureNsg['o']): readonly Observed<'firewall-rule'>[] {
  const [network = canonicalId(nsg)] = vnetsOf(properties).toSorted();
  return properties.securityRules.map(({ id = '', name = '', properties: rule }) => {
    const { description = '', priority = 0 } = rule;
    const attributes = { network, match: readMatch(rule, canonicalId), description, order: { priority } };
    return { kind: 'firewall-rule', id: canonicalId(id), name, attributes, signs: {}, condition: { state: 'ready' } };
  });
}
