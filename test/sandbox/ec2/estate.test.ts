import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { type SandboxOptions, startSandbox } from '../../../sandbox/index.ts';
import { ACCOUNT, bench, given, REGION, refusal } from '../bench.ts';
import { PATIENCE_MS, processorTime } from '../processor-time.ts';
import { ID, smallEstate } from './estates.ts';

const here = { account: ACCOUNT, region: REGION };
const vpc = { key: 'v', cidr: '10.0.0.0/16' };
const subnet = { key: 's', cidr: '10.0.1.0/24' };
const only = (region: object): unknown => ({ regions: [{ ...here, ...region }] });

/** Invalid documents, and the sentence of each error. */
const problems: readonly { readonly estate: unknown; readonly want: string }[] = [
  { estate: [], want: 'the document: expected an object, found []' },
  { estate: {}, want: 'regions: expected a list, found nothing' },
  { estate: { regions: [], vpcs: [] }, want: 'the document: unknown key "vpcs"; known are regions' },
  { estate: only({ account: '1' }), want: 'regions[0].account: expected twelve digits, found "1"' },
  {
    estate: only({ region: 'Ireland' }),
    want: 'regions[0].region: expected a region such as eu-west-1, found "Ireland"',
  },
  {
    estate: only({ vpcs: [{ ...vpc, cidr: '10.0.0.0' }] }),
    want: 'regions[0].vpcs[0].cidr: "10.0.0.0" is not a CIDR block of ipv4',
  },
  {
    estate: only({ vpcs: [{ ...vpc, id: 'vpc-1' }] }),
    want: 'regions[0].vpcs[0].id: expected an id such as vpc-0123456789abcdef0, found "vpc-1"',
  },
  { estate: only({ vpcs: [vpc, vpc] }), want: 'regions[0].vpcs[1]: the key "v" is taken' },
  {
    estate: only({ vpcs: [{ ...vpc, subnets: [{ ...subnet, cidr: '10.1.0.0/24' }] }] }),
    want: 'regions[0].vpcs[0].subnets[0].cidr: "10.1.0.0/24" is no IPv4 CIDR block within 10.0.0.0/16',
  },
  {
    estate: only({ vpcs: [{ ...vpc, subnets: [subnet, { key: 't', cidr: '10.0.1.128/25' }] }] }),
    want: 'regions[0].vpcs[0].subnets[1].cidr: 10.0.1.128/25 overlaps 10.0.1.0/24',
  },
  {
    estate: only({
      vpcs: [{ ...vpc, groups: [{ key: 'g', ingress: [{ protocol: 'tcp', ports: '1', peers: ['h'] }] }] }],
    }),
    want: 'regions[0].vpcs[0].groups[0]: nothing here has the key "h"',
  },
  {
    estate: only({ vpcs: [{ ...vpc, groups: [{ key: 'g', ingress: [{ protocol: 'x', peers: ['10.0.0.0/8'] }] }] }] }),
    want: "regions[0].vpcs[0].groups[0]: InvalidParameterValue: Invalid value 'x' for IP protocol. Unknown protocol.",
  },
  {
    estate: only({ instances: [{ subnet: 's', groups: [] }] }),
    want: 'regions[0].instances[0]: nothing here has the key "s"',
  },
  {
    estate: only({
      vpcs: [{ ...vpc, subnets: [subnet] }],
      instances: [{ subnet: 's', groups: [], id: ID.machine, count: 2 }],
    }),
    want: 'regions[0].instances[0]: 2 instances cannot share one id',
  },
  {
    estate: only({ vpcs: [{ ...vpc, routeTables: [{ routes: [{ to: '0.0.0.0/0', via: 'gateway' }] }] }] }),
    want: 'regions[0].vpcs[0].routeTables[0].routes[0]: a CIDR block or prefix list, and "gateway" (which the VPC must have) or an id, are needed',
  },
];

/** Closes a sandbox that should not have started. */
async function start(options: SandboxOptions): Promise<void> {
  await (await startSandbox(options)).close();
}

