import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import type {
  Instance,
  InternetGateway,
  NatGateway,
  RouteTable,
  SecurityGroup,
  Subnet,
  Vpc,
  VpcPeeringConnection,
} from '@aws-sdk/client-ec2';
import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface, SecurityRule } from '@azure/arm-network';
import { groupOrigin } from '../../providers/aws/group.ts';
import { observeInstance as awsInstance } from '../../providers/aws/instance/observe.ts';
import { internetPartsOf } from '../../providers/aws/internet/parts.ts';
import { observeVpc } from '../../providers/aws/network.ts';
import { atomsOf, writePermission } from '../../providers/aws/permission.ts';
import { observeSubnet as awsSubnet, indexTables } from '../../providers/aws/subnet.ts';
import { canonicalId } from '../../providers/azure/ids.ts';
import { type InstanceContext, observeMachine, reachOf } from '../../providers/azure/instance/observe.ts';
import { readMatch, writeRule } from '../../providers/azure/security-rule.ts';
import { firewallOf, observeFirewall } from '../../providers/gcp/firewall.ts';
import { observeInstance as gcpInstance } from '../../providers/gcp/instance/observe.ts';
import { pathOf } from '../../providers/gcp/links.ts';
import type {
  Disk,
  Firewall,
  Instance as GcpInstance,
  Network,
  Route,
  Subnetwork,
} from '../../providers/gcp/messages.ts';
import { observeNetwork } from '../../providers/gcp/network.ts';
import { observeSubnet as gcpSubnet } from '../../providers/gcp/subnet.ts';
import { ARM_TABLE } from '../../sandbox/arm/spelling-table.ts';
import { COMPUTE_TABLE } from '../../sandbox/compute/spelling-table.ts';
import { makeSpellings, respellJson, type SpellingMode } from '../../sandbox/spelling.ts';

/**
 * Answers of real clouds, one JSON object a line: aws.jsonl {file, op, data} as boto3 decodes them, gcp.jsonl and azure.jsonl
 * {file, kind, o} as the APIs wrote them. SETPOINT_RECORDINGS names their folder.
 */
const folder = resolve(
  join(import.meta.dirname, '../..'),
  process.env['SETPOINT_RECORDINGS'] ?? '../shared/recordings',
);
const skip = existsSync(folder) ? false : `no ${folder}; set SETPOINT_RECORDINGS`;

interface Recorded<T = unknown> {
  readonly file: string;
  readonly kind: string;
  readonly o: T;
}

const linesOf = <T>(file: string): readonly T[] =>
  skip === false
    ? readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as T) // why: the files hold what their first comment says
    : [];

const modes: readonly SpellingMode[] = [
  ...[1, 2, 3].map((number) => ({ kind: 'way' as const, number })),
  ...[1, 2, 3, 4, 5, 6].map((number) => ({ kind: 'seed' as const, number })),
];

interface Cloud {
  readonly file: string;
  readonly table: Parameters<typeof respellJson>[1];
  /** The provider's form of a recorded object; undefined if it never reads that object. */
  readonly read: (kind: string, object: unknown) => unknown;
}

const linkOf = (link: string | null | undefined): string => pathOf(link ?? '');

const clouds: Readonly<Record<string, Cloud>> = {
  gcp: { file: 'gcp.jsonl', table: COMPUTE_TABLE, read: (kind, object) => googleKinds[kind]?.(object) },
  azure: { file: 'azure.jsonl', table: ARM_TABLE, read: (kind, object) => azureKinds[kind]?.(object) },
};

for (const [cloud, { file, table, read }] of Object.entries(clouds)) {
  test(`${cloud}: each recorded object is read, and in every spelling as the same`, { skip }, () => {
    let objects = 0;
    for (const { kind, o, file: from } of linesOf<Recorded>(file)) {
      const plain = read(kind, o);
      if (plain === undefined) continue;
      objects += 1;
      for (const mode of modes) {
        const spellings = makeSpellings();
        spellings.set(mode);
        const spelling = spellings.next();
        const said = spelling && respellJson(o, table, spelling);
        assert.deepEqual(read(kind, said), plain, `${from} in spelling ${JSON.stringify(mode)}`);
      }
    }
    assert.ok(objects > 20, `${objects} objects`);
  });
}

