import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  EC2Client,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { commandLine } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const allow = '--allow-endpoint';
const subscription = '11112222-3333-4444-8555-666677778888';

/** One network with a subnet, a group and two documents of machines, on three clouds. */
const specsFor = (url: string) => ({
  'estate.yaml': `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: aws-prod }
spec: { provider: aws, account: "111122223333", region: eu-west-1, endpoint: "${url}" }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: gcp-a }
spec: { provider: gcp, account: acme-prod, region: us-east1, zone: us-east1-b, endpoint: "${url}" }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: gcp-b }
spec: { provider: gcp, account: acme-prod, region: europe-west1, zone: europe-west1-b, endpoint: "${url}" }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: azure-prod }
spec: { provider: azure, account: ${subscription}, region: westeurope, resourceGroup: acme, endpoint: "${url}" }
`,
  'network.yaml': `apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec:
  targets: [aws-prod, gcp-a, gcp-b, azure-prod]
  cidr: 10.20.0.0/16
  rules: additive
  groups: []
  subnets:
    - { name: app, cidr: 10.20.1.0/24, target: aws-prod }
    - { name: east, cidr: 10.20.2.0/24, target: gcp-b }
    - { name: web, cidr: 10.20.3.0/24, target: azure-prod }
---
apiVersion: setpoint.dev/v1
kind: FirewallRule
metadata: { name: https }
spec: { network: core, targets: [aws-prod, azure-prod], protocol: tcp, ports: [443], group: web, peers: { any: true } }
---
apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: box }
spec: { targets: [aws-prod], network: core, subnet: app, groups: [web], image: ami-0abc0abc0abc0abc0, size: t3.small }
---
apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: row }
spec: { targets: [aws-prod], network: core, subnet: app, groups: [web], image: ami-0abc0abc0abc0abc0, size: t3.small, replicas: 2 }
`,
});

interface World {
  readonly sandbox: Sandbox;
  readonly specs: string;
  readonly ids: Readonly<Record<'vpc' | 'subnet' | 'group' | 'strange' | 'box' | 'row', string>>;
}

/** A store of its own, too. */
async function standing(): Promise<World & { readonly run: ReturnType<typeof commandLine> }> {
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 } });
  after(() => sandbox.close());
  const specs = temporaryFolder(specsFor(sandbox.url));
  const ids = await onAws(sandbox.url);
  await onGcp(sandbox.url);
  await onAzure(sandbox.url);
  return { sandbox, specs, ids, run: commandLine() };
}

/** A network `core` with a subnet, a group and two machines; and another network with a group of the same name. */
async function onAws(endpoint: string): Promise<World['ids']> {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 });
  const tags = <T extends 'vpc' | 'instance'>(ResourceType: T, Value: string) => [
    { ResourceType, Tags: [{ Key: 'Name', Value }] },
  ];
  const vpcOf = async (name: string): Promise<string> => {
    const command = new CreateVpcCommand({ CidrBlock: '10.20.0.0/16', TagSpecifications: tags('vpc', name) });
    return (await client.send(command)).Vpc?.VpcId ?? '';
  };
  const groupIn = async (VpcId: string, GroupName: string): Promise<string> => {
    const command = new CreateSecurityGroupCommand({ VpcId, GroupName, Description: 'by hand' });
    return (await client.send(command)).GroupId ?? '';
  };
  const vpc = await vpcOf('core');
  const strange = await groupIn(await vpcOf('other'), 'core-web');
  const subnet = await client.send(new CreateSubnetCommand({ VpcId: vpc, CidrBlock: '10.20.1.0/24' }));
  const SubnetId = subnet.Subnet?.SubnetId ?? '';
  const group = await groupIn(vpc, 'core-web');
  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '10.0.0.0/8' }] }];
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: group, IpPermissions }));
  const launch = async (name: string, InstanceType: 't3.small' | 't3.large'): Promise<string> => {
    const made = await client.send(
      new RunInstancesCommand({
        ...{ ImageId: 'ami-0abc0abc0abc0abc0', InstanceType, MinCount: 1, MaxCount: 1 },
        ...{ SubnetId, SecurityGroupIds: [group], TagSpecifications: tags('instance', name) },
      }),
    );
    return made.Instances?.[0]?.InstanceId ?? '';
  };
  const [box, row] = [await launch('box-0', 't3.small'), await launch('row-1', 't3.small')];
  client.destroy();
  return { vpc, subnet: SubnetId, group, strange, box, row };
}

