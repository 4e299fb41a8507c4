import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { AuthorizeSecurityGroupIngressCommand, CreateTagsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { touches } from '../../../providers/aws/touches.ts';
import { commandLine, type Said } from '../support/in-process.ts';
import { edit, sandboxed } from '../support/sandboxed.ts';
import { served } from './support/served.ts';

const place = await sandboxed({
  estate: {
    regions: [
      {
        account: '111122223333',
        region: 'eu-west-1',
        vpcs: [
          { key: 'batch', cidr: '10.99.0.0/16', tags: { Name: 'batch-a', ManagedBy: 'terraform' } },
          { key: 'lab', cidr: '10.98.0.0/16', tags: { Name: 'lab' } },
        ],
      },
    ],
  },
});
edit(
  place.specs,
  'estate.yaml',
  '  region: eu-west-1\n',
  `  region: eu-west-1
  ignoreUnmanaged: [{ name: batch-*, owner: team-data, reason: moves in May, until: 2099-12-31 }]
`,
);
// why: a server names files by their path in the tree, and so does a command line that runs in it
process.chdir(place.specs);
const here = commandLine();
const there = await served(here.database);
const scope = 'aws/111122223333/eu-west-1';
const byHand = 'core.web.ingress.tcp.22.198.51.100.7/32';

/** The same command line, but that a server is asked as somebody. */
const asked = (args: readonly string[], who = 'viewer'): Promise<Said> => there.ask(here, who)(args);

/** A machine and a group that somebody changes by hand, and the cloud says who that was. */
async function meddle(): Promise<void> {
  const { scopes } = JSON.parse((await here(['inventory', '.', '--json'])).stdout);
  const idOf = (kind: string, name: RegExp): string =>
    scopes[0].objects.find((one: Record<string, string>) => one['kind'] === kind && name.test(one['address'] ?? '')).id;
  const [machine, group] = [idOf('instance', /web-0$/), idOf('group', /core\.web$/)];
  const client = new EC2Client({ endpoint: place.sandbox.url, region: 'eu-west-1' });
  await client.send(new CreateTagsCommand({ Resources: [machine], Tags: [{ Key: 'tier', Value: 'mine' }] }));
  const ssh = { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '198.51.100.7/32' }] };
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: group, IpPermissions: [ssh] }));
  client.destroy();
  const detail = {
    eventSource: 'ec2.amazonaws.com',
    eventName: 'CreateTags',
    eventID: 'e-1',
    eventTime: new Date().toISOString(),
    awsRegion: 'eu-west-1',
    recipientAccountId: '111122223333',
    sourceIPAddress: '203.0.113.9',
    userAgent: 'console.ec2.amazonaws.com',
    userIdentity: { arn: 'arn:aws:iam::111122223333:user/bob' },
    requestParameters: {
      resourcesSet: { items: [{ resourceId: machine }] },
      tagSet: { items: [{ key: 'tier', value: 'mine' }] },
    },
  };
  assert.equal((await here.database.connect().touches.keep('acme', touches({ id: 'e-1', detail }))).length, 1);
}

const applied = await here(['apply', '.', '--allow-endpoint', '--yes']);
assert.equal(applied.code, 0, applied.stderr);
await meddle();

/** Ages are of the moment in which they are told. */
const ageless = ({ code, stdout }: Said) => ({
  code,
  stdout: stdout.replaceAll(/\d[\d.]* (?:ms|s|min) ago|"(?:ageMs|ageSeconds)": [\d.]+/g, 'AGE'),
});

