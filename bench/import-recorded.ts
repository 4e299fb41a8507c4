import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
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
import { cliDependencies } from '../src/bootstrap/cli-dependencies.ts';
import { type ProvenImport, provenImport } from '../src/cli/local/import.ts';
import type { ScopePlan } from '../src/core/action.ts';
import type { CompiledScope } from '../src/core/compile/compile.ts';
import { rulesOf } from '../src/core/kinds/kinds.ts';
import { withoutStore } from '../src/core/knowledge.ts';
import type { Observation, Observed } from '../src/core/observed.ts';
import { plan } from '../src/core/plan/plan.ts';
import { coversPorts, type PortRange, parsePorts } from '../src/core/port-set.ts';
import { type Kind, type RuleAttributes, slotOf } from '../src/core/resource.ts';
import { openEstate, snapshotOf } from '../src/estate/load.ts';
import type { Figure } from './figure.ts';

/**
 * Recorded answers of real accounts, decoded as the providers decode them, imported and planned. A recording has a part of an account
 * only, so objects that it names and lacks (a group's network, a machine's subnet) stand beside it and are not counted.
 *
 *   figure                    | counts
 *   --------------------------+-----------------------------------------------------------------------
 *   import-recorded-said      | networks, subnets, groups and rules in documents, in percent
 *   import-recorded-instances | machines in documents, in percent
 *   import-recorded-unempty   | imports whose plan does more than adopt, or that has actions once they are adopted
 *   import-recorded-missed    | changed fields, of those that the documents state, which no plan shows
 *
 * SETPOINT_RECORDINGS names their folder.
 */
export async function importRecorded(folder = recordings): Promise<readonly Figure[]> {
  if (!existsSync(folder)) throw new Error(`there is no ${folder}: set SETPOINT_RECORDINGS`);
  const tally: Tally = {
    covered: 0,
    all: 0,
    machinesCovered: 0,
    machines: 0,
    unempty: 0,
    missed: [],
    reasons: new Map(),
  };
  for (const account of [...awsAccounts(folder), ...googleProjects(folder), ...azureSubscriptions(folder)])
    await judge(account, tally);
  for (const [reason, count] of [...tally.reasons].toSorted(([, a], [, b]) => b - a))
    console.error(`import-recorded: ${count} × ${reason}`);
  const percent = (part: number, all: number): number => Math.round((part / all) * 1000) / 10;
  return [
    {
      name: 'import-recorded-said',
      value: percent(tally.covered, tally.all),
      unit: `% of ${tally.all} networks, subnets, groups and rules`,
    },
    {
      name: 'import-recorded-instances',
      value: percent(tally.machinesCovered, tally.machines),
      unit: `% of ${tally.machines} machines`,
    },
    { name: 'import-recorded-unempty', value: tally.unempty, unit: 'imports', floor: 0 },
    { name: 'import-recorded-missed', value: tally.missed.length, unit: 'mutations', floor: 0, evidence: tally.missed },
  ];
}

const recordings = resolve(
  join(import.meta.dirname, '..'),
  process.env['SETPOINT_RECORDINGS'] ?? '../shared/recordings',
);

interface Tally {
  covered: number;
  all: number;
  machinesCovered: number;
  machines: number;
  unempty: number;
  readonly missed: string[];
  readonly reasons: Map<string, number>;
}

/** One recorded account. `recorded`: ids of the objects that count. */
interface Account {
  readonly name: string;
  /** Targets as YAML, one for each place. */
  readonly targets: string;
  readonly objects: readonly Observed[];
  readonly recorded: ReadonlySet<string>;
}

const clock = { now: () => Date.parse('2027-01-31T00:00:00Z'), sleep: async () => {} };
const dependencies = cliDependencies(clock);

async function judge(account: Account, tally: Tally): Promise<void> {
  const { looked, view } = await seen(account);
  const selection = { networks: [], kinds: [], ids: [], labels: [] };
  const proven = await provenImport(view, { selection, folder: 'imported' }, { dependencies, clock });
  count(account, proven, tally);
  const specs = [...snapshotOf(view.estate.tree).specs, ...proven.files];
  const tree = dependencies.parseStoredSpecs({ specs, userData: [] }, 'import');
  const opened = await openEstate(tree, dependencies.provider, '2027-01-31');
  for (const [index, { input }] of looked.entries()) {
    const scope = opened.compiled.scopes[index];
    if (scope === undefined) continue;
    if (!onlyAdopts(plan({ ...input, wanted: scope.wanted }))) tally.unempty += 1;
    const after = { ...account, objects: adopted(account.objects, scope) };
    const observation = { ...input.observation, resources: after.objects };
    const { actions } = plan({ ...input, wanted: scope.wanted, observation });
    if (actions.length > 0) tally.unempty += 1;
    tally.missed.push(...missedIn(after, scope, input, new Set(proven.covered.map(({ id }) => id))));
  }
}

