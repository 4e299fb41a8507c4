import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { until } from '../support/until.ts';
import { cloudTrail } from './support/cloud-trail.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const run = commandLine();
const trail = await cloudTrail((heard) => run.database.connect().touches.keep('acme', heard));
const { sandbox, specs } = await sandboxed({ events: [trail.destination] });
const allow = '--allow-endpoint';
const scope = 'aws/111122223333/eu-west-1';
const who = (...args: readonly string[]) => run(['who', ...args, '--specs', specs, allow]);

const refused = await who('web-0');
assert.equal(refused.code, 1);
assert.match(refused.stderr, /There is no store/);
assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
const { authors, generations } = run.database.connect();
const first = await generations.current('acme');
const named = { names: ['eve@acme.example'], more: false };
await authors.record({ estate: 'acme', revision: first?.revision ?? '', after: 0 }, named);

/** A colleague in the console, by a role of his own. */
async function colleague(name: string): Promise<EC2Client> {
  const sts = new STSClient({ endpoint: sandbox.url, region: 'eu-west-1' });
  const assumed = await sts.send(
    new AssumeRoleCommand({ RoleArn: 'arn:aws:iam::111122223333:role/ops', RoleSessionName: name }),
  );
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = assumed.Credentials ?? {};
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
  return new EC2Client({ endpoint: sandbox.url, region: 'eu-west-1', credentials });
}

const ada = await colleague('ada');
const { SecurityGroups: groups = [] } = await ada.send(
  new DescribeSecurityGroupsCommand({ Filters: [{ Name: 'group-name', Values: ['core-web'] }] }),
);
const [{ GroupId: web = '', VpcId: vpc = '' } = {}] = groups;
const { Reservations: machines = [] } = await ada.send(
  new DescribeInstancesCommand({ Filters: [{ Name: 'tag:tier', Values: ['web'] }] }),
);
const machine = machines[0]?.Instances?.[0]?.InstanceId ?? '';
const name = machines[0]?.Instances?.[0]?.Tags?.find(({ Key }) => Key === 'Name')?.Value ?? '';
const open = (ports: readonly [number, number], cidr: string) => ({
  IpProtocol: 'tcp',
  FromPort: ports[0],
  ToPort: ports[1],
  IpRanges: [{ CidrIp: cidr }],
});
await ada.send(new CreateTagsCommand({ Resources: [machine], Tags: [{ Key: 'tier', Value: 'mine' }] }));
const world = new AuthorizeSecurityGroupIngressCommand({ GroupId: web, IpPermissions: [open([20, 25], '0.0.0.0/0')] });
const { $metadata: opened } = await ada.send(world);
const { GroupId: lab = '' } = await ada.send(
  new CreateSecurityGroupCommand({ GroupName: 'lab', Description: 'lab', VpcId: vpc }),
);
const block = open([22, 22], '198.51.100.0/24');
await ada.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: lab, IpPermissions: [block] }));
await until('the last event', () => trail.heard.filter(({ actor }) => actor.who.endsWith('/ada')).length >= 4);

const adas =
  /changed by arn:aws:sts::111122223333:assumed-role\/ops\/ada \(AuthorizeSecurityGroupIngress from 127\.0\.0\.1\) .* ago \(.*UTC\)/;

interface Found {
  readonly claim?: string;
  readonly address?: string;
  readonly rule?: { readonly match: { readonly ports: string; readonly peers: readonly string[] } };
  readonly changes: readonly Readonly<Record<string, unknown>>[];
}

const found = async (...args: readonly string[]): Promise<readonly Found[]> =>
  JSON.parse((await who(...args, '--json')).stdout).resources;

test('a port: every rule that opens it, of any author, the newest change first', async () => {
  const { code, stdout } = await who('22/tcp');
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^22\/tcp: 4 rules open it\n/);
  assert.match(
    stdout,
    new RegExp(
      `ingress tcp 20-25 from 0\\.0\\.0\\.0/0 to \\S+\n {2}${scope}\n.*\n {2}${adas.source}\n {4}request ${opened.requestId}, event \\S+\n`,
    ),
  );
  const rules = await found('22');
  const itself = rules.at(-1)?.rule?.match.peers[0];
  const named = rules.map(({ claim, rule }) => `${claim} ${rule?.match.ports} ${rule?.match.peers}`);
  // why: CloudTrail tells whole seconds, so the two of ada are in any order
  assert.deepEqual(named.slice(0, 2).toSorted(), ['ours 20-25 0.0.0.0/0', 'unmanaged 22 198.51.100.0/24']);
  assert.deepEqual(named.slice(2), ['ours 22 203.0.113.0/24', `unmanaged all ${itself}`]);
  const drifted = rules.find(({ rule }) => rule?.match.ports === '20-25');
  const office = rules[2];
  assert.deepEqual(
    drifted?.changes.map(({ source, actor, action, requestId }) => [source, actor, action, requestId]),
    [['event', 'arn:aws:sts::111122223333:assumed-role/ops/ada', 'AuthorizeSecurityGroupIngress', opened.requestId]],
  );
  assert.deepEqual(
    office?.changes.map(({ source, verb, generation, outcome }) => [source, verb, generation, outcome]),
    [['ledger', 'create', 1, 'ok']],
  );
  assert.match(
    JSON.stringify(office?.changes[0]?.['calls']),
    /"action":"AuthorizeSecurityGroupIngress","requestId":"[0-9a-f-]{36}"/,
  );
});

