import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { estateOn, subscription } from './support/estate-on.ts';
import { commandLine, type Run } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Networks of Azure with ways out: import states them, and a change by a colleague is blocked with both values. */
const allow = '--allow-endpoint';
const inGroup = (group: string, path: string): string =>
  `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.Network/${path}`;
const at = (path: string): string => inGroup('Acme', path);
const hub = inGroup('Hub', 'virtualNetworks/Hub');
const elsewhere = inGroup('Hub', 'natGateways/Nat');
const named = (name: string, properties: object) => ({ name, properties });
const leadsTo = (id: string) => ({ remoteVirtualNetwork: { id } });
const blocks = (...addressPrefixes: readonly string[]) => ({ addressSpace: { addressPrefixes } });
const resource = (type: string, name: string, properties: object = {}, group = 'Acme') => ({
  type: `Microsoft.Network/${type}`,
  group,
  name,
  properties,
});

const space = ['10.1.0.0/16', '100.64.0.0/16', 'fd00:1::/48'];
const app = {
  addressPrefixes: ['10.1.1.0/24', 'fd00:1:0:1::/64'],
  routeTable: { id: at('routeTables/Rt') },
  natGateway: { id: at('natGateways/Nat') },
};
const cloud = {
  subscriptions: [
    {
      groups: ['Acme', 'Hub'].map((name) => ({ name, location: 'westeurope' })),
      resources: [
        resource('routeTables', 'Rt', {
          routes: [
            named('Default', {
              addressPrefix: '0.0.0.0/0',
              nextHopType: 'VirtualAppliance',
              nextHopIpAddress: '10.1.9.4',
            }),
            named('V6', {
              addressPrefix: 'fd00:9::/48',
              nextHopType: 'VirtualAppliance',
              nextHopIpAddress: 'fd00:1::4',
            }),
            named('Storage', { addressPrefix: 'Storage.WestEurope', nextHopType: 'Internet' }),
            named('Nowhere', { addressPrefix: '10.9.0.0/16', nextHopType: 'None' }),
          ],
        }),
        resource('natGateways', 'Nat'),
        resource('natGateways', 'Nat', {}, 'Hub'),
        resource('virtualNetworks', 'Hub', blocks('10.2.0.0/16'), 'Hub'),
        resource('virtualNetworks', 'Third', blocks('10.4.0.0/16'), 'Hub'),
        resource('virtualNetworks', 'core', {
          ...blocks(...space),
          subnets: [
            named('app', app),
            named('web', {
              addressPrefixes: ['10.1.2.0/24', '10.1.3.0/24'],
              natGateway: { id: elsewhere },
            }),
          ],
        }),
        resource('virtualNetworks/virtualNetworkPeerings', 'core/To-Hub', leadsTo(hub)),
        resource('virtualNetworks/virtualNetworkPeerings', 'Hub/To-Core', leadsTo(at('virtualNetworks/core')), 'Hub'),
        resource('virtualNetworks', 'lone', {
          ...blocks('10.3.0.0/16'),
          subnets: [named('app', { addressPrefix: '10.3.1.0/24' })],
        }),
      ],
    },
  ],
};

interface Plan {
  readonly actions: readonly { readonly verb: string; readonly changes?: readonly { readonly field: string }[] }[];
  readonly findings: readonly { readonly type: string; readonly code?: string; readonly reason?: string }[];
}

interface Body {
  readonly properties?: object;
}

interface Stage {
  readonly sandbox: Sandbox;
  readonly dir: string;
  readonly run: Run;
  readonly plan: () => Promise<Plan>;
  /** A colleague with the cloud's own tools. */
  readonly colleague: (method: 'GET' | 'PUT' | 'DELETE', path: string, body?: object) => Promise<Body>;
}