const onlyAdopts = ({ actions, findings }: ScopePlan): boolean =>
  !findings.some(({ type }) => type === 'blocked') &&
  actions.every((action) => action.verb === 'adopt' && action.changes.every(({ field }) => field === 'mark'));

function count({ objects, recorded }: Account, { covered, uncovered }: ProvenImport, tally: Tally): void {
  const ids = new Set(covered.map(({ id }) => id));
  const reasons = new Map(uncovered.map(({ id, reason }) => [id, reason]));
  for (const { id, kind } of objects.filter((one) => recorded.has(one.id) && isThere(one))) {
    const isCovered = ids.has(id);
    if (kind === 'instance') {
      tally.machines += 1;
      tally.machinesCovered += Number(isCovered);
    } else {
      tally.all += 1;
      tally.covered += Number(isCovered);
    }
    const reason = `${kind}: ${withoutNames(reasons.get(id) ?? 'it is half made')}`;
    if (!isCovered) tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1);
  }
}

/** A terminated machine is no object any more. */
const isThere = ({ condition }: Observed): boolean => condition.state !== 'gone' && condition.state !== 'deleting';

const withoutNames = (reason: string): string =>
  reason.replaceAll(
    /\b(?:sg|subnet|vpc|i|pl)-[0-9a-f]+|projects\/\S+|\S+\/(?:instance|group|firewall-rule)\/\S+/g,
    '…',
  );

async function seen({ targets, objects }: Account) {
  const text = `apiVersion: setpoint.dev/v1\nkind: Estate\nmetadata: { name: acme }\nspec: {}\n${targets}`;
  const tree = dependencies.parseStoredSpecs({ specs: [{ path: 'estate.yaml', text }], userData: [] }, 'recorded');
  const [problem] = tree.problems;
  if (problem !== undefined) throw new Error(`${problem.at.file}:${problem.at.line}: ${problem.message}`);
  const opened = await openEstate(tree, dependencies.provider, '2027-01-31');
  const estate = { ...opened, dir: '', scopes: opened.compiled.scopes };
  const looked = estate.scopes.map((scope) => {
    const dialect = opened.clouds.get(scope.targets[0]?.spec.provider ?? 'memory')?.dialect;
    if (dialect === undefined) throw new Error(`${scope.scope} has no dialect`);
    const observation: Observation = { scope: scope.scope, at: 0, resources: objects, gaps: [], pending: [], calls: 0 };
    return { scope, input: { wanted: scope.wanted, observation, knowledge: withoutStore('acme'), dialect } };
  });
  const plans = looked.map(({ input }) => plan(input));
  return { looked, view: { estate, looked, plans } };
}

type Looked = Awaited<ReturnType<typeof seen>>['looked'][number];

/** The objects once they are adopted: each bears the mark of its document. */
function adopted(objects: readonly Observed[], { wanted }: CompiledScope): readonly Observed[] {
  const addresses = new Map(
    wanted.desired.flatMap(({ address, terms }) =>
      terms.claim?.adopt === undefined ? [] : [[terms.claim.adopt, address]],
    ),
  );
  return objects.map((one) => {
    const address = addresses.get(one.id);
    return address === undefined
      ? one
      : { ...one, signs: { ...one.signs, mark: { estate: 'acme', store: '', address } } };
  });
}

