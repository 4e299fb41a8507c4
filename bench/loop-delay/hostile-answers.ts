import { answerOf } from '../../test/support/aws-answers.ts';
import type { Hostile } from './answering.ts';

/** A cloud's answers to listings, each named after its hostile or large part. */
export type Answers = Readonly<Record<string, () => Hostile | Promise<Hostile>>>;

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const MiB = 1024 * 1024;

/** As EC2 lists one that was launched with a console: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Instance.html */
const ec2Instance = (i: number, tags = 10): object => ({
  InstanceId: `i-${i.toString(16).padStart(17, '0')}`,
  ImageId: 'ami-0abcdef1234567890',
  State: { Code: 16, Name: 'running' },
  PrivateDnsName: `ip-10-0-0-${i}.ec2.internal`,
  PublicDnsName: '',
  StateTransitionReason: '',
  KeyName: 'key',
  AmiLaunchIndex: 0,
  ProductCodes: [],
  InstanceType: 't3.micro',
  LaunchTime: '2026-01-02T03:04:05.000Z',
  Placement: { AvailabilityZone: 'eu-west-1a', GroupName: '', Tenancy: 'default' },
  Monitoring: { State: 'disabled' },
  SubnetId: 'subnet-0123456789abcdef0',
  VpcId: 'vpc-0123456789abcdef0',
  PrivateIpAddress: `10.0.${i >> 8}.${i & 255}`,
  SourceDestCheck: true,
  SecurityGroups: times(3, (n) => ({ GroupId: `sg-0123456789abcdef${n}`, GroupName: `group ${n}` })),
  Architecture: 'x86_64',
  RootDeviceType: 'ebs',
  RootDeviceName: '/dev/xvda',
  BlockDeviceMappings: times(2, (n) => ({
    DeviceName: `/dev/xvd${n}`,
    Ebs: {
      AttachTime: '2026-01-02T03:04:06.000Z',
      DeleteOnTermination: true,
      Status: 'attached',
      VolumeId: `vol-0123456789abcdef${n}`,
    },
  })),
  VirtualizationType: 'hvm',
  ClientToken: `token-${i}`,
  Tags: times(tags, (n) => ({ Key: `key-${n}`, Value: `the value of <${n}> & more` })),
  Hypervisor: 'xen',
  NetworkInterfaces: [
    {
      NetworkInterfaceId: `eni-${i}`,
      SubnetId: 'subnet-0123456789abcdef0',
      VpcId: 'vpc-0123456789abcdef0',
      Description: '',
      OwnerId: '111122223333',
      Status: 'in-use',
      MacAddress: '02:00:00:00:00:01',
      PrivateIpAddress: '10.0.0.1',
      SourceDestCheck: true,
      Groups: times(3, (n) => ({ GroupId: `sg-0123456789abcdef${n}`, GroupName: `group ${n}` })),
      Attachment: {
        AttachTime: '2026-01-02T03:04:05.000Z',
        AttachmentId: `eni-attach-${i}`,
        DeleteOnTermination: true,
        DeviceIndex: 0,
        Status: 'attached',
        NetworkCardIndex: 0,
      },
      PrivateIpAddresses: [{ Primary: true, PrivateIpAddress: '10.0.0.1', PrivateDnsName: 'ip-10-0-0-1.ec2.internal' }],
      Ipv6Addresses: [],
      InterfaceType: 'interface',
      Operator: { Managed: false },
    },
  ],
  EbsOptimized: false,
  EnaSupport: true,
  CpuOptions: { CoreCount: 1, ThreadsPerCore: 2 },
  CapacityReservationSpecification: { CapacityReservationPreference: 'open' },
  HibernationOptions: { Configured: false },
  EnclaveOptions: { Enabled: false },
  MetadataOptions: {
    State: 'applied',
    HttpTokens: 'required',
    HttpPutResponseHopLimit: 2,
    HttpEndpoint: 'enabled',
    HttpProtocolIpv6: 'disabled',
    InstanceMetadataTags: 'disabled',
  },
  MaintenanceOptions: { AutoRecovery: 'default' },
  PrivateDnsNameOptions: { HostnameType: 'ip-name', EnableResourceNameDnsARecord: false },
  PlatformDetails: 'Linux/UNIX',
  UsageOperation: 'RunInstances',
  UsageOperationUpdateTime: '2026-01-02T03:04:05.000Z',
  CurrentInstanceBootMode: 'legacy-bios',
});

const reservation = (instances: readonly object[], i = 0): object => ({
  ReservationId: `r-${i}`,
  OwnerId: '111122223333',
  Groups: [],
  Instances: instances,
});

const ec2 = async (action: string, data: object): Promise<Hostile> => ({
  listing: new RegExp(`Action=${action}&`),
  body: await answerOf(action, data),
});

