import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTagsCommand, CreateVpcCommand, DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { touches } from '../../../providers/aws/touches.ts';
import { startSandbox } from '../../../sandbox/index.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { nobodys, workplace } from '../../../test/integration/support/workplace.ts';

/** A `setpoint serve` in a folder of its own, over the sandbox of AWS: an estate with a drifted machine. */
export interface Estate {
  readonly url: string;
  readonly token: string;
  /** A token of this role, limited to an owner if one is named. */
  tokenOf(role: string, ...limits: readonly string[]): Promise<string>;
  /** Another client changes a tag of web-0; events of the cloud are not on, so a reconcile finds it. */
  tag(value: string): Promise<void>;
  reconcile(): Promise<void>;
  /** The cloud of a colleague, who changes it by hand. */
  readonly cloud: EC2Client;
  /** The cloud's audit log says that this actor did this to these objects just now. */
  audited(actor: string, action: string, ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** A name that would run, break out of an attribute, or turn the line around. */
export const hostile = `"><img src=x onerror="window.hostile=1"><script>window.hostile=1</script>\u202e`;

const program = join(import.meta.dirname, '../../../bin/setpoint.mjs');

type Document = Readonly<Record<string, unknown>>;

const specs = (endpoint: string, more: readonly Document[]): string =>
  [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'plan' } },
    {
      kind: 'Target',
      metadata: { name: 'aws' },
      spec: { provider: 'aws', account: '111122223333', region: 'eu-west-1', endpoint, minReady: 0 },
    },
    {
      kind: 'Network',
      metadata: { name: 'core', owner: 'team-net' },
      spec: { targets: ['aws'], cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.1.0/24' }] },
    },
    {
      kind: 'FirewallRule',
      metadata: { name: 'web', owner: 'team-web' },
      spec: { network: 'core', protocol: 'tcp', ports: [443], group: 'web', peers: { cidrs: ['0.0.0.0/0'] } },
    },
    {
      kind: 'Instance',
      metadata: { name: 'web', owner: 'team-web', labels: { tier: 'web' } },
      spec: {
        targets: ['aws'],
        network: 'core',
        subnet: 'app',
        groups: ['web'],
        image: 'ami-0abcdef1234567890',
        size: 't3.small',
        disk: { size: 20 },
      },
    },
    ...more,
  ]
    .map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document }))
    .join('\n---\n');

/** `more`: documents besides those of a network, a rule and a machine. */
export async function openEstate(more: readonly Document[] = []): Promise<Estate> {
  const sandbox = await startSandbox();
  const place = await workplace();
  const cloud = new EC2Client({
    endpoint: sandbox.url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  await place.write({ 'all.yaml': specs(sandbox.url, more) });
  const applied = await place.setpoint('apply', '--yes', '--allow-endpoint');
  if (applied.code !== 0) throw new Error(`apply failed:\n${applied.stdout}${applied.stderr}`);
  await cloud.send(
    new CreateVpcCommand({
      CidrBlock: '10.9.0.0/16',
      TagSpecifications: [{ ResourceType: 'vpc', Tags: [{ Key: 'Name', Value: hostile }] }],
    }),
  );
  const tag = (value: string): Promise<void> => tagged(cloud, value);
  await tag('toms');
  const args = ['serve', '--allow-endpoint', '--interval', '1h', '--listen', '0', '--health-port', '0'];
  const serve = spawn(process.execPath, [program, ...args], {
    cwd: place.folder,
    env: nobodys,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const close = async (): Promise<void> => {
    serve.kill('SIGTERM');
    if (serve.exitCode === null) await once(serve, 'exit');
    cloud.destroy();
    await place.leave();
    await sandbox.close();
  };
  const { token, url } = await startOf(serve).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    url,
    token,
    tag,
    tokenOf: async (role, ...limits) => {
      const made = await place.setpoint('token', 'make', '--name', role, '--role', role, ...limits, '--json');
      const [found] = /setpoint_\w+_[\w-]{43}/.exec(made.stdout) ?? [];
      if (found === undefined) throw new Error(`no token was made:\n${made.stdout}${made.stderr}`);
      return found;
    },
    reconcile: () => requestReconcile(url, token),
    cloud,
    audited: (actor, action, ids) => noteTouch(place.folder, { actor, action, ids }),
    close,
  };
}

interface AuditedChange {
  readonly actor: string;
  readonly action: string;
  readonly ids: readonly string[];
}

/** As the hook of the audit log keeps an event. */
async function noteTouch(folder: string, { actor, action, ids }: AuditedChange): Promise<void> {
  const store = await openStore({ folder, clock: { now: Date.now, sleep: (ms) => sleep(ms) }, create: true });
  try {
    const id = `event-${action}-${ids.join('-')}`;
    const detail = {
      ...{ eventSource: 'ec2.amazonaws.com', eventName: action, eventID: id, eventTime: new Date().toISOString() },
      ...{ awsRegion: 'eu-west-1', recipientAccountId: '111122223333', sourceIPAddress: '203.0.113.9' },
      ...{ userAgent: 'console.ec2.amazonaws.com', userIdentity: { arn: actor } },
      requestParameters: { groupId: ids[0], resourcesSet: { items: ids.map((resourceId) => ({ resourceId })) } },
    };
    await store.touches.keep('acme', touches({ id, detail }));
  } finally {
    await store.close();
  }
}

async function tagged(cloud: EC2Client, value: string): Promise<void> {
  const { Reservations: found = [] } = await cloud.send(new DescribeInstancesCommand({}));
  const ids = found.flatMap(({ Instances: all = [] }) => all.flatMap(({ InstanceId: id }) => id ?? []));
  await cloud.send(new CreateTagsCommand({ Resources: ids, Tags: [{ Key: 'tier', Value: value }] }));
}

async function instanceOf(url: string, token: string): Promise<string> {
  const answer = await fetch(`${url}/v1/inventory?q=web-0`, { headers: { authorization: `Bearer ${token}` } });
  return answer.text();
}

async function requestReconcile(url: string, token: string): Promise<void> {
  const { status } = await fetch(`${url}/v1/targets/aws/reconcile`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'a test of the console' }),
  });
  if (status !== 202) throw new Error(`the reconcile request was answered with ${status}`);
}

/** Its first admin token and its address, once it has observed the cloud. */
async function startOf(serve: ChildProcess): Promise<{ readonly token: string; readonly url: string }> {
  let said = '';
  for (const stream of [serve.stdout, serve.stderr])
    stream?.on('data', (piece) => {
      said += String(piece);
    });
  const until = Date.now() + 60_000;
  let [requestedAfter, answer] = ['', ''];
  while (Date.now() < until && serve.exitCode === null) {
    const [, token, url] = / {2}(setpoint_\S+)[\s\S]*setpoint login (\S+)\n/.exec(said) ?? [];
    if (token !== undefined && url !== undefined) {
      answer = await instanceOf(url, token);
      if (answer.includes('"status":"Drifted"')) return { token, url };
      // why: the next reconcile by itself is in an hour, and the first ones can find a machine that still boots
      const [observedAt = 'never'] = /"at":"[^"]+"/.exec(answer) ?? [];
      if (observedAt !== requestedAfter) await requestReconcile(url, token);
      requestedAfter = observedAt;
    }
    await sleep(200);
  }
  throw new Error(`setpoint serve did not start:\n${said}\n${answer}`);
}
