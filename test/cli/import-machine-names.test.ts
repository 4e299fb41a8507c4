import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  AllocateAddressCommand,
  AssociateAddressCommand,
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeInstancesCommand,
  EC2Client,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { parseAllDocuments } from 'yaml';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { until } from '../support/until.ts';
import { estateOn, subscription } from './support/estate-on.ts';
import { commandLine } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/**
 * Machines of people keep their names and reserved addresses: import states both, and nothing is written for it. A machine that
 * Setpoint makes has the name that its document states, and so has its successor.
 */
const allow = '--allow-endpoint';

const authorization = 'Bearer colleague';
const google = '/compute/v1/projects/acme-prod';
const arm = `/subscriptions/${subscription}/resourceGroups/acme`;
const inArm = (type: string, name: string): string => `${arm}/providers/Microsoft.${type}/${name}`;

interface Plan {
  readonly actions: readonly { readonly verb: string; readonly address: string }[];
  readonly findings: readonly { readonly type: string; readonly why?: string; readonly reason?: string }[];
}

async function makeByHand({ url, control }: Sandbox): Promise<void> {
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${path}: ${await answer.text()}`);
  };
  const onGoogle = async (path: string, body: { readonly name: string; readonly [field: string]: unknown }) => {
    await send('POST', `${google}/${path}`, body);
    const made = `${url}${google}/${path}/${body.name}`;
    await until(`${body.name} stands`, async () => (await fetch(made, { headers: { authorization } })).ok);
  };
  const onAzure = async (path: string, body: object): Promise<void> => {
    const version = path.includes('/providers/') ? '2026-01-01' : '2025-04-01';
    await send('PUT', `${path}?api-version=${version}`, { location: 'westeurope', ...body });
    control.clock.advance(600_000);
  };
  await onGoogle('global/networks', { name: 'shop', autoCreateSubnetworks: false });
  const subnet = { network: 'projects/acme-prod/global/networks/shop', ipCidrRange: '10.20.2.0/24' };
  await onGoogle('regions/europe-west1/subnetworks', { name: 'shop-app', ...subnet });
  const disk = { sourceImage: 'projects/debian-cloud/global/images/family/debian-12' };
  await onGoogle('zones/europe-west1-b/instances', {
    name: 'legacy-db-01',
    machineType: 'zones/europe-west1-b/machineTypes/e2-small',
    disks: [{ boot: true, initializeParams: disk }],
    networkInterfaces: [
      { subnetwork: 'regions/europe-west1/subnetworks/shop-app', accessConfigs: [{ type: 'ONE_TO_ONE_NAT' }] },
    ],
  });
  await onAzure(arm, {});
  const lab = inArm('Network', 'virtualNetworks/lab');
  await onAzure(lab, {
    properties: {
      addressSpace: { addressPrefixes: ['10.20.0.0/16'] },
      subnets: [{ name: 'app', properties: { addressPrefix: '10.20.3.0/24' } }],
    },
  });
  const [address, nic] = [inArm('Network', 'publicIPAddresses/front'), inArm('Network', 'networkInterfaces/db')];
  await onAzure(address, { sku: { name: 'Standard' }, properties: { publicIPAllocationMethod: 'Static' } });
  const fixed = { privateIPAllocationMethod: 'Static', privateIPAddress: '10.20.3.77' };
  const first = { primary: true, subnet: { id: `${lab}/subnets/app` }, publicIPAddress: { id: address }, ...fixed };
  await onAzure(nic, { properties: { ipConfigurations: [{ name: 'first', properties: first }] } });
  await onAzure(inArm('Compute', 'virtualMachines/Legacy-DB'), {
    zones: ['2'],
    properties: {
      hardwareProfile: { vmSize: 'Standard_B2s' },
      storageProfile: {
        imageReference: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
        osDisk: { createOption: 'FromImage' },
      },
      osProfile: { computerName: 'db', adminUsername: 'ops', adminPassword: 'not-a-Secret-1' },
      networkProfile: { networkInterfaces: [{ id: nic }] },
    },
  });
}

interface Machine {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

const machinesIn = (file: string): readonly Machine[] =>
  parseAllDocuments(readFileSync(file, 'utf8'))
    .map((document): Machine => document.toJS())
    .filter(({ kind }) => kind === 'Instance');

/** The `spec` of the first machine's document in a file. */
const machineIn = (file: string): Machine['spec'] => machinesIn(file)[0]?.spec ?? assert.fail(`${file} has no machine`);

function edited(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, 'utf8');
  assert.notEqual(change(text), text);
  writeFileSync(file, change(text));
}

test('machines of Google Cloud and Azure are imported with their exact names and reserved addresses', async () => {
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 } });
  after(() => sandbox.close());
  await makeByHand(sandbox);
  const estate = estateOn(sandbox.url, ['gcp-prod', 'azure-prod'], 'mode: enforce');
  const dir = temporaryFolder({ 'estate.yaml': estate });
  const run = commandLine();
  const planned = async (): Promise<Plan> => JSON.parse((await run(['plan', dir, allow, '--json'])).stdout);
  const imported = await run(['import', dir, allow, '--all', '--json']);
  assert.equal(imported.code, 0, imported.stderr);
  const [shop, lab] = [join(dir, 'imported', 'shop.yaml'), join(dir, 'imported', 'lab.yaml')];
  const [onGoogle, onAzure] = [machineIn(shop), machineIn(lab)];
  assert.deepEqual([onGoogle['names'], onGoogle['settings']], [{ 'gcp-prod': 'legacy-db-01' }, undefined]);
  assert.deepEqual([onAzure['names'], onAzure['publicIp']], [{ 'azure-prod': 'Legacy-DB' }, true]);
  const { staticPublicIp, ...settings } = Object(onAzure['settings']);
  assert.deepEqual(settings, { privateIp: '10.20.3.77', zone: '2' });
  assert.match(staticPublicIp, /^\d+\.\d+\.\d+\.\d+$/);
  const { actions, findings } = await planned();
  assert.deepEqual([...new Set(actions.map(({ verb }) => verb))], ['adopt']);
  assert.deepEqual(
    findings.filter(({ type }) => type === 'blocked'),
    [],
  );
  const applied = await run(['apply', dir, allow, '--yes']);
  assert.equal(applied.code, 0, applied.stdout + applied.stderr);
  assert.deepEqual((await planned()).actions, []);

  // why: without its name, and with another one, the machine stands all the same
  edited(shop, (text) => text.replace(/^ *names: .*\n/m, ''));
  edited(lab, (text) =>
    text.replace('azure-prod: Legacy-DB }', 'azure-prod: other }').replace('10.20.3.77', '10.20.3.78'),
  );
  const changed = await planned();
  assert.deepEqual(changed.actions, []);
  const blocked = changed.findings.filter(({ type }) => type === 'blocked').map((one) => one.why ?? one.reason ?? '');
  assert.deepEqual(
    blocked.map((text) => text.replace(/ Keep.*/, '')),
    [
      'name is "Legacy-DB", wanted "other". The cloud fixes the name of a machine at its creation.',
      'settings.privateIp is "10.20.3.77", wanted "10.20.3.78". Setpoint compares this and does not change it yet.',
    ],
  );
  edited(lab, (text) =>
    text.replace('azure-prod: other }', 'azure-prod: LEGACY-db }').replace('10.20.3.78', '10.20.3.77'),
  );
  assert.deepEqual((await planned()).actions, []);
});

test('a short listing of public addresses of Azure never reads as an address that is gone', async () => {
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 } });
  after(() => sandbox.close());
  await makeByHand(sandbox);
  const { faults } = sandbox.control;
  const shorten = (times?: number): void => {
    const match = { action: 'publicIPAddresses.listAll', ...(times === undefined ? {} : { times }) };
    faults.add({ match, effect: { kind: 'flicker', share: 1 } });
  };
  const folder = () => temporaryFolder({ 'estate.yaml': estateOn(sandbox.url, ['azure-prod'], 'mode: enforce') });
  const run = commandLine();
  const imported = async (): Promise<{ readonly dir: string; readonly lab: string }> => {
    const dir = folder();
    const { code, stderr } = await run(['import', dir, allow, '--all', '--json']);
    assert.equal(code, 0, stderr);
    return { dir, lab: join(dir, 'imported', 'lab.yaml') };
  };
  const planned = async (dir: string): Promise<Plan> => JSON.parse((await run(['plan', dir, allow, '--json'])).stdout);
  const { dir, lab } = await imported();
  shorten();
  const short = (await imported()).lab;
  assert.match(
    readFileSync(short, 'utf8'),
    /^# .*its staticPublicIp could not be listed or stated: .*front was not listed$/m,
  );
  const { settings, publicIp } = machineIn(short);
  assert.deepEqual([settings, publicIp], [{ privateIp: '10.20.3.77', zone: '2' }, true]);
  const { actions, findings } = await planned(dir);
  assert.deepEqual([...new Set(actions.map(({ verb }) => verb))], ['adopt']);
  const blocked = findings.filter(({ type }) => type === 'blocked').map(({ reason = '' }) => reason);
  assert.equal(blocked.length, 1);
  assert.match(blocked[0] ?? '', /^its staticPublicIp could not be listed or compared: .* \(NoPublicAddress\)$/);

  faults.clear();
  const applied = await run(['apply', dir, allow, '--yes']);
  assert.equal(applied.code, 0, applied.stdout + applied.stderr);
  const text = readFileSync(lab, 'utf8');
  shorten(1);
  const adopted = await planned(dir);
  assert.deepEqual([adopted.actions, adopted.findings.filter(({ type }) => type === 'blocked')], [[], []]);
  shorten(1);
  const accepted = await run(['accept', 'Legacy-DB', '--specs', dir, allow, '--yes']);
  assert.equal(accepted.code, 0, accepted.stderr);
  assert.match(accepted.stdout, /^Accept: no drift/);
  assert.equal(readFileSync(lab, 'utf8'), text);
});

/** A VPC with two machines: one with an Elastic IP address, one with an address of the pool. */
async function makeOnAws(endpoint: string) {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const ec2 = new EC2Client({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 });
  after(() => ec2.destroy());
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.20.0.0/16' }));
  const VpcId = Vpc?.VpcId ?? '';
  const { InternetGateway } = await ec2.send(new CreateInternetGatewayCommand({}));
  await ec2.send(
    new AttachInternetGatewayCommand({ VpcId, InternetGatewayId: InternetGateway?.InternetGatewayId ?? '' }),
  );
  const { Subnet } = await ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock: '10.20.1.0/24' }));
  const group = { VpcId, GroupName: 'web', Description: 'by hand' };
  const { GroupId = '' } = await ec2.send(new CreateSecurityGroupCommand(group));
  const launch = async (Name: string, AssociatePublicIpAddress: boolean): Promise<string> => {
    const made = await ec2.send(
      new RunInstancesCommand({
        ...{ ImageId: 'ami-0abc0abc0abc0abc0', InstanceType: 't3.small', MinCount: 1, MaxCount: 1 },
        NetworkInterfaces: [
          { DeviceIndex: 0, SubnetId: Subnet?.SubnetId ?? '', Groups: [GroupId], AssociatePublicIpAddress },
        ],
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'Name', Value: Name }] }],
      }),
    );
    return made.Instances?.[0]?.InstanceId ?? '';
  };
  const elastic = async (InstanceId: string): Promise<string> => {
    const { AllocationId, PublicIp = '' } = await ec2.send(new AllocateAddressCommand({ Domain: 'vpc' }));
    await ec2.send(new AssociateAddressCommand({ AllocationId, InstanceId }));
    return PublicIp;
  };
  const nameOf = async (id: string): Promise<string | undefined> => {
    const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
    return Reservations?.[0]?.Instances?.[0]?.Tags?.find(({ Key }) => Key === 'Name')?.Value;
  };
  const [legacy, front] = [await launch('legacy db 01', false), await launch('front', true)];
  return { legacy, front, elastic, nameOf, address: await elastic(legacy) };
}

test('machines of AWS are imported with their names and Elastic IP addresses, and a name is a tag', async () => {
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 } });
  after(() => sandbox.close());
  const { legacy, front, elastic, nameOf, address } = await makeOnAws(sandbox.url);
  sandbox.control.clock.advance(120_000);
  const dir = temporaryFolder({ 'estate.yaml': estateOn(sandbox.url, ['aws-prod'], 'mode: enforce') });
  const run = commandLine();
  const planned = async (): Promise<Plan> => JSON.parse((await run(['plan', dir, allow, '--json'])).stdout);
  const apply = async (): Promise<void> => {
    const { code, stdout, stderr } = await run(['apply', dir, allow, '--yes']);
    assert.equal(code, 0, stdout + stderr);
  };
  const { code, stdout, stderr } = await run(['import', dir, allow, '--all', '--json']);
  assert.equal(code, 0, stderr);
  const { files }: { readonly files: readonly { readonly path: string }[] } = JSON.parse(stdout);
  const file = files.map(({ path }) => path).find((path) => path.endsWith('.yaml')) ?? assert.fail(stdout);
  const machines = machinesIn(file).map(({ metadata, spec }) => [
    ...[metadata.name, Object(spec['names'])['aws-prod'], spec['publicIp']],
    Object(spec['settings'])['staticPublicIp'],
  ]);
  assert.deepEqual(machines, [
    ['front', 'front', true, undefined],
    ['legacy-db-01', 'legacy db 01', undefined, address],
  ]);
  assert.deepEqual([...new Set((await planned()).actions.map(({ verb }) => verb))], ['adopt']);
  await apply();
  assert.deepEqual((await planned()).actions, []);

  // why: it hides the address of the pool, which its document asks for
  await elastic(front);
  const { actions, findings } = await planned();
  assert.deepEqual([actions, findings.filter(({ type }) => type === 'blocked' || type === 'withheld')], [[], []]);
  const told = findings.map((one) => one.why ?? one.reason ?? '').filter((text) => text.includes('Elastic IP address'));
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /front-0 has the Elastic IP address \S+, which its document does not state/);

  edited(file, (text) => text.replace('aws-prod: legacy db 01', 'aws-prod: accounts db'));
  assert.deepEqual(
    (await planned()).actions.map(({ verb, address }) => [verb, address.split('/').at(-1)]),
    [['update', 'legacy-db-01-0']],
  );
  await apply();
  assert.equal(await nameOf(legacy), 'accounts db');
  edited(file, (text) => text.replace(/^ *names: .*accounts db.*\n/m, ''));
  assert.deepEqual((await planned()).actions, []);
});

test('a machine of Google Cloud is made with its stated name, and so is its successor', async () => {
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 } });
  after(() => sandbox.close());
  const specs = (name: string, family: string): string => `apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec: { targets: [gcp-prod], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }
---
apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: db }
spec:
  targets: [gcp-prod]
  names: { gcp-prod: ${name} }
  network: core
  subnet: app
  size: e2-small
  image: projects/${family}
`;
  const [old, young] = ['debian-cloud/global/images/family/debian-12', 'debian-cloud/global/images/family/debian-13'];
  const estate = estateOn(sandbox.url, ['gcp-prod'], 'mode: enforce');
  const dir = temporaryFolder({ 'estate.yaml': estate, 'core.yaml': specs('accounts-db', old) });
  const run = commandLine();
  const apply = async (): Promise<string> => {
    const { code, stdout, stderr } = await run(['apply', dir, allow, '--yes']);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };
  const machines = async (): Promise<readonly { readonly name: string; readonly id: string }[]> => {
    const path = `${google}/zones/europe-west1-b/instances`;
    const answer = await fetch(sandbox.url + path, { headers: { authorization } });
    return Object(await answer.json()).items;
  };
  await apply();
  const [made, ...others] = await machines();
  assert.deepEqual([made?.name, others], ['accounts-db', []]);
  writeFileSync(join(dir, 'core.yaml'), specs('accounts-db', young));
  assert.match(await apply(), /1 replaced/);
  const [successor, ...more] = await machines();
  assert.deepEqual([successor?.name, more], ['accounts-db', []]);
  assert.notEqual(successor?.id, made?.id);
});
