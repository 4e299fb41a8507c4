import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { loadProvider } from '../../providers/index.ts';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { acceptSpecs, type OpenedEstate, openEstate } from '../../src/estate/load.ts';
import { besideActive } from '../../src/estate/patches.ts';
import { dueEnder } from '../../src/fleet/accept.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { reconcileHandler } from '../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import { type EstateStatus, estateStatusOf } from '../../src/queries/status.ts';
import { parseStored } from '../../src/source/stored-tree.ts';
import { type Asked, words } from '../conformance/reachability/cloud-words.ts';
import { standing } from '../integration/support/standing.ts';
import { idleQueue, silent } from '../support/fleet-world.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { unlimited } from '../support/scripted-session.ts';

process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';

const day = 86_400_000;
const today = '2026-01-01';
const estate = 'review';

const azureTypes = [
  ...[
    'virtualNetworks',
    'networkSecurityGroups',
    'applicationSecurityGroups',
    'networkInterfaces',
    'publicIPAddresses',
  ].map((type) => [`Microsoft.Network/${type}`, '2025-01-01'] as const),
  ['Microsoft.Compute/virtualMachines', '2025-04-01'],
  ['Microsoft.Compute/disks', '2025-01-02'],
] as const;

/** Everything in the account, by listings of the cloud that share no code with ours. */
const listings: Readonly<Record<Asked, (sandbox: Sandbox) => Promise<readonly string[]>>> = {
  aws: ({ url }) => standing(new EC2Client({ endpoint: url, region: 'eu-west-1' })),
  gcp: async ({ url }) => {
    const all: string[] = [];
    const parts = ['networks', 'subnetworks', 'firewalls', 'routes', 'instances', 'disks'];
    for (const part of parts) {
      const path = ['subnetworks', 'instances', 'disks'].includes(part) ? `aggregated/${part}` : `global/${part}`;
      const answer = await json(`${url}/compute/v1/projects/acme-prod/${path}`);
      all.push(...(JSON.stringify(answer).match(/"selfLink":"[^"]*?\/acme-prod\/[^"]*\/[^"/]+"/g) ?? []));
    }
    return all.filter((link) => !/\/(networks|subnetworks|firewalls|routes|instances|disks)"$/.test(link));
  },
  azure: async ({ url }) => {
    const all: string[] = [];
    for (const [type, version] of azureTypes) {
      const path = `/subscriptions/${words.azure.target.account}/providers/${type}`;
      const { value } = await json(`${url}${path}?api-version=${version}`);
      all.push(...value.map(({ id }: { id: string }) => id));
    }
    return all;
  },
};

/** The power of each machine in the account, as the cloud says it. */
const powers: Readonly<Record<Asked, (sandbox: Sandbox) => Promise<readonly string[]>>> = {
  aws: async ({ url }) => {
    const client = new EC2Client({ endpoint: url, region: 'eu-west-1' });
    const { Reservations = [] } = await client.send(new DescribeInstancesCommand({}));
    return Reservations.flatMap(({ Instances = [] }) => Instances.map(({ State }) => State?.Name ?? ''));
  },
  gcp: async ({ url }) => {
    const { items } = await json(`${url}/compute/v1/projects/acme-prod/aggregated/instances`);
    const all: readonly { readonly instances?: readonly { readonly status: string }[] }[] = Object.values(items);
    return all.flatMap(({ instances = [] }) => instances.map(({ status }) => status));
  },
  azure: async (sandbox) => {
    const machines = (await listings.azure(sandbox)).filter((id) => /\/virtualMachines\//i.test(id));
    return Promise.all(
      machines.map(async (id) => {
        const { statuses } = await json(`${sandbox.url}${id}/instanceView?api-version=2025-04-01`);
        return statuses
          .map(({ code }: { code: string }) => code)
          .find((code: string) => code.startsWith('PowerState/'));
      }),
    );
  },
};

async function json(url: string) {
  const answer = await fetch(url, { headers: { authorization: 'Bearer dummy' } });
  const text = await answer.text();
  assert.equal(answer.status, 200, `${url}: ${text}`);
  return JSON.parse(text);
}

for (const cloud of ['aws', 'gcp', 'azure'] as const) {
  it(`an estate with a ttl leaves nothing on ${cloud}`, () => on(cloud, lifeAndEnd));
  it(`a machine is stopped for its grace on ${cloud}, and started where its document is back`, () =>
    on(cloud, stopAndStart));
}

async function on(cloud: Asked, story: (cloud: Asked, sandbox: Sandbox) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({ clock: { rate: 5000 } });
  try {
    await story(cloud, sandbox);
  } finally {
    await sandbox.close();
  }
}

async function lifeAndEnd(cloud: Asked, sandbox: Sandbox): Promise<void> {
  const none = { network: '0s', subnet: '0s', group: '0s', instance: '0s' };
  const world = await worldOn(cloud, sandbox, { ttl: '30d', deletionGracePeriod: none });
  const before = await listings[cloud](sandbox);
  await world.accept('git:1', documentsOn(cloud));
  await world.turn(5);
  const during = await listings[cloud](sandbox);
  assert.ok(during.length >= before.length + 4, during.join('\n'));
  // why: the sandbox's clock flies, and a slow machine must not reach the end by itself
  sandbox.control.clock.advance(31 * day);
  for (let turns = 0; turns < 12 && (await world.lifetime())?.rest?.resources !== 0; turns += 1) await world.turn(1);
  await world.turn(1);
  assert.deepEqual((await world.lifetime())?.rest, { resources: 0, unproven: [] });
  assert.deepEqual(await listings[cloud](sandbox), before);
}

async function stopAndStart(cloud: Asked, sandbox: Sandbox): Promise<void> {
  const world = await worldOn(cloud, sandbox, { deletionGracePeriod: { instance: '30d' } });
  const documents = documentsOn(cloud, { beforeDelete: 'stop', deletionPolicy: 'delete' });
  await world.accept('git:1', documents);
  await world.turn(5);
  const before = await listings[cloud](sandbox);
  const running = await powers[cloud](sandbox);
  await world.accept(
    'git:2',
    documents.filter(({ kind }) => kind !== 'Instance'),
  );
  await world.turn(4);
  const stopped = { aws: 'stopped', gcp: 'TERMINATED', azure: 'PowerState/deallocated' }[cloud];
  assert.deepEqual(await powers[cloud](sandbox), [stopped, stopped]);
  await world.accept('git:1', documents);
  await world.turn(4);
  assert.deepEqual(await powers[cloud](sandbox), running);
  assert.deepEqual(await listings[cloud](sandbox), before);
}

interface CloudWorld {
  readonly context: WorkerContext;
  accept(revision: string, documents: readonly object[]): Promise<void>;
  /** So many times: what is due ends, a worker reconciles, and ten minutes pass. */
  turn(times: number): Promise<void>;
  lifetime(): Promise<EstateStatus['lifetimes'][number] | undefined>;
}

async function worldOn(cloud: Asked, sandbox: Sandbox, terms: object): Promise<CloudWorld> {
  const context = await contextOn(cloud, sandbox);
  const { store, clock, outside } = context;
  const reconcile = reconcileHandler(context, generationsOf(context));
  let opened: OpenedEstate | undefined;
  const head = [
    {
      kind: 'Estate',
      metadata: { name: estate },
      spec: { mode: 'enforce', limits: { deletes: 50, share: '100%' }, ...terms },
    },
    {
      kind: 'Target',
      metadata: { name: 'here' },
      spec: { provider: cloud, ...words[cloud].target, endpoint: sandbox.url },
    },
  ];
  return {
    context,
    accept: async (revision, documents) => {
      const all = [...head, ...documents];
      const text = all.map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one })).join('\n---\n');
      const tree = parseStored({ specs: [{ path: 'all.yaml', text }], userData: [] }, revision, today);
      assert.deepEqual(
        tree.problems.filter(({ severity }) => severity === 'error'),
        [],
      );
      const beside = await besideActive(tree, { estate, store, parse: outside.specs });
      opened = await openEstate(beside, outside.cloud, today);
      await acceptSpecs(opened, store);
    },
    turn: async (times) => {
      for (let turn = 0; turn < times; turn += 1) {
        await dueEnder(context)();
        for (const { scope } of opened?.compiled.scopes ?? [])
          await reconcile({ estate, scope }, new AbortController().signal);
        await clock.sleep(600_000);
      }
    },
    lifetime: async () => {
      assert.ok(opened);
      return (await estateStatusOf({ ...opened, dir: '', scopes: opened.compiled.scopes }, store)).lifetimes[0];
    },
  };
}

const documentsOn = (cloud: Asked, machine: object = {}) => [
  {
    kind: 'Network',
    metadata: { name: 'core' },
    spec: {
      ...{ targets: ['here'], cidr: '10.20.0.0/16', internet: true },
      subnets: [{ name: 'app', cidr: '10.20.1.0/24' }],
    },
  },
  {
    kind: 'Instance',
    metadata: { name: 'web' },
    spec: {
      ...{ targets: ['here'], network: 'core', subnet: 'app', groups: ['web'], replicas: 2, publicIp: true },
      ...words[cloud].machine,
      ...machine,
    },
  },
  {
    kind: 'FirewallRule',
    metadata: { name: 'https' },
    spec: { network: 'core', protocol: 'tcp', ports: [443], group: 'web', peers: { cidrs: ['0.0.0.0/0'] } },
  },
];

async function contextOn(cloud: Asked, sandbox: Sandbox): Promise<WorkerContext> {
  const time = sandbox.control.clock;
  const clock: Clock = {
    now: () => time.now(),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      await time.sleep(ms);
    },
  };
  const provider = await loadProvider(cloud);
  return {
    store: memoryDatabase(clock).connect(),
    queue: idleQueue(),
    limiter: unlimited,
    outside: {
      cloud: async () => provider,
      specs: (kept, revision) => parseStored(kept, revision, today),
      secrets: { resolve: async () => ({ ok: false, failure: { kind: 'terminal', code: 'none', message: 'no' } }) },
      allowEndpoint: true,
      holder: 'worker-1',
    },
    clock,
    telemetry: silent(() => {}),
  };
}