describe('what is read of a recorded rule is written back as the same rule', { skip }, () => {
  test('aws', () => {
    const groups = awsObjects<SecurityGroup>('SecurityGroups');
    assert.ok(groups.length > 100);
    for (const group of groups) {
      for (const { id, attributes } of atomsOf(group, group.OwnerId ?? '')) {
        const side = attributes.match.direction === 'ingress' ? 'IpPermissions' : 'IpPermissionsEgress';
        const written = { ...bare(group), [side]: [writePermission(attributes.match, attributes.description)] };
        const [again, ...rest] = atomsOf(written, group.OwnerId ?? '');
        assert.deepEqual([again?.id, again?.attributes, rest], [id, attributes, []]);
      }
    }
  });

  test('gcp', () => {
    let rules = 0;
    for (const { o } of linesOf<Recorded<Firewall>>('gcp.jsonl').filter(({ kind }) => kind === 'compute#firewall')) {
      const { attributes } = observeFirewall(o, linkOf, 'p');
      rules += 1;
      const written = firewallOf(attributes, { name: o.name ?? '', description: o.description ?? '' });
      const again = observeFirewall({ ...written, id: o.id ?? '', selfLink: o.selfLink ?? '' }, linkOf, 'p');
      assert.deepEqual(again.attributes, attributes);
    }
    assert.ok(rules > 5, `${rules} rules`);
  });

  test('azure', () => {
    let rules = 0;
    for (const { o } of linesOf<Recorded<ArmBody<ArmNsg>>>('azure.jsonl').filter(isNsg)) {
      for (const { properties: rule } of o.properties.securityRules) {
        rules += 1;
        const match = readMatch(rule, canonicalId);
        const written = writeRule({ network: '', match, description: '' });
        // why: the SDK's rule has the names of the properties that are sent
        assert.deepEqual(readMatch(written as SecurityRule, canonicalId), match);
      }
    }
    assert.ok(rules > 40, `${rules} rules`);
  });
});

test('aws: each recorded object is read', { skip }, () => {
  const gateways = awsObjects<InternetGateway>('InternetGateways');
  const tables = awsObjects<RouteTable>('RouteTables');
  for (const vpc of awsObjects<Vpc>('Vpcs')) {
    const { attributes } = observeVpc(vpc, {
      parts: internetPartsOf(vpc, gateways, tables),
      region: 'here',
      account: vpc.OwnerId ?? '',
    });
    assert.equal(attributes.cidr, vpc.CidrBlock);
  }
  for (const subnet of awsObjects<Subnet>('Subnets'))
    assert.equal(awsSubnet(subnet, indexTables(tables), subnet.OwnerId ?? '').attributes.cidr, subnet.CidrBlock);
  const instances = awsObjects<{ readonly Instances?: readonly Instance[] }>('Reservations');
  for (const instance of instances.flatMap(({ Instances = [] }) => Instances))
    assert.equal(awsInstance(instance).observed.id, instance.InstanceId ?? '');
});

test('aws: recorded NAT gateways, peerings and routes are settings of their network', { skip }, () => {
  const [natGateways, peerings] = [
    awsObjects<NatGateway>('NatGateways'),
    awsObjects<VpcPeeringConnection>('VpcPeeringConnections'),
  ];
  const settingsOf = (VpcId: string | undefined) =>
    observeVpc(VpcId === undefined ? {} : { VpcId }, {
      parts: internetPartsOf({}, [], []),
      region: 'here',
      account: '',
      settings: { natGateways, peerings, unlisted: [] },
    }).attributes.settings;
  for (const { VpcId, NatGatewayId = '' } of natGateways)
    assert.ok(settingsOf(VpcId)?.natGateways?.includes(NatGatewayId), NatGatewayId);
  for (const { RequesterVpcInfo: requester, AccepterVpcInfo: accepter } of peerings)
    for (const [here, there] of [
      [requester, accepter],
      [accepter, requester],
    ])
      assert.ok(settingsOf(here?.VpcId)?.peerings?.some(({ network }) => network === there?.VpcId));
  const tables = indexTables(awsObjects<RouteTable>('RouteTables'));
  const subnets = awsObjects<Subnet>('Subnets').map((one) => awsSubnet(one, tables, one.OwnerId ?? ''));
  const routes = subnets.flatMap(({ attributes }) => attributes.settings?.routes ?? []);
  assert.deepEqual(
    new Set(routes.map(({ destination, nextHop }) => `${destination} ${nextHop}`)),
    new Set(['0.0.0.0/0 igw-0186e33a1d5903db5', '0.0.0.0/0 igw-bda12fd8']),
  );
});

test('aws: recorded groups that a console, a service or a tool made say so', { skip }, () => {
  const groups = new Map(awsObjects<SecurityGroup>('SecurityGroups').map((group) => [JSON.stringify(group), group]));
  // why: these are the words of their makers, and no person writes them
  const made = [
    [/RDS Management Console/, 'made by the RDS console', 20],
    [/^launch-wizard-\d+ created/, "made by the EC2 console's launch wizard", 20],
    [/^AutoScaling-Security-Group-/, "made by the Auto Scaling console's launch configuration wizard", 2],
    [/Terraform/, 'made by Terraform', 2],
    [/MWAA/, 'made by MWAA for environment timmy-airflow', 1],
    [/^default VPC security group$/, undefined, 20],
  ] as const;
  for (const [text, detail, least] of made) {
    const found = [...groups.values()].filter(({ Description = '' }) => text.test(Description));
    assert.ok(found.length >= least, `${found.length} of ${text}`);
    for (const group of found) {
      const origin = groupOrigin(group, group.OwnerId ?? '');
      assert.equal(origin?.detail, detail ?? `default security group of ${group.VpcId}`, group.Description);
    }
  }
  for (const group of groups.values())
    if (group.Tags?.some(({ Key = '' }) => Key.startsWith('aws:')))
      assert.match(groupOrigin(group, group.OwnerId ?? '')?.detail ?? '', /CloudFormation/);
});

