import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { until } from '../support/until.ts';
import { estateOn, subscription } from './support/estate-on.ts';
import { commandLine, type Run } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Imports of Google Cloud and Azure: rules are taken over one by one, as they stand, and nothing is written for it. */
const allow = '--allow-endpoint';

const authorization = 'Bearer colleague';
const projectAt = (project: string): string => `/compute/v1/projects/${project}`;
const google = projectAt('acme-prod');
const arm = `/subscriptions/${subscription}/resourceGroups/acme`;
const nsg = (name: string): string => `${arm}/providers/Microsoft.Network/networkSecurityGroups/${name}`;

function people({ url, control }: Sandbox, project = google) {
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${path}: ${await answer.text()}`);
  };
  const read = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
    (await fetch(url + path, { headers: { authorization } })).json() as Promise<Readonly<Record<string, unknown>>>; // why: the sandbox answers with objects
  const stands = (path: string): Promise<unknown> =>
    until(`${path} stands`, async () => (await fetch(url + path, { headers: { authorization } })).ok);
  return {
    read,
    onGoogle: async (
      method: 'POST' | 'PATCH',
      path: string,
      body: { readonly name?: string; readonly [field: string]: unknown },
    ): Promise<void> => {
      await send(method, `${project}/${path}`, body);
      if (body.name === undefined) control.clock.advance(60_000);
      else await stands(`${project}/${path}/${body.name}`);
    },
    onAzure: async (path: string, body: object): Promise<void> => {
      const version = path.includes('/providers/') ? '2026-01-01' : '2025-04-01';
      await send('PUT', `${path}?api-version=${version}`, body);
      control.clock.advance(600_000);
    },
    azureVersion: '?api-version=2026-01-01',
  };
}

async function makeByHand(sandbox: Sandbox) {
  const by = people(sandbox);
  const network = 'projects/acme-prod/global/networks/shop';
  await by.onGoogle('POST', 'global/networks', {
    name: 'shop',
    autoCreateSubnetworks: false,
    routingConfig: { routingMode: 'GLOBAL' },
  });
  await by.onGoogle('POST', 'regions/europe-west1/subnetworks', {
    name: 'shop-app',
    network,
    ipCidrRange: '10.20.2.0/24',
  });
  await by.onGoogle('POST', 'global/firewalls', {
    name: 'web',
    network,
    description: 'by the web team',
    allowed: [{ IPProtocol: 'tcp', ports: ['443', '8000-8100'] }, { IPProtocol: 'icmp' }],
    sourceRanges: ['0.0.0.0/0'],
    targetTags: ['http-server'],
  });
  await by.onGoogle('POST', 'global/firewalls', {
    name: 'deny-all',
    network,
    denied: [{ IPProtocol: 'all' }],
    priority: 65534,
  });
  await by.onGoogle('POST', 'zones/europe-west1-b/instances', {
    name: 'web-0',
    machineType: 'zones/europe-west1-b/machineTypes/e2-small',
    disks: [{ boot: true, initializeParams: { sourceImage: 'projects/debian-cloud/global/images/family/debian-12' } }],
    networkInterfaces: [{ subnetwork: 'regions/europe-west1/subnetworks/shop-app' }],
    tags: { items: ['http-server'] },
  });
  await by.onAzure(arm, { location: 'westeurope' });
  const rule = (name: string, priority: number, more: object = {}) => ({
    name,
    properties: {
      description: 'by the edge team',
      protocol: 'Tcp',
      sourcePortRange: '*',
      destinationPortRange: '22',
      sourceAddressPrefix: '10.0.0.0/8',
      destinationAddressPrefix: '*',
      access: 'Allow',
      priority,
      direction: 'Inbound',
      ...more,
    },
  });
  const onPorts = rule('Ports', 120, {
    protocol: '*',
    sourceAddressPrefix: 'VirtualNetwork',
    destinationPortRange: '88-90',
  });
  const groups = { location: 'westeurope', properties: { securityRules: [rule('SSH', 117), onPorts] } };
  await by.onAzure(nsg('edge'), groups);
  await by.onAzure(nsg('unused'), { location: 'westeurope', properties: { securityRules: [rule('SSH', 100)] } });
  await by.onAzure(`${arm}/providers/Microsoft.Network/virtualNetworks/lab`, {
    location: 'westeurope',
    properties: {
      addressSpace: { addressPrefixes: ['10.20.0.0/16'] },
      dhcpOptions: { dnsServers: ['10.0.0.10'] },
      subnets: [
        {
          name: 'app',
          properties: {
            addressPrefix: '10.20.3.0/25',
            networkSecurityGroup: { id: nsg('edge') },
            serviceEndpoints: [{ service: 'Microsoft.Sql' }],
          },
        },
      ],
    },
  });
  return by;
}

interface Plan {
  readonly actions: readonly {
    readonly verb: string;
    readonly kind: string;
    readonly address: string;
    readonly changes?: readonly { readonly field: string }[];
  }[];
  readonly findings: readonly { readonly type: string; readonly why?: string }[];
}

test('rules, tags and security groups of Google Cloud and Azure are imported, adopted and healed as they stand', async () => {
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 } });
  after(() => sandbox.close());
  const by = await makeByHand(sandbox);
  const dir = temporaryFolder({
    'estate.yaml': estateOn(sandbox.url, ['gcp-east', 'gcp-west', 'azure-prod'], 'mode: enforce'),
  });
  const run = commandLine();
  const planned = async (): Promise<Plan> => JSON.parse((await run(['plan', dir, allow, '--json'])).stdout);
  const { code, stdout, stderr } = await run(['import', dir, allow, '--all', '--json']);
  assert.equal(code, 0, stderr);
  const imported: { readonly coverage: object; readonly uncovered: readonly object[] } = JSON.parse(stdout);
  assert.deepEqual(imported.uncovered, []);
  assert.deepEqual(imported.coverage, {
    network: { covered: 2, uncovered: 0 },
    subnet: { covered: 2, uncovered: 0 },
    group: { covered: 0, uncovered: 0 },
    'firewall-rule': { covered: 5, uncovered: 0 },
    instance: { covered: 1, uncovered: 0 },
  });
  const shop = readFileSync(join(dir, 'imported', 'shop.yaml'), 'utf8');
  assert.match(shop, /^ {2}targets: \[gcp-west\]\n(?:.*\n)*? {2}subnets:\n {4}- name: app\n/m);
  assert.match(
    shop,
    /^ {2}protocols:\n {4}- \{ protocol: icmp \}\n {4}- \{ protocol: tcp, ports: \[443, 8000-8100\] \}\n {2}group: http-server\n/m,
  );
  assert.match(readFileSync(join(dir, 'imported', 'lab.yaml'), 'utf8'), /^ {2}filter: unmanaged\n/m);
  checkComments(dir);
  const { actions, findings } = await planned();
  assert.deepEqual([...new Set(actions.map(({ verb }) => verb))], ['adopt']);
  assert.deepEqual(
    findings.filter(({ type }) => type === 'blocked'),
    [],
  );
  sandbox.control.log.clear();
  const applied = await run(['apply', dir, allow, '--yes']);
  assert.equal(applied.code, 0, applied.stdout + applied.stderr);
  const written = sandbox.control.log
    .entries()
    .map(({ action }) => action)
    .filter((action) => !/list|get|aggregated|operations/i.test(action));
  // why: machines of Google Cloud with their disks, and networks of Azure, bear the mark as labels and tags
  assert.deepEqual(written.toSorted(), [
    'compute.disks.setLabels',
    'compute.instances.setLabels',
    'virtualNetworks.updateTags',
  ]);
  assert.deepEqual((await planned()).actions, []);

  const explained = await run(['explain', 'lab.SSH', '--specs', dir, allow]);
  assert.match(explained.stdout, /deletionPolicy delete, without effect: no plan deletes an adopted rule$/m);

  await by.onGoogle('PATCH', 'global/firewalls/web', { sourceRanges: ['0.0.0.0/0', '10.0.0.0/8'] });
  const open = { protocol: '*', sourcePortRange: '*', destinationPortRange: '*', sourceAddressPrefix: '*' };
  const widened = { ...open, destinationAddressPrefix: '*', access: 'Allow', priority: 117, direction: 'Inbound' };
  await by.onAzure(`${nsg('edge')}/securityRules/SSH`, { properties: { ...widened, description: 'quick fix' } });
  const drifted = await planned();
  assert.deepEqual(
    drifted.actions.map(({ verb, address, changes = [] }) => [
      verb,
      address.split('/').at(-1),
      changes.map(({ field }) => field).join(),
    ]),
    [
      ['update', 'lab.SSH', 'match.protocol,match.ports,match.peers,description'],
      ['update', 'shop.web', 'match.peers'],
    ],
  );
  const healed = await run(['apply', dir, allow, '--yes']);
  assert.equal(healed.code, 0, healed.stdout + healed.stderr);
  assert.deepEqual((await planned()).actions, []);
  const firewall = await by.read(`${google}/global/firewalls/web`);
  assert.deepEqual([firewall['description'], firewall['sourceRanges']], ['by the web team', ['0.0.0.0/0']]);

  await renameWithoutCall(dir, run, sandbox);
  assert.deepEqual((await planned()).actions, []);
});

/** Setpoint makes the application security group of it. */
const web = 'apiVersion: setpoint.dev/v1\nkind: Group\nmetadata: { name: web }\nspec: { network: lab }\n';

test('accept keeps sources, ports, tags and priorities of adopted rules that colleagues changed', async () => {
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 } });
  after(() => sandbox.close());
  const by = await makeByHand(sandbox);
  const dir = temporaryFolder({
    'estate.yaml': estateOn(sandbox.url, ['gcp-east', 'gcp-west', 'azure-prod'], 'mode: enforce'),
  });
  const run = commandLine();
  assert.equal((await run(['import', dir, allow, '--all'])).code, 0);
  const textOf = (name: string): string => readFileSync(join(dir, 'imported', `${name}.yaml`), 'utf8');
  const edit = (name: string, change: (text: string) => string): void => {
    const changed = change(textOf(name));
    assert.notEqual(changed, textOf(name));
    writeFileSync(join(dir, 'imported', `${name}.yaml`), changed);
  };
  edit('shop', (text) => text.replace(/^ {4}- \{ protocol: icmp \}$/m, '$& # for the monitors'));
  edit('lab', (text) => text.replace(/^ {2}ports: \[22\]$/m, '$& # of the office').concat(`---\n${web}`));
  assert.equal((await run(['apply', dir, allow, '--yes'])).code, 0);
  const [shop, lab] = [textOf('shop'), textOf('lab')];

  const allowed = [{ IPProtocol: 'tcp', ports: ['443', '8443'] }, { IPProtocol: 'icmp' }, { IPProtocol: 'udp' }];
  const sourceRanges = ['192.0.2.0/24', '10.0.0.0/8'];
  await by.onGoogle('PATCH', 'global/firewalls/web', { sourceRanges, allowed, targetTags: ['http-server', 'shop-db'] });
  const properties = {
    description: 'by the edge team',
    protocol: 'Tcp',
    sourcePortRange: '*',
    destinationPortRanges: ['22', '2222'],
    sourceAddressPrefixes: ['10.0.0.0/8', '192.0.2.0/24'],
    destinationApplicationSecurityGroups: [
      { id: `${arm}/providers/Microsoft.Network/applicationSecurityGroups/lab-web` },
    ],
    access: 'Deny',
    priority: 130,
    direction: 'Inbound',
  };
  await by.onAzure(`${nsg('edge')}/securityRules/SSH`, { properties });
  const peers = await run(['accept', 'shop.web', '--specs', dir, allow, '--field', 'peers', '--yes']);
  assert.equal(peers.code, 0, peers.stderr);
  assert.match(
    peers.stdout,
    /^ {2}\S+shop\.web {2}peers \["0\.0\.0\.0\/0"\] → \["10\.0\.0\.0\/8","192\.0\.2\.0\/24"\] {2}\S+:\d+$/m,
  );
  assert.match(
    peers.stdout,
    /^- {2}peers: \{ cidrs: \[0\.0\.0\.0\/0\] \}\n\+ {2}peers: \{ cidrs: \[10\.0\.0\.0\/8, 192\.0\.2\.0\/24\] \}$/m,
  );
  const rest = await run(['accept', 'shop.web', 'lab.SSH', '--specs', dir, allow, '--yes']);
  assert.equal(rest.code, 0, rest.stderr);
  assert.match(rest.stdout, /^Accept: 8 differences of 2 resources into 2 files$/m);
  assert.equal(
    textOf('shop'),
    shop
      .replace('ports: [443, 8000-8100] }\n', 'ports: [443, 8443] }\n    - { protocol: udp }\n')
      .replace('  group: http-server\n', '')
      .replace('cidrs: [0.0.0.0/0] }\n  description', 'cidrs: [10.0.0.0/8, 192.0.2.0/24] }\n  description')
      .replace('by the web team\n', '$&  appliesTo: { groups: [http-server, db] }\n'),
  );
  assert.equal(
    textOf('lab'),
    lab
      .replace(/(\[22\] # of the office\n {2}appliesTo: )\{ network: true \}/, '$1{ groups: [web] }')
      .replace('  ports: [22] # of the office\n', '  ports: [22, 2222] # of the office\n')
      .replace('cidrs: [10.0.0.0/8] }\n  priority: 117', 'cidrs: [10.0.0.0/8, 192.0.2.0/24] }\n  priority: 130')
      .replace(/(name: SSH(?:.*\n)*?.*by the edge team\n)/, '$1  action: deny\n'),
  );
  const { actions, findings } = JSON.parse((await run(['plan', dir, allow, '--json'])).stdout);
  assert.deepEqual(actions, []);
  assert.deepEqual(
    findings.filter(({ type }: { readonly type: string }) => type === 'blocked'),
    [],
  );
});

test('an edit of one document for two projects is refused where only one of them changed, with the other', async () => {
  const projects = [{ id: 'acme-prod' }, { id: 'acme-dev' }];
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 }, compute: { projects } });
  after(() => sandbox.close());
  const [prod, dev] = [people(sandbox, projectAt('acme-prod')), people(sandbox, projectAt('acme-dev'))];
  for (const [by, project] of [
    [prod, 'acme-prod'],
    [dev, 'acme-dev'],
  ] as const) {
    await by.onGoogle('POST', 'global/networks', { name: 'shop', autoCreateSubnetworks: false });
    await by.onGoogle('POST', 'global/firewalls', {
      name: 'web',
      network: `projects/${project}/global/networks/shop`,
      allowed: [{ IPProtocol: 'tcp', ports: ['443'] }],
      sourceRanges: ['10.0.0.0/8'],
    });
  }
  const estate = estateOn(sandbox.url, ['gcp-west', 'gcp-dev'], 'mode: enforce');
  const run = commandLine();
  const draft = temporaryFolder({ 'estate.yaml': estate });
  assert.equal((await run(['import', draft, allow, '--all'])).code, 0);
  const files = readdirSync(join(draft, 'imported')).map((file) => readFileSync(join(draft, 'imported', file), 'utf8'));
  const idIn = (project: string): string =>
    new RegExp(`projects/${project}/global/firewalls/[^ ,}]+`).exec(files.join(''))?.[0] ?? '';
  const rule = `apiVersion: setpoint.dev/v1