/** Command lines that observe from here, and those that ask the server, which answers from the same observation. */
const same: readonly (readonly [name: string, here: readonly string[], there: readonly string[]])[] = [
  ['drift', ['drift', '.', '--allow-endpoint'], ['drift']],
  [
    'drift, for a nightly job',
    ['drift', '.', '--allow-endpoint', '--detailed-exitcode'],
    ['drift', '--detailed-exitcode'],
  ],
  ['drift as one object', ['drift', '.', '--allow-endpoint', '--json'], ['drift', '--json', '--estate', 'acme']],
  ['drift of a target', ['drift', '.', '--allow-endpoint', '--target', 'aws-prod'], ['drift', '--target', 'aws-prod']],
  ...[
    [],
    ['--kind', 'firewall-rule'],
    ['--claim', 'unmanaged'],
    ['--target', 'aws-prod', '--claim', 'ours'],
    ['--unmanaged'],
    ['--unmanaged', '--kind', 'group', '--group-by', 'network'],
    ['--ignored'],
    ['--group-by', 'origin'],
  ].flatMap((chosen) =>
    [[], ['--json']].map(
      (json) =>
        [
          `inventory ${[...chosen, ...json]}`,
          ['inventory', '.', ...chosen, ...json],
          ['inventory', ...chosen, ...json],
        ] as const,
    ),
  ),
  ...['web-0', 'web-https', 'network/core', 'core.app', `${scope}/instance/web`, byHand].flatMap((of) =>
    [[], ['--json']].map(
      (json) =>
        [
          `explain ${of} ${json}`,
          ['explain', of, '--specs', '.', '--allow-endpoint', ...json],
          ['explain', of, ...json],
        ] as const,
    ),
  ),
  ...['web-0', 'web-https', '22', '443/tcp', '3389/udp'].flatMap((of) =>
    [[], ['--json']].map(
      (json) =>
        [`who ${of} ${json}`, ['who', of, '--specs', '.', '--allow-endpoint', ...json], ['who', of, ...json]] as const,
    ),
  ),
  ...[
    ['internet', 'web-0', '443'],
    ['web-0', 'web-1'],
    ['10.9.0.0/16', 'core', '22', '--target', 'aws-prod'],
  ].flatMap((asked) =>
    [[], ['--json']].map(
      (json) =>
        [
          `reach ${asked} ${json}`,
          ['reach', ...asked, '--specs', '.', '--allow-endpoint', ...json],
          ['reach', ...asked, ...json],
        ] as const,
    ),
  ),
  ...[
    ['ledger'],
    ['ledger', '--json'],
    ['ledger', '--limit', '3'],
    ['ledger', `${scope}/network/core`, '--json'],
    ['ledger', 'verify'],
    ['ledger', 'verify', '--json'],
    ['ledger', 'export'],
  ].map((line) => [line.join(' '), line, line] as const),
];

describe('a server answers as the store would from here', () => {
  for (const [name, mine, its] of same)
    test(name, async () => {
      const [told, remote] = [ageless(await here(mine)), ageless(await asked(its))];
      // Suggested commands name the folder here, and a server has none.
      const local = { ...told, stdout: told.stdout.replace(/^(Withheld drift: .*) \. --allow-endpoint$/m, '$1') };
      assert.ok(local.stdout.length > 20, local.stdout);
      assert.equal(remote.stdout, local.stdout);
      assert.equal(remote.code, local.code);
    });

  test('drift shows, with its author', async () => {
    const { code, stdout } = await asked(['drift', '--detailed-exitcode']);
    assert.equal(code, 2);
    assert.match(
      stdout,
      /^Withheld drift: 2 resources by mode \(changed by \S+user\/bob\): .*\nDrift: 2 changes\n[\s\S]*changed by arn:aws:iam::111122223333:user\/bob/,
    );
  });
});

test('explain tells the effect on traffic of a change', async () => {
  const { stdout } = await asked(['explain', byHand]);
  assert.match(stdout, /\n\nEffect on traffic\n {2}- cuts 198\.51\.100\.7\/32 from .* on 22\/tcp/);
});

/** A refusal of the server, its message and the exit code. */
const refused: readonly (readonly [args: readonly string[], who: string, says: RegExp])[] = [
  [['drift'], 'nobody', /could not authenticate you[\s\S]*setpoint login http:\/\/127/],
  [['drift', '--estate', 'other'], 'viewer', /no such resource, or you may not see it/],
  [['explain', 'nothing'], 'viewer', /no such resource, or you may not see it/],
  [['ledger', 'verify'], 'web', /no such resource, or you may not see it/],
  [['ledger', 'verify', '--export', 'x'], 'viewer', /--export cannot be used with a server/],
  [['drift', '--target', 'aws-prot'], 'viewer', /has no target aws-prot that you may see/],
];

describe('refusals of a server', () => {
  for (const [args, who, says] of refused)
    test(`${args.join(' ')} of ${who}`, async () => {
      const { code, stdout, stderr } = await asked(args, who);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, says);
    });
});

test('a verdict about a ledger is by the word of its server, and an export is proven here', async () => {
  assert.match((await asked(['ledger', 'verify'])).stderr, /http:.* verified its own ledger/);
  const out = join(place.specs, 'ledger.jsonl');
  const { code, stdout } = await asked(['ledger', 'export', '--out', out]);
  assert.deepEqual([code, stdout], [0, `Ledger: exported to ${out}\n`]);
  assert.equal(readFileSync(out, 'utf8'), (await here(['ledger', 'export'])).stdout);
  rmSync(out);
});

test('a caller who sees a part of an estate does not learn the length of its ledger', async () => {
  const { stdout } = await asked(['ledger'], 'web');
  assert.match(stdout, /^Ledger: \d+ entr(y|ies), the newest of those that you may see\n/);
});

test('a server does not use the folder', async () => {
  edit(place.specs, 'network.yaml', 'description: public site', 'description: our site');
  assert.equal((await asked(['drift', '--json'])).code, 0);
});
