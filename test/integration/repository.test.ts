import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuthorizeSecurityGroupIngressCommand, DescribeSecurityGroupsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { hookedSpecs, openPorts, ringHook } from '../../bench/git.ts';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { freePort } from '../../scripts/demo/free-port.ts';
import { makeRemote, type Remote } from '../../scripts/demo/repository.ts';
import { type RunningWorker, startWorkerProcess } from './support/fleet-place.ts';
import { nobodys, type Workplace, workplace } from './support/workplace.ts';

const secrets = { SETPOINT_SECRET_HOOK: 'secret-of-the-forge', SETPOINT_SECRET_TRAIL: 'secret-of-the-trail' };

interface Scene {
  readonly sandbox: Sandbox;
  readonly place: Workplace;
  readonly remote: Remote;
  readonly serve: RunningWorker;
  readonly hooks: string;
}

/** A repository with one rule, followed by `setpoint serve`, and a cloud that tells it of edits. */
async function setScene(): Promise<Scene> {
  const port = await freePort();
  const hooks = `http://127.0.0.1:${port}/v1/hooks/acme`;
  const sandbox = await startSandbox({
    events: [{ cloud: 'aws', url: `${hooks}/trail`, apiKey: secrets.SETPOINT_SECRET_TRAIL }],
  });
  const place = await workplace(secrets);
  const remote = await makeRemote(join(place.folder, 'checkout'));
  await remote.push({ 'all.yaml': hookedSpecs(sandbox.url, 1000) });
  const args = ['--repo', remote.url, '--allow-local-repo', '--listen', `${port}`, '--poll', '1h', '--interval', '1h'];
  const serve = startWorkerProcess(['serve', '--allow-endpoint', ...args], {
    cwd: place.folder,
    env: { ...nobodys, ...secrets },
  });
  return { sandbox, place, remote, serve, hooks };
}

async function push({ remote, sandbox, hooks }: Scene, port: number): Promise<string> {
  const commit = await remote.push({ 'all.yaml': hookedSpecs(sandbox.url, port) });
  await ringHook(`${hooks}/push`, secrets.SETPOINT_SECRET_HOOK);
  return commit;
}

/** Until the cloud lets exactly this port through, and the worker has nothing more to say of it. */
async function isOpen({ serve, sandbox }: Scene, port: number): Promise<void> {
  await seen(serve, () => openPorts(sandbox).join() === String(port));
  for (let before = -1; before !== serve.lines.length; await sleep(quietMs)) before = serve.lines.length;
}

/** A worker that has just begun has a lot to do, on a machine that may have more. */
const patienceMs = 180_000;

/** Longer than a busy machine delays the output. */
const quietMs = 2_500;

describe('setpoint serve --repo', () => {
  let scene: Scene;
  const commits: string[] = [];
  before(async () => {
    scene = await setScene();
  });
  after(async () => {
    scene.serve.child.kill('SIGKILL');
    await scene.place.leave();
    await scene.sandbox.close();
  });

  it('follows commits as soon as its hook is rung', async () => {
    await isOpen(scene, 1000);
    commits.push(await push(scene, 1001));
    await isOpen(scene, 1001);
  });

  it('heals an edit by hand that the cloud tells of, and names its actor', async () => {
    await openByHand(scene.sandbox);
    await scene.serve.says(/settled .*verb=delete .*tcp\.22/);
    await isOpen(scene, 1001);
    const { stdout } = await scene.place.setpoint('ledger', '--limit', '2');
    assert.match(stdout, /delete .*tcp\.22.*changed by \S*:user\/\S+ \(AuthorizeSecurityGroupIngress/);
  });

  it('keeps what is in force where a commit is not sound, and every answer says so', async () => {
    const broken = await push(scene, 99_999);
    await scene.serve.says(new RegExp(`specs invalid.*git:${broken}`));
    await statusSays(scene, new RegExp(`is not valid at commit ${broken.slice(0, 7)}`));
    const { stdout, stderr } = await scene.place.setpoint('plan', '--active', '--allow-endpoint');
    assert.match(stdout, new RegExp(`^Plan: 0 to add, 0 to change.*commit ${commits[0]?.slice(0, 7)}`));
    assert.match(stderr, new RegExp(`is not valid at commit ${broken.slice(0, 7)}.*all\\.yaml:\\d+:\\d+`));
  });

  it('stays where a person brought it back to until it is unpinned', async () => {
    commits.push(await push(scene, 1002));
    await isOpen(scene, 1002);
    const [old = ''] = commits;
    const back = ['apply', '--active', '--commit', old.slice(0, 10), '--reason', 'it broke', '--yes'];
    const rolled = await scene.place.setpoint(...back, '--allow-endpoint');
    assert.equal(rolled.code, 0, rolled.stderr);
    await isOpen(scene, 1001);
    const next = await push(scene, 1003);
    const status = await statusSays(scene, new RegExp(`pinned at commit ${next.slice(0, 7)}`));
    assert.match(status, new RegExp(`^Status: acme · generation 4 \\(commit ${old.slice(0, 7)}\\) · Pinned`));
    await isOpen(scene, 1001);
    assert.equal((await scene.place.setpoint('unpin', '--active', '--reason', 'mended')).code, 0);
    await isOpen(scene, 1003);
  });

  it('ends by SIGTERM, and has told nobody its secrets', async () => {
    assert.equal(await scene.serve.end('SIGTERM'), 0);
    for (const secret of Object.values(secrets)) assert.ok(!scene.serve.lines.join('\n').includes(secret));
  });
});

/** Asks until the worker has reported it; returns the output. */
async function statusSays({ place, serve }: Scene, pattern: RegExp): Promise<string> {
  for (const until = Date.now() + patienceMs; ; ) {
    const { stdout } = await place.setpoint('status', '--active');
    if (pattern.test(stdout)) return stdout;
    if (Date.now() > until) throw new Error(`status never said ${pattern}:\n${stdout}\n${serve.lines.join('\n')}`);
  }
}

async function seen(serve: RunningWorker, look: () => boolean): Promise<void> {
  for (const until = Date.now() + patienceMs; !look(); await sleep(20))
    if (Date.now() > until || serve.child.exitCode !== null) throw new Error(`not seen:\n${serve.lines.join('\n')}`);
}

async function openByHand({ url }: Sandbox): Promise<void> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new EC2Client({ endpoint: url, region: 'eu-west-1', credentials });
  const { SecurityGroups: [group] = [] } = await client.send(
    new DescribeSecurityGroupsCommand({ Filters: [{ Name: 'group-name', Values: ['core-g0'] }] }),
  );
  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '198.51.100.0/24' }] }];
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: group?.GroupId, IpPermissions }));
  client.destroy();
}
