import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { estateOn } from './support/estate-on.ts';
import { commandLine, type Run } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Networks of Google Cloud with ways out: import states them, and a change by a colleague is blocked with its value. */
const allow = '--allow-endpoint';
const project = 'acme-prod';
const far = `projects/${project}/global/networks/far`;
const core = `projects/${project}/global/networks/core`;
const app = 'regions/europe-west1/subnetworks/app';

const nat = (name: string) => ({
  name,
  natIpAllocateOption: 'AUTO_ONLY',
  sourceSubnetworkIpRangesToNat: 'ALL_SUBNETWORKS_ALL_PRIMARY_IP_RANGES',
});

const cloud = {
  cloud: 'gcp',
  projects: [
    {
      project,
      networks: [
        {
          name: 'core',
          internalIpv6Range: 'fd20:0:1::/48',
          subnetworks: [
            {
              name: 'app',
              region: 'europe-west1',
              cidr: '10.1.1.0/24',
              secondaryRanges: [{ name: 'pods', cidr: '10.8.0.0/16' }],
              privateGoogleAccess: true,
              internalIpv6Prefix: 'fd20:0:1::/64',
            },
          ],
          routes: [
            { name: 'to-hq', destRange: '10.9.0.0/16', nextHopIp: '10.1.1.9', priority: 90, tags: ['web'] },
            { name: 'to-lab', destRange: '10.10.0.0/16', nextHopIp: '10.1.1.9' },
          ],
          routers: [
            { name: 'hub', region: 'europe-west1', nats: [nat('out')] },
            { name: 'hub', region: 'us-central1', nats: [nat('out')] },
          ],
          peerings: [{ name: 'to-far', network: far }],
        },
        {
          name: 'far',
          subnetworks: [{ name: 'db', region: 'europe-west1', cidr: '10.2.0.0/24' }],
          peerings: [{ name: 'back', network: core }],
        },
        { name: 'lone', subnetworks: [{ name: 'web', region: 'europe-west1', cidr: '10.3.0.0/24' }] },
      ],
    },
  ],
};

interface Plan {
  readonly actions: readonly { readonly verb: string; readonly changes?: readonly { readonly field: string }[] }[];
  readonly findings: readonly { readonly type: string; readonly code?: string; readonly reason?: string }[];
}

async function stage(name: string): Promise<{ sandbox: Sandbox; dir: string; run: Run; plan: () => Promise<Plan> }> {
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 }, estate: cloud });
  after(() => sandbox.close());
  const dir = temporaryFolder({ 'estate.yaml': estateOn(sandbox.url, ['gcp-prod']) });
  const run = commandLine();
  const { code, stderr } = await run(['import', dir, allow, '--network', name]);
  assert.equal(code, 0, stderr);
  sandbox.control.log.clear();
  return { sandbox, dir, run, plan: async () => JSON.parse((await run(['plan', dir, allow, '--json'])).stdout) };
}