/** `spoil`: before the import. */
async function stage(name: string, spoil: (sandbox: Sandbox) => void = () => {}): Promise<Stage> {
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 } });
  after(() => sandbox.close());
  sandbox.control.arm.load(cloud);
  spoil(sandbox);
  const dir = temporaryFolder({ 'estate.yaml': estateOn(sandbox.url, ['azure-prod']) });
  const run = commandLine();
  const { code, stderr } = await run(['import', dir, allow, '--network', name]);
  assert.equal(code, 0, stderr);
  sandbox.control.log.clear();
  return {
    sandbox,
    dir,
    run,
    plan: async () => JSON.parse((await run(['plan', dir, allow, '--json'])).stdout),
    colleague: async (method, path, body) => {
      const answer = await fetch(`${sandbox.url}${path}?api-version=2026-01-01`, {
        method,
        headers: { authorization: 'Bearer somebody', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      assert.ok(answer.ok, `${method} ${path}: ${text}`);
      sandbox.control.clock.advance(600_000);
      return JSON.parse(text || '{}');
    },
  };
}

const blockedIn = ({ findings }: Plan): readonly string[] =>
  findings.flatMap(({ type, code, reason }) => (type === 'blocked' ? [`${code}: ${reason}`] : [])).toSorted();
const counts = ({ control }: Sandbox): Readonly<Record<string, number>> => control.log.counts();

test('import states the settings, and a plan of them adopts and no more, however the cloud spells them', async () => {
  const { sandbox, dir, plan } = await stage('core');
  const text = readFileSync(join(dir, 'imported', 'core.yaml'), 'utf8');
  const has = (part: string): void => assert.ok(text.includes(part), `${part}\n${text}`);
  has('secondaryCidrs: [100.64.0.0/16]');
  has('ipv6Cidrs: [fd00:1::/48]');
  has('secondaryCidrs: [10.1.3.0/24]');
  has('ipv6Cidrs: [fd00:1:0:1::/64]');
  has('- name: to-hub');
  has(`network: ${hub.toLowerCase()}\n`);
  has('natGateway: nat');
  has(`natGateway: ${elsewhere.toLowerCase()}`);
  has('destination: 0.0.0.0/0, nextHop: 10.1.9.4');
  has('nextHop: fd00:1::4');
  has('destination: storage.westeurope, nextHop: internet');
  has('destination: 10.9.0.0/16, nextHop: none');
  for (let number = 1; number <= 8; number++) {
    sandbox.control.log.clear();
    sandbox.control.spellings.set({ kind: 'seed', number });
    const planned = await plan();
    assert.ok(planned.actions.length > 0);
    for (const { verb, changes = [] } of planned.actions) {
      assert.equal(verb, 'adopt');
      assert.ok(changes.every(({ field }) => field === 'mark'));
    }
    assert.deepEqual(blockedIn(planned), [], `spelling ${number}`);
    assert.equal(counts(sandbox)['routeTables.listAll'], 1, 'a plan that states routes lists them');
  }
});

test('a plan that states no routes makes no call for them', async () => {
  const { sandbox, plan } = await stage('lone');
  const { actions } = await plan();
  assert.ok(actions.length > 0);
  assert.deepEqual(counts(sandbox), {
    'providers.get': 1,
    'virtualNetworks.listAll': 1,
    'networkSecurityGroups.listAll': 1,
    'applicationSecurityGroups.listAll': 1,
    'virtualMachines.listAll': 1,
    'networkInterfaces.listAll': 1,
    'publicIPAddresses.listAll': 1,
    'disks.list': 1,
  });
});

test('a change by a colleague is blocked with both values, and an apply writes nothing for it', async () => {
  const { sandbox, dir, run, plan, colleague } = await stage('core');
  const applied = await run(['apply', dir, allow, '--yes']);
  assert.equal(applied.code, 0, applied.stderr);
  assert.deepEqual((await plan()).actions, []);
  assert.deepEqual(blockedIn(await plan()), []);

  const core = await colleague('GET', at('virtualNetworks/core'));
  const wider = { ...core.properties, ...blocks(...space, 'fd00:7::/48') };
  await colleague('PUT', at('virtualNetworks/core'), { ...core, properties: wider });
  await colleague('PUT', at('routeTables/rt/routes/new'), {
    properties: { addressPrefix: '10.8.0.0/16', nextHopType: 'None' },
  });
  const third = inGroup('Hub', 'virtualNetworks/Third');
  await colleague('PUT', at('virtualNetworks/core/virtualNetworkPeerings/third'), { properties: leadsTo(third) });
  await colleague('PUT', at('virtualNetworks/core/subnets/web'), {
    properties: { addressPrefixes: ['10.1.2.0/24', '10.1.4.0/24'], natGateway: { id: at('natGateways/Nat') } },
  });
  const all = blockedIn(await plan()).join('\n');
  assert.match(all, /settings\.ipv6Cidrs is \["fd00:1::\/48","fd00:7::\/48"\], wanted \["fd00:1::\/48"\]/);
  assert.match(all, /settings\.routes has unwanted \{ destination: 10\.8\.0\.0\/16, nextHop: none \}/);
  assert.match(all, /settings\.peerings has unwanted \{ name: third, network: \S*\/virtualnetworks\/third \}/);
  assert.match(all, new RegExp(`settings\\.natGateway is "?nat"?, wanted "?${elsewhere.toLowerCase()}`));
  assert.match(all, /settings\.secondaryCidrs is \["10\.1\.4\.0\/24"\], wanted \["10\.1\.3\.0\/24"\]/);
  sandbox.control.log.clear();
  await run(['apply', dir, allow, '--yes']);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
});

test('a peering without its other side is none, and a subnet without its table has no routes', async () => {
  const { dir, run, plan, colleague } = await stage('core');
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  await colleague('DELETE', `${hub}/virtualNetworkPeerings/to-core`);
  const { routeTable: _, ...bare } = app;
  await colleague('PUT', at('virtualNetworks/core/subnets/app'), { properties: bare });
  const blocked = blockedIn(await plan());
  assert.equal(blocked.length, 2, blocked.join('\n'));
  assert.match(blocked.join('\n'), /settings\.peerings lacks \{ /);
  assert.match(blocked.join('\n'), /settings\.routes lacks \{ /);
});

test('a denied listing is told where a document states routes, and hides no other difference', async () => {
  const { sandbox, dir, run, plan, colleague } = await stage('core');
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  sandbox.control.faults.add({ match: { action: 'routeTables.listAll' }, effect: { kind: 'access-denied' } });
  assert.match(
    blockedIn(await plan()).join('\n'),
    /^not-observed: its routes could not be listed or compared: [^\n]*Microsoft\.Network\/routeTables[^\n]* \(AuthorizationFailed\)$/,
  );
  await colleague('DELETE', at('virtualNetworks/core/virtualNetworkPeerings/to-hub'));
  const blocked = blockedIn(await plan());
  assert.equal(blocked.length, 2, blocked.join('\n'));
  assert.match(blocked[0] ?? '', /^immutable: settings\.peerings lacks \{ /);
});

test('import writes a comment for a denied listing', async () => {
  const { dir } = await stage('core', ({ control }) => {
    control.faults.add({ match: { action: 'routeTables.listAll' }, effect: { kind: 'access-denied' } });
  });
  const text = readFileSync(join(dir, 'imported', 'core.yaml'), 'utf8');
  assert.match(text, /^# .*app.*: its routes could not be listed or stated: /m);
  assert.match(text, /natGateway: nat/);
  assert.doesNotMatch(text, /nextHop/);
});