const ec2Text = (action: string, inner: string): Hostile => ({
  listing: new RegExp(`Action=${action}&`),
  body: `<${action}Response>${inner}</${action}Response>`,
});

const ec2Permission = (i: number): object => ({
  IpProtocol: 'tcp',
  FromPort: 1 + (i % 60_000),
  ToPort: 1 + (i % 60_000),
  UserIdGroupPairs: [],
  IpRanges: [{ CidrIp: `10.${i % 200}.0.0/16`, Description: `rule ${i}` }],
  Ipv6Ranges: [],
  PrefixListIds: [],
});

const ec2Group = (i: number, rules: number): object => ({
  GroupId: `sg-${i.toString(16).padStart(17, '0')}`,
  GroupName: `group ${i}`,
  Description: 'made by somebody',
  OwnerId: '111122223333',
  VpcId: 'vpc-0123456789abcdef0',
  IpPermissions: times(rules, ec2Permission),
  IpPermissionsEgress: times(2, ec2Permission),
  Tags: [{ Key: 'Name', Value: `group ${i}` }],
});

/** Of EC2. */
export const hostileAnswers: Answers = {
  '1,000 instances': () =>
    ec2('DescribeInstances', { Reservations: times(1_000, (i) => reservation([ec2Instance(i)], i)) }),
  '1,000 instances of one reservation': () =>
    ec2('DescribeInstances', { Reservations: [reservation(times(1_000, (i) => ec2Instance(i)))] }),
  '1,000 instances with 50 tags': () =>
    ec2('DescribeInstances', { Reservations: times(1_000, (i) => reservation([ec2Instance(i, 50)], i)) }),
  'an instance with 10,000 tags': () =>
    ec2('DescribeInstances', { Reservations: [reservation([ec2Instance(1, 10_000)])] }),
  '1,000 groups of 60 rules': () =>
    ec2('DescribeSecurityGroups', { SecurityGroups: times(1_000, (i) => ec2Group(i, 60)) }),
  'a group of 20,000 rules': () => ec2('DescribeSecurityGroups', { SecurityGroups: [ec2Group(1, 20_000)] }),
  '1,000 subnets': () =>
    ec2('DescribeSubnets', {
      Subnets: times(1_000, (i) => ({
        SubnetId: `subnet-${i}`,
        VpcId: `vpc-${i % 10}`,
        OwnerId: '111122223333',
        CidrBlock: `10.${i >> 8}.${i & 255}.0/24`,
        AvailabilityZone: 'eu-west-1a',
        State: 'available',
        Tags: times(10, (n) => ({ Key: `key-${n}`, Value: `value ${n}` })),
      })),
    }),
  '1,000 networks': () =>
    ec2('DescribeVpcs', {
      Vpcs: times(1_000, (i) => ({
        VpcId: `vpc-${i}`,
        OwnerId: '111122223333',
        CidrBlock: '10.0.0.0/16',
        State: 'available',
        Tags: times(10, (n) => ({ Key: `key-${n}`, Value: `value ${n}` })),
      })),
    }),
  'elements in one another': () => ec2Text('DescribeVpcs', `${'<a>'.repeat(MiB)}${'</a>'.repeat(MiB)}`),
  'elements that never end': () => ec2Text('DescribeVpcs', '<a>'.repeat(MiB)),
  'empty elements': () => ec2Text('DescribeVpcs', '<a/>'.repeat(MiB)),
  'empty networks': () => ec2Text('DescribeVpcs', `<vpcSet>${'<item/>'.repeat(MiB)}</vpcSet>`),
  'empty networks, as many as are read': () => ec2Text('DescribeVpcs', `<vpcSet>${'<item/>'.repeat(20_000)}</vpcSet>`),
  'tags of many names': () => ec2Text('DescribeVpcs', times(200_000, (i) => `<a${i}/>`).join('')),
  'one attribute after another': () => ec2Text('DescribeVpcs', `<a ${'b="c" '.repeat(MiB)}/>`),
  'a long attribute': () => ec2Text('DescribeVpcs', `<a b="${'&lt;'.repeat(4 * MiB)}"/>`),
  'a long text': () => ec2Text('DescribeVpcs', `<vpcSet><item><vpcId>${'a'.repeat(32 * MiB)}</vpcId></item></vpcSet>`),
  'long texts, as many as are read': () =>
    ec2Text('DescribeVpcs', `<vpcSet>${`<item><vpcId>${'a'.repeat(MiB)}</vpcId></item>`.repeat(31)}</vpcSet>`),
  'a long text of entities': () =>
    ec2Text('DescribeVpcs', `<vpcSet><item><vpcId>${'&lt;'.repeat(4 * MiB)}</vpcId></item></vpcSet>`),
  'a long text of line ends': () =>
    ec2Text('DescribeVpcs', `<vpcSet><item><vpcId>${'\r'.repeat(8 * MiB)}</vpcId></item></vpcSet>`),
  'a long text beyond ASCII': () =>
    ec2Text('DescribeVpcs', `<vpcSet><item><vpcId>${'é'.repeat(8 * MiB)}</vpcId></item></vpcSet>`),
  'texts between comments': () => ec2Text('DescribeVpcs', 'a<!-- b -->'.repeat(MiB)),
  'open comments': () => ec2Text('DescribeVpcs', '<!-- '.repeat(4 * MiB)),
  'comments that nearly end': () => ec2Text('DescribeVpcs', `<!--${'-- >'.repeat(4 * MiB)}`),
  'open CDATA': () => ec2Text('DescribeVpcs', '<![CDATA['.repeat(MiB)),
  'a DOCTYPE of entities': () => ({
    listing: /Action=DescribeVpcs&/,
    body: `<!DOCTYPE a [${'<!ENTITY b "&b;&b;">'.repeat(MiB / 4)}]><a>&b;</a>`,
  }),
  'groups of one tag': () =>
    ec2('DescribeSecurityGroups', {
      SecurityGroups: [{ ...ec2Group(1, 1), Tags: times(10_000, () => ({ Key: 'Name', Value: 'a' })) }],
    }),
  'instances without fields': () =>
    ec2('DescribeInstances', { Reservations: [reservation(times(20_000, () => ({})))] }),
  'a page for people': () => ({
    listing: /Action=DescribeVpcs&/,
    body: `<html><body>${'<p>Service Unavailable<br/></p>'.repeat(200_000)}</body></html>`,
  }),
  blanks: () => ({ listing: /Action=DescribeVpcs&/, body: ' '.repeat(16 * MiB) }),
  'markup that is none': () => ({ listing: /Action=DescribeVpcs&/, body: '<'.repeat(8 * MiB) }),
  'no UTF-8': () => ({ listing: /Action=DescribeVpcs&/, body: Buffer.alloc(16 * MiB, 0xff) }),
};

