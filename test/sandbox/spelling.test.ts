import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DescribeSecurityGroupsCommand } from '@aws-sdk/client-ec2';
import { ARM_TABLE } from '../../sandbox/arm/spelling-table.ts';
import { COMPUTE_TABLE } from '../../sandbox/compute/spelling-table.ts';
import { EC2_SPELLINGS, respellXml } from '../../sandbox/ec2/spelling-table.ts';
import { makeSpellings, respellJson, type Spelling } from '../../sandbox/spelling.ts';
import { ACCOUNT, type Bench, bench, REGION } from './bench.ts';

const web = {
  key: 'web',
  tags: { Name: 'web', tier: 'front' },
  ingress: [
    { protocol: 'tcp', ports: '443', peers: ['192.0.2.0/24', '10.0.0.0/8', '2001:db8::/32', 'web'] },
    { protocol: '-1', peers: ['10.1.0.0/16'] },
  ],
};
const estate = {
  regions: [{ account: ACCOUNT, region: REGION, vpcs: [{ key: 'core', cidr: '10.0.0.0/16', groups: [web] }] }],
};

const groupsOf = async ({ ec2 }: Bench): Promise<string> =>
  JSON.stringify((await ec2.send(new DescribeSecurityGroupsCommand({}))).SecurityGroups);

test('the sandbox answers in its own words unless somebody gives it a seed', async () => {
  await using plain = await bench({ estate });
  await using seeded = await bench({ estate, spellings: 3 });
  const own = await groupsOf(plain);
  assert.equal(await groupsOf(plain), own);
  assert.notEqual(await groupsOf(seeded), own);
  seeded.sandbox.control.spellings.set({ kind: 'own' });
  assert.equal(await groupsOf(seeded), own);
});

test('one seed gives the same answers again, and spells each answer anew', async () => {
  const three = async (spellings: number): Promise<readonly string[]> => {
    await using seeded = await bench({ estate, spellings });
    return [await groupsOf(seeded), await groupsOf(seeded), await groupsOf(seeded)];
  };
  const first = await three(3);
  assert.deepEqual(await three(3), first);
  assert.notDeepEqual(await three(4), first);
  assert.equal(new Set(first).size, 3);
});

test('a seed may be given over HTTP', async () => {
  await using plain = await bench({ estate });
  const own = await groupsOf(plain);
  const give = (seed: number) =>
    fetch(`${plain.sandbox.url}/_sandbox/spellings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seed }),
    });
  assert.equal((await give(3)).status, 200);
  assert.notEqual(await groupsOf(plain), own);
  await give(0);
  assert.equal(await groupsOf(plain), own);
});

test('two objects of one answer are spelled apart', () => {
  const spellings = makeSpellings(1);
  const drawn = Array.from({ length: 40 }, (_, index) => spellings.next()?.pick(`object-${index % 2}`, 'row', 2));
  const pairs = Array.from({ length: 20 }, (_, index) => `${drawn[2 * index]}${drawn[2 * index + 1]}`);
  assert.equal(new Set(pairs).size, 4);
});

/** Objects that a cloud may hold, so that each row of its table applies to one. */
const compute = [
  {
    kind: 'compute#firewall',
    sourceRanges: ['192.0.2.7/32', '2001:db8::/32'],
    allowed: [{ IPProtocol: 'tcp', ports: ['80', '443'] }],
    logConfig: { enable: false },
    network: 'https://www.googleapis.com/compute/v1/projects/acme/global/networks/core',
  },
  {
    kind: 'compute#instance',
    machineType: 'https://www.googleapis.com/compute/v1/projects/acme/zones/a/machineTypes/e2-small',
    tags: { items: ['web', 'all'] },
  },
];
const rule = {
  protocol: 'Tcp',
  access: 'Allow',
  direction: 'Inbound',
  sourceAddressPrefixes: ['192.0.2.7/32', '2001:db8::/32'],
  sourcePortRange: '*',
  sourcePortRanges: [],
  destinationAddressPrefix: '',
  destinationPortRange: '443',
};
const arm = [
  {
    id: '/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/networkSecurityGroups/core',
    location: 'westeurope',
    properties: { securityRules: [{ properties: rule }, { properties: { ...rule, sourceAddressPrefix: 'Internet' } }] },
  },
  { addressPrefix: '10.0.1.0/24', privateEndpointNetworkPolicies: 'Disabled', tags: { a: '1', b: '2' } },
  { nextHopType: 'VirtualAppliance', nextHopIpAddress: 'fd00::4' },
  { nextHopType: 'None' },
  { userAssignedIdentities: { '/subscriptions/s/resourceGroups/rg/providers/Microsoft.ManagedIdentity/x/y': {} } },
];
const xml =
  '<securityGroupInfo><item><groupId>sg-1</groupId><securityGroupArn>arn</securityGroupArn><ipPermissions><item>' +
  '<ipProtocol>tcp</ipProtocol><ipRanges><item><cidrIp>192.0.2.0/24</cidrIp></item><item><cidrIp>10.0.0.0/8</cidrIp></item></ipRanges>' +
  '<ipv6Ranges><item><cidrIpv6>2001:db8::/32</cidrIpv6></item></ipv6Ranges><prefixListIds/>' +
  '<groups><item><userId>1</userId><groupId>sg-2</groupId></item></groups></item></ipPermissions></item></securityGroupInfo>';

describe('tables of spellings', () => {
  const tables = {
    ec2: { rows: EC2_SPELLINGS, say: (spelling: Spelling) => void respellXml(xml, spelling) },
    compute: {
      rows: COMPUTE_TABLE.rows,
      say: (spelling: Spelling) => void respellJson(compute, COMPUTE_TABLE, spelling),
    },
    arm: {
      rows: ARM_TABLE.rows,
      say: (spelling: Spelling) => void respellJson(arm, ARM_TABLE, spelling),
    },
  };
  for (const [cloud, { rows, say }] of Object.entries(tables)) {
    test(`${cloud}: each row names its source, and has something to say`, () => {
      const heard = new Map<string, number>();
      say({
        pick: (_object, row, count) => {
          heard.set(row, Math.max(count, heard.get(row) ?? 0));
          return 0;
        },
      });
      assert.deepEqual(
        rows.map(({ name }) => name).filter((name) => (heard.get(name) ?? 0) < 2),
        [],
      );
      assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
      for (const { name, source } of rows) assert.match(source, /https:\/\/|gcloud/, name);
    });
  }
});