/** A write by a colleague, whose operation has ended. */
async function write({ url, control }: Sandbox, method: string, path: string, body?: object): Promise<void> {
  const response = await fetch(`${url}/compute/v1/projects/${project}/${path}`, {
    method,
    headers: { authorization: 'Bearer colleague', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.equal(response.status, 200, `${method} ${path}: ${await response.text()}`);
  control.clock.advance(10_000);
}

async function fingerprintOf({ url }: Sandbox): Promise<string> {
  const headers = { authorization: 'Bearer colleague' };
  const response = await fetch(`${url}/compute/v1/projects/${project}/${app}`, { headers });
  const { fingerprint }: { fingerprint: string } = JSON.parse(await response.text());
  return fingerprint;
}

const blockedIn = ({ findings }: Plan): readonly string[] =>
  findings.flatMap(({ type, code, reason }) => (type === 'blocked' ? [`${code}: ${reason}`] : []));

const counts = ({ control }: Sandbox): Readonly<Record<string, number>> => control.log.counts();

test('import states the settings, and a plan of them adopts and no more', async () => {
  const { sandbox, dir, plan } = await stage('core');
  const text = readFileSync(join(dir, 'imported', 'core.yaml'), 'utf8');
  const has = (part: string): void => assert.ok(text.includes(part), `${part}\n${text}`);
  has('internet: unmanaged');
  has('ipv6Cidrs: [fd20:0:1::/48]');
  has('natGateways: [europe-west1/hub/out, us-central1/hub/out]');
  has(`name: to-far, network: ${far}`);
  has('destination: 0.0.0.0/0, nextHop: default-internet-gateway');
  has('destination: 10.9.0.0/16, nextHop: 10.1.1.9, priority: 90, tags: [web]');
  has('destination: 10.10.0.0/16, nextHop: 10.1.1.9 }');
  has('name: pods, cidr: 10.8.0.0/16');
  has('privateGoogleAccess: true');
  has('ipv6Cidrs: [fd20:0:1::/64]');
  assert.doesNotMatch(
    text,
    /destination: 10\.(?:1\.1|8|2)\./,
    'routes of subnets and of the peering are nobody’s to state',
  );
  const { actions, findings } = await plan();
  assert.ok(actions.length > 0);
  for (const { verb, changes = [] } of actions) {
    assert.equal(verb, 'adopt');
    assert.ok(changes.every(({ field }) => field === 'mark'));
  }
  assert.deepEqual(
    findings.filter(({ type, reason = '' }) => type === 'blocked' || reason.includes('address block')),
    [],
  );
  assert.equal(counts(sandbox)['compute.routers.aggregatedList'], 1, 'a plan that states NAT gateways lists routers');
});

test('a plan that states no NAT gateway makes the calls that it made before', async () => {
  const { sandbox, plan } = await stage('lone');
  const { actions } = await plan();
  assert.ok(actions.length > 0);
  assert.deepEqual(counts(sandbox), {
    'compute.projects.get': 1,
    'compute.networks.list': 1,
    'compute.routes.list': 1,
    'compute.subnetworks.aggregatedList': 1,
    'compute.firewalls.list': 1,
    'compute.instances.aggregatedList': 1,
  });
});

test('what a colleague changes is blocked with both values, and an apply writes nothing for it', async () => {
  const { sandbox, dir, run, plan } = await stage('core');
  const applied = await run(['apply', dir, allow, '--yes']);
  assert.equal(applied.code, 0, applied.stderr);
  assert.deepEqual((await plan()).actions, []);
  assert.deepEqual(blockedIn(await plan()), []);

  await write(sandbox, 'DELETE', 'global/routes/to-lab');
  await write(sandbox, 'POST', 'global/routes', {
    name: 'lab',
    network: core,
    destRange: '10.10.0.0/16',
    nextHopIp: '10.1.1.9',
    priority: 80,
  });
  await write(sandbox, 'POST', 'global/networks/core/removePeering', { name: 'to-far' });
  await write(sandbox, 'PATCH', 'regions/us-central1/routers/hub', { nats: [nat('other')] });
  await write(sandbox, 'POST', `${app}/setPrivateIpGoogleAccess`, { privateIpGoogleAccess: false });
  const secondaryIpRanges = [{ rangeName: 'pods', ipCidrRange: '10.20.0.0/16' }];
  await write(sandbox, 'PATCH', app, { fingerprint: await fingerprintOf(sandbox), secondaryIpRanges });

  const blocked = blockedIn(await plan());
  assert.equal(blocked.length, 2, 'one finding of the network, one of the subnet');
  const all = blocked.join('\n');
  for (const part of [
    'settings.routes has unwanted { destination: 10.10.0.0/16, nextHop: 10.1.1.9, priority: 80 } and lacks { destination: 10.10.0.0/16, nextHop: 10.1.1.9 }; ',
    `settings.peerings lacks { name: to-far, network: ${far} }`,
    'settings.natGateways is ["europe-west1/hub/out","us-central1/hub/other"], wanted ["europe-west1/hub/out","us-central1/hub/out"]',
    'settings.privateGoogleAccess is false, wanted true',
    'settings.secondaryRanges has unwanted { name: pods, cidr: 10.20.0.0/16 } and lacks { name: pods, cidr: 10.8.0.0/16 }',
  ])
    assert.ok(all.includes(part), `${part}\n${all}`);
  sandbox.control.log.clear();
  await run(['apply', dir, allow, '--yes']);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
});

test('IPv6 that no document states is told, and stays', async () => {
  const { dir, run, plan } = await stage('core');
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  const file = join(dir, 'imported', 'core.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/ipv6Cidrs: \[[^\]]*\],?/g, ''));
  const { actions, findings } = await plan();
  assert.deepEqual(actions, []);
  const told = findings.flatMap(({ reason = '' }) => /also has the address block (\S+),/.exec(reason)?.[1] ?? []);
  assert.deepEqual(told.toSorted(), ['fd20:0:1::/48', 'fd20:0:1::/64']);
});

test('the default route of an adopted network is one of its stated routes', async () => {
  const { sandbox, dir, run, plan } = await stage('core');
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  const list = await fetch(`${sandbox.url}/compute/v1/projects/${project}/global/routes`, {
    headers: { authorization: 'Bearer colleague' },
  });
  const { items }: { items: readonly { name: string; network: string; destRange: string }[] } = JSON.parse(
    await list.text(),
  );
  const born = items.find(({ network, destRange }) => network.endsWith(core) && destRange === '0.0.0.0/0');
  await write(sandbox, 'DELETE', `global/routes/${born?.name}`);
  const blocked = blockedIn(await plan());
  assert.equal(blocked.length, 1, blocked.join('\n'));
  assert.match(
    blocked[0] ?? '',
    /^immutable: settings\.routes lacks \{ destination: 0\.0\.0\.0\/0, nextHop: default-internet-gateway \}\. /,
  );

  const file = join(dir, 'imported', 'core.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('internet: unmanaged', 'internet: true'));
  const refused = await run(['validate', dir]);
  assert.equal(refused.code, 1);
  assert.match(refused.stdout + refused.stderr, /`internet: true` states the default route.*\(gcp-prod\)/);
});

test('a denied listing of routers is told where a document states NAT gateways, and hides no other difference', async () => {
  const { sandbox, dir, run, plan } = await stage('core');
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  const match = { action: 'compute.routers.aggregatedList' };
  sandbox.control.faults.add({ match, effect: { kind: 'access-denied' } });
  assert.deepEqual((await plan()).actions, []);
  const [only = '', ...others] = blockedIn(await plan());
  assert.deepEqual(others, []);
  assert.match(
    only,
    /^not-observed: its natGateways could not be listed or compared: .*compute\.routers.* \(forbidden\)$/,
  );
  await write(sandbox, 'POST', 'global/networks/core/removePeering', { name: 'to-far' });
  const both = blockedIn(await plan()).toSorted();
  assert.equal(both.length, 2, both.join('\n'));
  assert.match(both[0] ?? '', /^immutable: settings\.peerings lacks \{ /);

  const again = temporaryFolder({ 'estate.yaml': estateOn(sandbox.url, ['gcp-prod']) });
  const imported = await commandLine()(['import', again, allow, '--network', 'far']);
  assert.equal(imported.code, 0, imported.stderr);
  const text = readFileSync(join(again, 'imported', 'far.yaml'), 'utf8');
  assert.match(
    text,
    /^# far \(projects\/acme-prod\/global\/networks\/far#\d+\): its natGateways could not be listed or stated: /m,
  );
  assert.match(text, /peerings:/);
});