/** Changes each stated field of each object in turn, and each rule: a plan must show each. */
function missedIn(
  { name, objects }: Account,
  { wanted }: CompiledScope,
  input: Looked['input'],
  covered: ReadonlySet<string>,
): readonly string[] {
  const isShown = (resources: readonly Observed[]): boolean => {
    const { actions, findings } = plan({ ...input, wanted, observation: { ...input.observation, resources } });
    return actions.length > 0 || findings.some(({ type }) => type === 'blocked' || type === 'withheld');
  };
  const desired = new Map(wanted.desired.map((one) => [one.terms.claim?.adopt ?? '', one]));
  return objects
    .filter(({ id }) => covered.has(id))
    .flatMap((observed) => {
      const stated = desired.get(observed.id)?.attributes;
      const ignored = desired.get(observed.id)?.terms.ignore ?? [];
      const paths =
        stated === undefined
          ? [['description']]
          : leavesOf(stated).filter((path) => isCompared(path) && !ignored.includes(path.join('.')));
      const changes: readonly (readonly [text: string, change: readonly Observed[]])[] = [
        ...paths.map((path) => [path.join('.'), [mutated(observed, path)]] as const),
        ...(isAlone(observed, objects) ? [['removed', []] as const] : []),
      ];
      return changes
        .filter(([, change]) => !isShown(objects.flatMap((one) => (one === observed ? change : [one]))))
        .map(([text]) => `${name} ${observed.kind} ${observed.id}: ${text}`);
    });
}

/** A rule whose traffic no other rule of its group permits: without it, traffic changes. */
function isAlone({ id, kind, attributes }: Observed, objects: readonly Observed[]): boolean {
  if (kind !== 'firewall-rule') return false;
  const { group, match } = attributes as RuleAttributes; // why: `kind` was just checked
  const keyOf = ({ direction, action, protocol, peers }: RuleAttributes['match']): string =>
    JSON.stringify([direction, action, protocol, peers]);
  const ports = (text: string): readonly PortRange[] => parsePorts(text.split(',')) ?? [{ from: 0, to: 65_535 }];
  return !objects.some((other) => {
    if (other.kind !== 'firewall-rule' || other.id === id) return false;
    const rule = other.attributes as RuleAttributes; // why: as above
    return (
      rule.group === group &&
      keyOf(rule.match) === keyOf(match) &&
      coversPorts(ports(rule.match.ports), ports(match.ports))
    );
  });
}

type Path = readonly string[];

const leavesOf = (value: object, path: Path = []): readonly Path[] =>
  Object.entries(value).flatMap(([key, field]) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? leavesOf(field, [...path, key])
      : [[...path, key]],
  );

/** An object's network and a group's default egress are stated once, when it is made. */
const isCompared = (path: Path): boolean => !['network', 'defaultEgress'].includes(path[0] ?? '');

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (field, key) => (typeof field === 'object' && field !== null ? Reflect.get(field, key) : undefined),
    value,
  );

function mutated(observed: Observed, path: Path): Observed {
  const attributes = structuredClone(observed.attributes);
  const parent = valueAt(attributes, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  if (typeof parent === 'object' && parent !== null) Reflect.set(parent, key, otherThan(Reflect.get(parent, key), key));
  // why: only the value of one field was changed, to one of its type
  return { ...observed, attributes } as Observed;
}

function otherThan(value: unknown, key: string): unknown {
  if (key === 'cidr') return '192.168.255.0/28';
  if (key === 'power') return value === 'running' ? 'stopped' : 'running';
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return Array.isArray(value) ? [...value, 'other'] : `${String(value)}x`;
}

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

function awsAccounts(folder: string): readonly Account[] {
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
): Account {
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

function googleProjects(folder: string): readonly Account[] {
  const lines = linesOf<GoogleLine>(folder, 'gcp.jsonl').filter(
    ({ o }) => o.selfLink !== undefined && /^\d+$/.test(o.id ?? ''),
  );
  const projectOf = ({ o }: GoogleLine): string => /projects\/([^/]+)/.exec(o.selfLink ?? '')?.[1] ?? '';
  return [...Map.groupBy(lines, projectOf)].map(([project, of]) =>
    googleProject(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project) ? project : 'altered-project', of),
  );
}

function googleProject(project: string, lines: readonly GoogleLine[]): Account {
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
function azureSubscriptions(folder: string): readonly Account[] {
  const lines = firstOf(linesOf<AzureLine>(folder, 'azure.jsonl'), ({ o }) => o.id?.toLowerCase());
  const byRegion = Map.groupBy(lines, ({ o }) => canonicalLocation(o.location ?? 'westeurope'));
  return [...byRegion].map(([region, of]) => azureRegion(region, of));
}

/**
 * Networks, subnets and interfaces were seldom recorded: a machine gets an interface in a stand-in for its subnet, and an
 * application security group is one of its network.
 */
function azureRegion(region: string, lines: readonly AzureLine[]): Account {
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