const texts = (count: number, make: (i: number) => string, between = ','): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(between);
const upTo = (size: number, text: string): string => text.repeat(Math.floor(size / text.length));

/** A cloud whose listings are JSON. */
interface Style {
  /** Some less than its provider reads of one answer. */
  readonly parts: number;
  /** A page with these items, and beside them. */
  readonly page: (items: string, beside?: string) => string;
  /** An item with further members. */
  readonly item: (i: number, members?: string) => string;
  /** The member that is a map of texts, and that which is a list of objects. */
  readonly map: string;
  readonly list: (items: string) => string;
  readonly listing: RegExp;
}

function answersOf({ parts, page, item, map, list, listing }: Style): Answers {
  const bodies: Readonly<Record<string, () => string | Buffer>> = {
    'very many keys': () => page('', `"x":{${texts(780_000, (i) => `"k${i}":1`)}}`),
    'as many keys as it may have': () => page('', `"x":{${texts(parts / 2, (i) => `"k${i}":1`)}}`),
    'keys of a page': () =>
      page(
        '',
        texts(parts / 2, (i) => `"k${i}":1`),
      ),
    'keys of an item': () =>
      page(
        item(
          1,
          texts(parts / 2, (i) => `"k${i}":1`),
        ),
      ),
    'a map of many keys': () => page(item(1, `"${map}":{${texts(parts / 2, (i) => `"k${i}":"v"`)}}`)),
    'keys of many items': () =>
      page(
        texts(1_000, (i) =>
          item(
            i,
            texts(200, (n) => `"k${i}x${n}":1`),
          ),
        ),
      ),
    'objects of one key each': () => page('', `"x":[${texts(parts / 3, (i) => `{"k${i}":1}`)}]`),
    'equal keys': () =>
      page(
        '',
        texts(parts / 2, () => '"k":1'),
      ),
    'names of a prototype': () =>
      page(
        item(
          1,
          texts(parts / 3, () => '"__proto__":{}'),
        ),
      ),
    'lists in one another': () => page('', `"x":${'['.repeat(MiB)}${']'.repeat(MiB)}`),
    'lists as deep as they may be': () =>
      page('', `"x":[${texts(parts / 60, () => `${'['.repeat(58)}${']'.repeat(58)}`)}]`),
    'objects in one another': () => page('', `"x":${upTo(4 * MiB, '{"a":')}1${'}'.repeat(4 * MiB)}`),
    'open brackets': () => '['.repeat(16 * MiB),
    'open braces': () => upTo(16 * MiB, '{"a":'),
    'empty lists': () => page('', `"x":[${texts(parts / 2, () => '[]')}]`),
    'empty objects': () => page('', `"x":[${texts(parts / 2, () => '{}')}]`),
    'empty items': () => page(texts(parts / 2, () => '{}')),
    'very many empty items': () => page(texts(4_000_000, () => '{}')),
    'empty things in an item': () => page(item(1, list(texts(parts / 2, () => '{}')))),
    'as many items as it may have': () => page(texts(9_000, (i) => item(i))),
    'numbers of many digits': () => page('', `"x":[${texts(parts, () => '1e308')}]`),
    texts: () => page('', `"x":[${texts(parts, (i) => `"text ${i}"`)}]`),
    'a text of 16 MB': () => page(item(1, `"description":"${'a'.repeat(16 * MiB)}"`)),
    'a text as long as it may be': () => page(item(1, `"description":"${'a'.repeat(4 * MiB - 2)}"`)),
    'long texts': () => page(texts(10, (i) => item(i, `"description":"${'a'.repeat(3 * MiB)}"`))),
    'long texts of line ends': () => page(texts(10, (i) => item(i, `"description":"${'\\n'.repeat(1.5 * MiB)}"`))),
    'long texts of code points': () => page(texts(8, (i) => item(i, `"description":"${'\\u00e9'.repeat(MiB / 2)}"`))),
    'long texts beyond ASCII': () => page(texts(8, (i) => item(i, `"description":"${'é'.repeat(1.5 * MiB)}"`))),
    'a text that never ends': () => `${page('').slice(0, -1)},"x":"${'a'.repeat(24 * MiB)}`,
    'a long key': () => page('', `"${'k'.repeat(16 * MiB)}":[1]`),
    'keys of a kilobyte around long lists': () =>
      page('', `"x":${texts(50, (i) => `{"${`${i}`.repeat(500)}":`, '')}[${texts(parts, () => '1')}]${'}'.repeat(50)}`),
    'a long number': () => page('', `"x":${'9'.repeat(16 * MiB)}`),
    'blanks alone': () => ' '.repeat(24 * MiB),
    'blanks between': () => page(texts(6_000, (i) => item(i), `,${' '.repeat(4_000)}`)),
    commas: () => `[${','.repeat(24 * MiB)}]`,
    'marks of another bracket': () => page(texts(100_000, () => '{]')),
    'no JSON': () => 'a'.repeat(24 * MiB),
    'no UTF-8': () => Buffer.alloc(24 * MiB, 0xff),
    'a page for people': () => `<html>${'<p>"Service Unavailable"<br/></p>'.repeat(400_000)}</html>`,
    'more bytes than it may have': () => page(texts(10, (i) => item(i, `"description":"${'a'.repeat(4_000_000)}"`))),
  };
  const refusals = {
    'a refusal of 16 MB': `{"error":{"code":404,"message":"${'a'.repeat(16 * MiB)}"}}`,
    'a refusal of many keys': `{"error":{${texts(20_000, (i) => `"k${i}":1`)}}}`,
  };
  return {
    ...Object.fromEntries(Object.entries(bodies).map(([name, make]) => [name, () => ({ listing, body: make() })])),
    ...Object.fromEntries(
      Object.entries(refusals).map(([name, body]) => [name, (): Hostile => ({ listing, status: 404, body })]),
    ),
  };
}

const project = 'https://www.googleapis.com/compute/v1/projects/acme-prod';

/** Of Google. */
export const hostileGoogle: Answers = answersOf({
  parts: 450_000,
  listing: /\/compute\/v1\/.*\/aggregated\/instances\b/,
  page: (items, beside = '') =>
    `{"kind":"compute#instanceAggregatedList","items":{"zones/europe-west1-b":{"instances":[${items}]}}${comma(beside)}}`,
  item: (i, members = '') =>
    `{"id":"${i}","name":"i-${i}","selfLink":"${project}/zones/europe-west1-b/instances/i-${i}"${comma(members)}}`,
  map: 'labels',
  list: (items) => `"disks":[${items}]`,
});

const subscription = '/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourceGroups/rg-app/providers';

/** Of Azure. */
export const hostileAzure: Answers = answersOf({
  parts: 1_900_000,
  listing: /\/providers\/[^/]+\/networkSecurityGroups\?/i,
  page: (items, beside = '') => `{"value":[${items}]${comma(beside)}}`,
  item: (i, members = '') =>
    `{"id":"${subscription}/Microsoft.Network/networkSecurityGroups/n-${i}","name":"n-${i}","location":"westeurope"${comma(members)}}`,
  map: 'tags',
  list: (items) => `"properties":{"securityRules":[${items}]}`,
});

function comma(members: string): string {
  return members === '' ? '' : `,${members}`;
}