function awsObjects<T>(list: string): readonly T[] {
  const answers = linesOf<{ readonly data: Readonly<Record<string, unknown>> }>('aws.jsonl');
  return answers.flatMap(({ data }) => (data[list] ?? []) as readonly T[]); // why: EC2 names a list by what is in it
}

const bare = ({ IpPermissions: _, IpPermissionsEgress: __, ...group }: SecurityGroup): SecurityGroup => group;

test('gcp: recorded secondary ranges, blocks and routes are settings of their network', { skip }, () => {
  const recorded = <T>(kind: string): readonly T[] =>
    linesOf<Recorded>('gcp.jsonl').flatMap((line) => (line.kind === kind ? [line.o as T] : [])); // why: the kind names the type
  for (const subnetwork of recorded<Subnetwork>('compute#subnetwork')) {
    const { settings } = gcpSubnet(subnetwork, linkOf, { project: 'p' }).attributes;
    assert.equal(settings?.privateGoogleAccess, subnetwork.privateIpGoogleAccess ?? false);
    assert.deepEqual(
      new Set(settings?.secondaryRanges?.map(({ name, cidr }) => `${name} ${cidr}`)),
      new Set(subnetwork.secondaryIpRanges?.map(({ rangeName, ipCidrRange }) => `${rangeName} ${ipCidrRange}`)),
    );
  }
  const networks = recorded<Network>('compute#network');
  const blocks = networks.flatMap((network) => observeNetwork(network, undefined).attributes.settings?.ipv6Cidrs ?? []);
  assert.deepEqual(blocks, ['fd20:eb5:88a::/48']);
  const [route] = recorded<Route>('compute#route');
  const { settings } = observeNetwork({ selfLink: route?.network ?? '' }, recorded<Route>('compute#route')).attributes;
  assert.deepEqual(settings?.routes, [{ destination: '0.0.0.0/0', nextHop: '10.132.1.5', priority: 100 }]);
});

type Reader = (object: unknown) => unknown;

/** A reader of recorded objects of one kind. */
const reads =
  <T>(read: (object: T) => unknown): Reader =>
  (object) =>
    read(object as T); // why: the row's kind names the type

const googleKinds: Readonly<Record<string, Reader>> = {
  'compute#firewall': reads<Firewall>((firewall) => observeFirewall(firewall, linkOf, 'p')),
  'compute#network': reads<Network>((network) => observeNetwork(network, undefined)),
  'compute#subnetwork': reads<Subnetwork>((subnetwork) => gcpSubnet(subnetwork, linkOf, { project: 'p' })),
  'compute#instance': reads<GcpInstance>((instance) =>
    gcpInstance(instance, { project: 'p', resolve: linkOf, disks: new Map<string, Disk>() }),
  ),
};

/** ARM's own JSON; the SDK takes `properties` out. */
interface ArmBody<P> {
  readonly properties: P;
}

interface ArmNsg {
  readonly securityRules: readonly ArmBody<SecurityRule>[];
}

const isNsg = ({ kind }: Recorded): boolean => kind === 'networksecuritygroups';

const around: InstanceContext = {
  nics: new Map(),
  addresses: new Map(),
  disks: new Map(),
  views: new Map(),
  refOf: (id) => canonicalId(id ?? ''),
  unknownTo: () => undefined,
};

/** In the SDK's form: the fields of `properties` are beside the id. */
const flat = <P>({ properties, ...rest }: ArmBody<P>): P => ({ ...rest, ...properties });

type Configuration = NonNullable<NetworkInterface['ipConfigurations']>[number];

const azureKinds: Readonly<Record<string, Reader>> = {
  networksecuritygroups: reads<ArmBody<ArmNsg>>(({ properties: { securityRules } }) =>
    securityRules
      .map(({ properties }) => JSON.stringify([readMatch(properties, canonicalId), properties.priority]))
      // why: the dialect compares service tags in any case, and keeps the one that it reads
      .map((text) => text.replace(/service-tag:[^"]+/g, (tag) => tag.toLowerCase()))
      .sort(),
  ),
  virtualmachines: reads<ArmBody<VirtualMachine>>((vm) => observeMachine(flat(vm), around)),
  networkinterfaces: reads<ArmBody<{ readonly ipConfigurations: readonly ArmBody<Configuration>[] }>>(
    ({ properties: { ipConfigurations } }) => reachOf({ ipConfigurations: ipConfigurations.map(flat) }, around),
  ),
};
