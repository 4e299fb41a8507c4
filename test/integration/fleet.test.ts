import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AuthorizeSecurityGroupIngressCommand, DescribeSecurityGroupsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startWorkerProcess } from './support/fleet-place.ts';
import { nobodys, workplace } from './support/workplace.ts';

const specs = (url: string, port: number): string =>
  [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce' } },
    {
      kind: 'Target',
      metadata: { name: 'aws' },
      spec: { provider: 'aws', account: '111122223333', region: 'eu-west-1', endpoint: url, minReady: 0 },
    },
    {
      kind: 'Network',
      metadata: { name: 'core' },
      spec: { targets: ['aws'], cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.1.0/24' }] },
    },
    {
      kind: 'FirewallRule',
      metadata: { name: 'web' },
      spec: { network: 'core', protocol: 'tcp', ports: [port], group: 'web', peers: { cidrs: ['0.0.0.0/0'] } },
    },
  ]
    .map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document }))
    .join('\n---\n');

const rulesOf = ({ control }: Sandbox): readonly string[] =>
  control.log
    .entries()
    .map(({ action }) => action)
    .filter((action) => /SecurityGroupIngress/.test(action));

describe('setpoint serve', () => {
  it('follows its folder, heals what people change, and ends by SIGTERM with nothing left undone', async () => {
    const sandbox = await startSandbox();
    const place = await workplace();
    await place.write({ 'all.yaml': specs(sandbox.url, 443) });
    const args = ['serve', '--allow-endpoint', '--interval', '2s', '--health-port', '0'];
    const serve = startWorkerProcess(args, { cwd: place.folder, env: nobodys });
    try {
      const ready = await serve.says(/worker started url=(\S+)/);
      const health = /url=(\S+)/.exec(ready)?.[1];
      await serve.says(/reconcile ended .*outcome=done settled=[1-9]/);
      assert.equal((await fetch(`${health}/readyz`)).status, 200);

      await writeFile(join(place.folder, 'specs/all.yaml'), specs(sandbox.url, 8443));
      await serve.says(/generation=2/);
      await serve.says(/verb=delete .*tcp\.443/);
      assert.deepEqual(rulesOf(sandbox).slice(-2), ['AuthorizeSecurityGroupIngress', 'RevokeSecurityGroupIngress']);

      await writeFile(join(place.folder, 'specs/all.yaml'), specs(sandbox.url, 99_999));
      // why: a worker can read the file while it is written, and finds it empty
      await serve.says(/specs invalid.*all\.yaml:\d+:\d+/);
      await openByHand(sandbox);
      await serve.says(/settled .*verb=delete .*tcp\.22/);
      assert.equal(await serve.end('SIGTERM'), 0);
      assert.match(serve.lines.at(-1) ?? '', /worker stopped/);
    } finally {
      serve.child.kill('SIGKILL');
      await place.leave();
      await sandbox.close();
    }
  });
});

describe('setpoint worker does not start', () => {
  const cases: readonly (readonly [string, NodeJS.ProcessEnv, RegExp])[] = [
    ['without a database', { REDIS_URL: 'redis://127.0.0.1:1' }, /DATABASE_URL is not set.*setpoint serve/],
    [
      'with a limit of callers that nobody understands',
      { DATABASE_URL: 'postgres://127.0.0.1:1/x', SETPOINT_CALLER_RATE: 'many' },
      /SETPOINT_CALLER_RATE is invalid: write a whole number/,
    ],
    ['where no database answers', { DATABASE_URL: 'postgres://127.0.0.1:1/x' }, /no connection to the database/],
    [
      'where Redis does not answer',
      { DATABASE_URL: 'postgres://127.0.0.1:1/x', REDIS_URL: 'redis://:secret-word@127.0.0.1:1' },
      /no connection to Redis at 127\.0\.0\.1:1.*REDIS_URL/,
    ],
  ];
  for (const [name, env, message] of cases) it(name, () => refused(env, message));

  it('where Redis may drop keys, or the database does not answer', { skip: redisMissing() ?? false }, async () => {
    const [loose, sound] = [await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] }), await startRedis()];
    const nowhere = 'postgres://ops:secret-word@127.0.0.1:1/x';
    try {
      await refused({ DATABASE_URL: nowhere, REDIS_URL: loose.url }, /maxmemory-policy noeviction/);
      await refused({ DATABASE_URL: nowhere, REDIS_URL: sound.url }, /no connection to the database.*DATABASE_URL/);
    } finally {
      await loose.stop();
      await sound.stop();
    }
  });
});

async function refused(env: NodeJS.ProcessEnv, message: RegExp): Promise<void> {
  const folder = join(process.env['TMPDIR'] ?? '/tmp', `setpoint-worker-${process.pid}`);
  await mkdir(folder, { recursive: true });
  const worker = startWorkerProcess(['worker'], { cwd: folder, env: { ...nobodys, ...env } });
  await once(worker.child, 'close');
  const said = worker.lines.join(' ');
  assert.match(said, message);
  assert.doesNotMatch(said, /secret-word/);
  assert.equal(worker.child.exitCode, 1);
}

async function openByHand({ url }: Sandbox): Promise<void> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new EC2Client({ endpoint: url, region: 'eu-west-1', credentials });
  const { SecurityGroups = [] } = await client.send(new DescribeSecurityGroupsCommand({}));
  const web = SecurityGroups.find(({ GroupName }) => GroupName === 'core-web');
  assert.ok(web?.GroupId);
  const tcp = { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] };
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: web.GroupId, IpPermissions: [tcp] }));
  client.destroy();
}