describe('an estate that cannot be', () => {
  for (const { estate, want } of problems) {
    it(want, async () => {
      await assert.rejects(start({ estate }), { message: want });
    });
  }

  it('in a file that is no JSON is told by the file’s name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'estate-'));
    try {
      const estateFile = join(folder, 'estate.json');
      await writeFile(estateFile, '{');
      await assert.rejects(start({ estateFile }), /estate\.json: /);
      await writeFile(estateFile, JSON.stringify(smallEstate()));
      await using made = await bench({ estateFile });
      assert.equal((await made.ec2.send(new aws.DescribeVpcsCommand({}))).Vpcs?.length, 2);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('an estate', () => {
  it('is seen at once, however slow the cloud', async () => {
    await using made = await bench({ estate: smallEstate(), lag: { ms: 60_000 } });
    assert.equal((await made.ec2.send(new aws.DescribeVpcsCommand({}))).Vpcs?.length, 2);
    const tag = new aws.CreateTagsCommand({ Resources: [ID.vpc], Tags: [{ Key: 'a', Value: 'b' }] });
    assert.equal(await refusal(made.ec2.send(tag)), 'accepted');
  });

  it('may have the default VPC as AWS makes it', async () => {
    await using made = await bench({ estate: only({ defaultVpc: true }) });
    const { Vpcs } = await made.ec2.send(new aws.DescribeVpcsCommand({}));
    assert.deepEqual(
      Vpcs?.map(({ CidrBlock, IsDefault }) => [CidrBlock, IsDefault]),
      [['172.31.0.0/16', true]],
    );
    const { Subnets } = await made.ec2.send(new aws.DescribeSubnetsCommand({}));
    assert.deepEqual(
      Subnets?.map(({ CidrBlock, DefaultForAz, MapPublicIpOnLaunch }) => [
        CidrBlock,
        DefaultForAz,
        MapPublicIpOnLaunch,
      ]),
      ['172.31.0.0/20', '172.31.16.0/20', '172.31.32.0/20'].map((cidr) => [cidr, true, true]),
    );
    const { RouteTables } = await made.ec2.send(new aws.DescribeRouteTablesCommand({}));
    assert.match(given(RouteTables?.[0]?.Routes?.[1]?.GatewayId), /^igw-/);
    const run = { ImageId: 'ami-0abcdef1234567890', MinCount: 1, MaxCount: 1 };
    const { Instances } = await made.ec2.send(new aws.RunInstancesCommand(run));
    assert.equal(Instances?.[0]?.VpcId, Vpcs?.[0]?.VpcId);
  });

  it('holds what other services made', async () => {
    const tags = { 'aws:cloudformation:stack-name': 'lb' };
    const interfaces = [
      { subnet: 's', groups: ['g'], description: 'ELB app/x/1', requester: 'amazon-elb', publicIp: true, tags },
    ];
    const groups = [{ key: 'g', name: 'k8s-elb-x', tags: { 'elbv2.k8s.aws/cluster': 'prod', ...tags } }];
    await using made = await bench({ estate: only({ vpcs: [{ ...vpc, subnets: [subnet], groups }], interfaces }) });
    const { NetworkInterfaces } = await made.ec2.send(
      new aws.DescribeNetworkInterfacesCommand({ Filters: [{ Name: 'requester-managed', Values: ['true'] }] }),
    );
    const [eni] = given(NetworkInterfaces);
    assert.deepEqual(
      [eni?.RequesterId, eni?.Description, eni?.Status, eni?.Attachment?.InstanceOwnerId, eni?.TagSet?.length],
      ['amazon-elb', 'ELB app/x/1', 'in-use', 'amazon-aws', 1],
    );
    assert.equal(
      await refusal(made.ec2.send(new aws.DeleteSubnetCommand({ SubnetId: eni?.SubnetId }))),
      'DependencyViolation',
    );
  });
});

describe('estates', () => {
  it('may grow while the sandbox runs', async () => {
    await using made = await bench();
    made.sandbox.control.ec2.load(only({ vpcs: [vpc] }));
    made.sandbox.control.ec2.load(only({ vpcs: [{ ...vpc, cidr: '10.1.0.0/16' }] }));
    assert.equal((await made.ec2.send(new aws.DescribeVpcsCommand({}))).Vpcs?.length, 2);
  });

  it('of ten thousand is loaded and listed without work for each pair', async () => {
    const many = (count: number, make: (i: number) => object) => Array.from({ length: count }, (_, i) => make(i));
    const subnets = many(4000, (i) => ({ key: `s${i}`, cidr: `10.0.${i >> 4}.${(i & 15) * 16}/28` }));
    const peers = ['10.0.0.0/8'];
    const ingress = many(20, (i) => ({ protocol: 'tcp', ports: `${1000 + i}`, peers }));
    const groups = many(500, (i) => ({ key: `g${i}`, ingress }));
    const instances = many(10_000, (i) => ({ subnet: `s${i % 4000}`, groups: [`g${i % 500}`], userData: 'aGk=' }));
    const worked = processorTime();
    await using made = await bench({ estate: only({ vpcs: [{ ...vpc, subnets, groups }], instances }) });
    let seen = 0;
    let pages = 0;
    for await (const { Volumes } of aws.paginateDescribeVolumes({ client: made.ec2, pageSize: 1000 }, {})) {
      pages++;
      seen += given(Volumes).length;
    }
    assert.deepEqual([seen, pages], [10_000, 10]);
    assert.ok(worked() < PATIENCE_MS, `${worked()} ms`);
  });
});