test('a port that only the group of the cloud opens, and a protocol', async () => {
  const { stdout } = await who('3389/tcp');
  assert.match(
    stdout,
    /^3389\/tcp: 1 rule opens it\n\nfirewall-rule sg-\w+\/ingress\/all\/all\S+ {2}unmanaged: provider-default/,
  );
  assert.deepEqual(
    (await found('22/udp')).map(({ rule }) => rule?.match.ports),
    ['all'],
  );
  assert.match((await who('443')).stdout, /^443: 2 rules open it\n/);
});

test('a resource: the colleague, then our own call with its commit, approver and request', async () => {
  const { stdout } = await who(machine);
  assert.match(
    stdout,
    new RegExp(
      `^${scope}/instance/web-\\d\n\ninstance web-\\d {2}ours, drifted: healing undoes it\n {2}${scope}\n {2}${machine}\n`,
    ),
  );
  assert.match(
    stdout,
    / {2}changed by \S+ada \(CreateTags from 127\.0\.0\.1\) .*\n.*\n {2}create by Setpoint .* ago \(.*UTC\), generation 1 \(folder \w{7} by eve@acme\.example\), approved by \S.*\n {4}RunInstances [0-9a-f-]{36}, .*ledger entry \d+\n/,
  );
  assert.equal((await who('web-9')).code, 1);
});

test('a rule document and an unmanaged object', async () => {
  const [office, ...others] = await found('office-ssh');
  assert.equal(others.length, 0);
  assert.equal(office?.changes[0]?.['verb'], 'create');
  const { stdout } = await who(lab);
  assert.match(
    stdout,
    new RegExp(`^${lab}\n\ngroup lab {2}unmanaged: .*\n(.*\n)+ {2}changed by \\S+ada \\(CreateSecurityGroup from`),
  );
});

test('healing shows with the change that it undid', async () => {
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  const changes = (await found(machine))[0]?.changes ?? [];
  assert.deepEqual(changes.map(({ source, verb }) => `${source} ${verb ?? ''}`.trim()).toSorted(), [
    'event',
    'ledger create',
    'ledger update',
  ]);
  const update = changes.find(({ verb }) => verb === 'update');
  assert.match(
    JSON.stringify(update?.['undid']),
    /"action":"CreateTags","actor":"arn:aws:sts::111122223333:assumed-role\/ops\/ada"/,
  );
  assert.match((await who(machine)).stdout, /\n {4}it undid: changed by \S+ada \(CreateTags /);
});

test('a rule that healing removed shows for a week, by its port and by its name', async () => {
  const { stdout } = await who('22/tcp');
  assert.match(
    stdout,
    /^22\/tcp: 3 rules open it; 1 rule opened it in the last 7 days, and Setpoint removed or changed it\n/,
  );
  const rule = 'core.web.ingress.tcp.20-25.0.0.0.0/0';
  const gone = new RegExp(
    `\nfirewall-rule ${rule} {2}nothing stands there\n {2}ingress tcp 20-25 from 0.0.0.0/0 to core.web\n(.+\n)+ {2}delete by Setpoint .*\n.*\n {4}it undid: changed by \\S+ada `,
  );
  assert.match(stdout, gone);
  assert.match((await who('443')).stdout, /^443: 2 rules open it\n/);
  const named = await who(rule);
  assert.match(
    named.stdout,
    new RegExp(
      `^${scope}/firewall-rule/${rule}\n\nfirewall-rule ${rule} {2}nothing stands there\n {2}ingress tcp 20-25 `,
    ),
  );
  assert.deepEqual(await found(`${scope}/firewall-rule/${rule}`), await found(rule));
  const missing = await who('core.nothing');
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /Nothing here has the address/);
});

test('where no change is known, it is said whether events come at all', async () => {
  const last = async () => (await who('3389')).stdout.trimEnd().split('\n').at(-1);
  assert.equal(
    await last(),
    '  unknown: no webhook brings the audit log of its cloud, and no entry of the ledger names a change of it',
  );
  const hook = '{ name: aws, from: eventbridge, secret: { env: SETPOINT_SECRET_AWS } }';
  edit(specs, 'estate.yaml', 'spec:', `spec:\n  hooks: [${hook}]`);
  assert.equal(await last(), '  nobody told: no event and no entry of the ledger names a change of it');
  assert.deepEqual(JSON.parse((await who('3389', '--json')).stdout).auditLogs, ['aws']);
});

test('a machine that somebody deleted is gone, with its last change and its history', async () => {
  await ada.send(new TerminateInstancesCommand({ InstanceIds: [machine] }));
  await until('its event', () => trail.heard.some(({ actor }) => actor.action === 'TerminateInstances'));
  const { stdout } = await who(name);
  assert.match(stdout, /\n\ninstance web-\d {2}nothing stands there, drifted: healing launches a new machine\n/);
  assert.match(stdout, / {2}changed by \S+ada \(TerminateInstances from/);
  assert.match(stdout, /\n {2}update by Setpoint .*\n(.*\n)+ {2}create by Setpoint /);
});

test('a port is not said to be shut where the rules were not listed', async (t) => {
  sandbox.control.faults.add({ match: { action: 'DescribeSecurityGroups' }, effect: { kind: 'access-denied' } });
  t.after(() => sandbox.control.faults.clear());
  const { code, stdout } = await who('22');
  assert.equal(code, 1);
  assert.match(
    stdout,
    new RegExp(
      `^22: no listed rule opens it; .*changed it\n! The rules of ${scope} were not listed completely: others may open it\\.`,
    ),
  );
  assert.deepEqual(JSON.parse((await who('22', '--json')).stdout).incompleteScopes, [scope]);
});