async function asked(url: string, method: string, path: string, body: object): Promise<void> {
  const headers = { authorization: 'Bearer colleague', 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${await answer.text()}`);
}

async function onGcp(url: string): Promise<void> {
  const project = '/compute/v1/projects/acme-prod';
  await asked(url, 'POST', `${project}/global/networks`, { name: 'core', autoCreateSubnetworks: false });
  await untilThere(`${url}${project}/global/networks/core`);
  const network = `projects/acme-prod/global/networks/core`;
  const body = { name: 'by-hand', network, ipCidrRange: '10.20.2.0/24' };
  await asked(url, 'POST', `${project}/regions/europe-west1/subnetworks`, body);
  await untilThere(`${url}${project}/regions/europe-west1/subnetworks/by-hand`);
}

async function onAzure(url: string): Promise<void> {
  const group = `/subscriptions/${subscription}/resourceGroups/acme`;
  const network = `${group}/providers/Microsoft.Network`;
  const version = '?api-version=2026-01-01';
  await asked(url, 'PUT', `${group}?api-version=2025-04-01`, { location: 'westeurope' });
  const addressSpace = { addressPrefixes: ['10.20.0.0/16'] };
  const subnets = [{ name: 'other', properties: { addressPrefix: '10.20.3.0/25' } }];
  const vnet = { location: 'westeurope', properties: { addressSpace, subnets } };
  await asked(url, 'PUT', `${network}/virtualNetworks/core${version}`, vnet);
  const asg = `${network}/applicationSecurityGroups/core-web${version}`;
  await asked(url, 'PUT', asg, { location: 'westeurope', properties: {} });
}

async function untilThere(address: string): Promise<void> {
  const headers = { authorization: 'Bearer colleague' };
  for (let i = 0; i < 1000; i++) if ((await fetch(address, { headers })).ok) return;
  assert.fail(`${address} is not there`);
}

interface Line {
  readonly address: string;
  readonly id: string;
  readonly paste: string;
}

interface Rest {
  readonly actions: readonly { readonly verb: string; readonly address: string }[];
  readonly findings: readonly { readonly type: string }[];
}

/** The part of an address behind its scope: `group/core.web`. */
const tail = ({ address }: Pick<Line, 'address'>): string => address.split('/').slice(-2).join('/');

/** Writes each line where it says. */
function paste(specs: string, lines: readonly Line[]): void {
  const path = join(specs, 'network.yaml');
  const entries = (of: string): string =>
    lines
      .filter((line) => tail(line) === of)
      .map(({ paste }) => /adopt: \{ (.*?) \}/.exec(paste)?.[1])
      .join(', ');
  const text = readFileSync(path, 'utf8')
    .replace('{ name: core }', `{ name: core, adopt: { ${entries('network/core')} } }`)
    .replace('{ name: box }', `{ name: box, adopt: { ${entries('instance/box-0')} } }`)
    .replace('target: aws-prod }', `target: aws-prod, adopt: { ${entries('subnet/core.app')} } }`)
    .replace('target: gcp-b }', `target: gcp-b, adopt: { ${entries('subnet/core.east')} } }`)
    .replace('groups: []', `groups: [{ name: web, adopt: { ${entries('group/core.web')} } }]`);
  writeFileSync(path, text);
}

describe('adopt', async () => {
  const { specs, ids, run } = await standing();
  const adopt = (...args: readonly string[]) => run(['adopt', ...args, '--specs', specs, allow]);

  test('names document, line and field of each kind, on three clouds', async () => {
    const { code, stdout } = await adopt();
    assert.equal(code, 0);
    const lines = stdout.split('\n').filter((line) => /^ *(?:under|on) .*adopt: |^Adopt/.test(line));
    assert.deepEqual(
      lines.map((line) => line.trim().replace(/: [^ ]*[/-][^ ]* \}/, ': … }')),
      [
        'Adopt: 8 lines to paste, 1 object that cannot be adopted',
        'under metadata: adopt: { aws-prod: … }',
        'on app under spec.subnets: adopt: { aws-prod: … }',
        'under spec.groups: - { name: web, adopt: { aws-prod: … } }',
        'under metadata: adopt: { aws-prod: … }',
        'under metadata: adopt: { azure-prod: … }',
        'under spec.groups: - { name: web, adopt: { azure-prod: … } }',
        'under metadata: adopt: { gcp-a: … }',
        'on east under spec.subnets: adopt: { gcp-b: … }',
      ],
    );
    assert.match(stdout, /network\.yaml:1 {2}# aws\S+\/group\/core\.web\n/);
    assert.match(stdout, /network\.yaml:19 {2}# aws\S+\/instance\/box-0\n/);
    assert.ok(!stdout.includes(ids.strange), 'a group of that name in another network is not meant');
  });

  test('says which object cannot be adopted, why, and what helps', async () => {
    const { stdout } = await adopt();
    assert.match(
      stdout,
      /network\.yaml:24 {2}# \S+instance\/row-1\n {2}i-\w+: Its document asks for 2 replicas.*\n {2}next: List the ids/,
    );
  });

  const refused: readonly (readonly [name: string, args: readonly string[], says: RegExp])[] = [
    [
      'a group of another network',
      ['group/core.web', ids.strange],
      /where: .*network\.yaml:1\n.*It lies in vpc-\w+, and .*\n.*setpoint adopt network\/core vpc-/,
    ],
    [
      'one of several replicas',
      ['row-1', ids.row],
      /where: .*network\.yaml:24\n.*2 replicas.*\n.*adopt: \{ <target>: \[/,
    ],
    ['another kind', ['box-0', ids.vpc], /of different kinds\.\n.*kind network/],
    ['a rule', ['web.ingress.tcp.443.0.0.0.0/0', ids.group], /of different kinds\.\n.*kind group/],
    [
      'no such object',
      ['core', 'vpc-nowhere'],
      /No object here has the id vpc-nowhere\.\n.*Google Cloud are network tags.*\n.*setpoint inventory --refresh/,
    ],
  ];
  for (const [name, args, says] of refused)
    test(`refuses ${name}`, async () => {
      const { code, stderr } = await adopt(...args);
      assert.deepEqual([code, says.test(stderr)], [3, true], stderr);
    });

  test('an object of a network that is to be adopted comes with its network', async () => {
    const { code, stdout } = await adopt('group/core.web', ids.group, '--json');
    const { adopt: lines }: { readonly adopt: readonly Line[] } = JSON.parse(stdout);
    assert.deepEqual([code, lines.map(tail)], [0, ['network/core', 'group/core.web']]);
  });

  test('the lines do what they say: all of it is adopted, and keeps its name', async () => {
    const { adopt: lines }: { readonly adopt: readonly Line[] } = JSON.parse((await adopt('--json')).stdout);
    paste(specs, lines);
    const { code, stdout, stderr } = await run(['apply', specs, allow, '--yes', '--target', 'aws-prod']);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /4 adopted/);
    const { actions, findings }: Rest = JSON.parse((await run(['plan', specs, allow, '--json'])).stdout);
    const left = actions.filter(({ verb }) => verb === 'adopt').map(tail);
    assert.deepEqual(left.toSorted(), ['group/core.web', 'network/core', 'network/core', 'subnet/core.east']);
    assert.deepEqual(
      findings.filter(({ type }) => type === 'blocked'),
      [],
    );
    assert.deepEqual(
      actions.filter(({ address }) => address.startsWith('aws')),
      [],
    );
    const again = await adopt('group/core.web', ids.group);
    assert.deepEqual([again.code, /Setpoint owns it/.test(again.stderr)], [3, true], again.stderr);
  });
});
