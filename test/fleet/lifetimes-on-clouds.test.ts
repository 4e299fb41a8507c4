import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EC2Client } from '@aws-sdk/client-ec2';
import { loadProvider } from '../../providers/index.ts';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { acceptSpecs, openEstate } from '../../src/estate/load.ts';
import { besideActive } from '../../src/estate/patches.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { dueEnder } from '../../src/fleet/patches.ts';
import { reconcileHandler } from '../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import { estateStatusOf } from '../../src/queries/status.ts';
import { parseStored } from '../../src/source/stored-tree.ts';
import { type Asked, words } from '../conformance/reachability/cloud-words.ts';
import { standing } from '../integration/support/standing.ts';
import { idleQueue, silent } from '../support/fleet-world.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { unlimited } from '../support/scripted-session.ts';

process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';

const hour = 3_600_000;
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
      const answer = await fetch(`${url}/compute/v1/projects/acme-prod/${path}`, {
        headers: { authorization: 'Bearer dummy' },
      });
      assert.equal(answer.status, 200, path);
      all.push(...(JSON.stringify(await answer.json()).match(/"selfLink":"[^"]*?\/acme-prod\/[^"]*\/[^"/]+"/g) ?? []));
    }
    return all.filter((link) => !/\/(networks|subnetworks|firewalls|routes|instances|disks)"$/.test(link));
  },
  azure: async ({ url }) => {
    const all: string[] = [];
    for (const [type, version] of azureTypes) {
      const path = `/subscriptions/${words.azure.target.account}/providers/${type}`;
      const answer = await fetch(`${url}${path}?api-version=${version}`, {
        headers: { authorization: 'Bearer dummy' },
      });
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text}`);
      const { value } = JSON.parse(text);
      all.push(...value.map(({ id }: { id: string }) => id));
    }
    return all;
  },
};

for (const cloud of ['aws', 'gcp', 'azure'] as const)
  it(`an estate with a ttl leaves nothing on ${cloud}`, async () => {
    const sandbox = await startSandbox({ clock: { rate: 5000 } });
    try {
      await lifeAndEnd(cloud, sandbox);
    } finally {
      await sandbox.close();
    }
  });

async function lifeAndEnd(cloud: Asked, sandbox: Sandbox): Promise<void> {
  const context = await contextOn(cloud, sandbox);
  const { store, clock } = context;
  const before = await listings[cloud](sandbox);
  const tree = treeOn(cloud, sandbox.url);
  assert.deepEqual(tree.problems, []);
  const beside = await besideActive(tree, { estate, store, parse: context.outside.specs });
  const opened = await openEstate(beside, context.outside.cloud, today);
  await acceptSpecs(opened, store);
  const reconcile = reconcileHandler(context, generationsOf(context));
  const [scope] = opened.compiled.scopes;
  assert.ok(scope);
  const turn = async () => {
    await dueEnder(context)();
    await reconcile({ estate, scope: scope.scope }, new AbortController().signal);
  };
  const view = async () =>
    (await estateStatusOf({ ...opened, dir: '', scopes: opened.compiled.scopes }, store)).lifetimes[0];
  for (let turns = 0; turns < 5; turns += 1) await turn();
  const during = await listings[cloud](sandbox);
  assert.ok(during.length >= before.length + 4, during.join('\n'));
  await clock.sleep(9 * hour);
  for (let turns = 0; turns < 12 && (await view())?.rest?.resources !== 0; turns += 1) await turn();
  await turn();
  assert.deepEqual((await view())?.rest, { resources: 0, unproven: [] });
  assert.deepEqual(await listings[cloud](sandbox), before);
}

function treeOn(cloud: Asked, endpoint: string) {
  const none = { network: '0s', subnet: '0s', group: '0s', instance: '0s' };
  const documents = [
    {
      kind: 'Estate',
      metadata: { name: estate },
      spec: { mode: 'enforce', ttl: '8h', limits: { deletes: 50, share: '100%' }, deletionGracePeriod: none },
    },
    { kind: 'Target', metadata: { name: 'here' }, spec: { provider: cloud, ...words[cloud].target, endpoint } },
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
      },
    },
    {
      kind: 'FirewallRule',
      metadata: { name: 'https' },
      spec: { network: 'core', protocol: 'tcp', ports: [443], group: 'web', peers: { cidrs: ['0.0.0.0/0'] } },
    },
  ];
  const text = documents.map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one })).join('\n---\n');
  return parseStored({ specs: [{ path: 'all.yaml', text }], userData: [] }, 'git:1', today);
}

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