kind: FirewallRule
metadata: { name: web, adopt: { gcp-west: ${idIn('acme-prod')}, gcp-dev: ${idIn('acme-dev')} } }
spec:
  targets: [gcp-west, gcp-dev]
  protocol: tcp
  ports: [443]
  appliesTo: { network: true }
  peers: { cidrs: [10.0.0.0/8] }
`;
  const dir = temporaryFolder({ 'estate.yaml': estate, 'web.yaml': rule });
  const applied = await run(['apply', dir, allow, '--yes']);
  assert.equal(applied.code, 0, applied.stdout + applied.stderr);
  const sourceRanges = ['10.0.0.0/8', '192.0.2.0/24'];
  await prod.onGoogle('PATCH', 'global/firewalls/web', { sourceRanges });
  const address = (project: string): string => `gcp/${project}/global/firewall-rule/web`;
  const accept = (...named: readonly string[]) =>
    run(['accept', ...named.map(address), '--specs', dir, allow, '--yes']);
  const one = await accept('acme-prod');
  assert.equal(one.code, 3, one.stdout);
  assert.match(
    one.stderr,
    /^\s*peers of gcp\/acme-dev\/global\/firewall-rule\/web: the edited line states it too, and the cloud has \["10\.0\.0\.0\/8"\] there$/m,
  );
  assert.equal(readFileSync(join(dir, 'web.yaml'), 'utf8'), rule);
  await dev.onGoogle('PATCH', 'global/firewalls/web', { sourceRanges });
  const both = await accept('acme-prod', 'acme-dev');
  assert.equal(both.code, 0, both.stderr);
  assert.equal(readFileSync(join(dir, 'web.yaml'), 'utf8'), rule.replace('10.0.0.0/8]', '10.0.0.0/8, 192.0.2.0/24]'));
});

/** Settings that no document can state stand above it. */
function checkComments(dir: string): void {
  const comments = (file: string): readonly string[] =>
    readFileSync(join(dir, 'imported', file), 'utf8').match(/^# .*$/gm) ?? [];
  assert.match(comments('shop.yaml').join('\n'), /^# shop \(\S+\): routes between regions \(GLOBAL\)$/m);
  assert.match(comments('lab.yaml').join('\n'), /^# lab \(\S+\): has the DNS servers 10\.0\.0\.10$/m);
  assert.match(comments('lab.yaml').join('\n'), /^# app \(\S+\): has the service endpoints Microsoft\.Sql$/m);
}

/** The document of the firewall gets another name: the store notes it, and no cloud is called. */
async function renameWithoutCall(dir: string, run: Run, { control }: Sandbox): Promise<void> {
  const path = join(dir, 'imported', 'shop.yaml');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/name: web, (?=adopt: \{ gcp-west: \S+firewalls)/, 'name: site, '));
  control.log.clear();
  const { code, stdout, stderr } = await run(['apply', dir, allow, '--yes']);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /0 added, 1 changed, 0 replaced, 0 deleted/);
  const writes = control.log.entries().filter(({ action }) => /firewalls\.(?!list|get)/.test(action));
  assert.deepEqual(writes, []);
}
