import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';
import { estateOn, subscription } from './support/estate-on.ts';
import { commandLine } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const group = `/subscriptions/${subscription}/resourceGroups/acme`;
const network = `${group}/providers/Microsoft.Network`;

const specs = (url: string): string => estateOn(url, ['gcp-prod', 'azure-prod']);

const rule = (priority: number, port: string) => ({
  ...{ priority, direction: 'Inbound', access: 'Allow', protocol: 'Tcp' },
  ...{ sourceAddressPrefix: '10.0.0.0/8', sourcePortRange: '*' },
  ...{ destinationAddressPrefix: '*', destinationPortRange: port },
});

const machine = {
  hardwareProfile: { vmSize: 'Standard_B2s' },
  storageProfile: {
    imageReference: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
    osDisk: { createOption: 'FromImage', deleteOption: 'Delete' },
  },
  osProfile: { computerName: 'db', adminUsername: 'me', adminPassword: 'not-a-Secret-1' },
  networkProfile: {
    networkInterfaces: [
      { id: `${network}/networkInterfaces/db-nic`, properties: { primary: true, deleteOption: 'Delete' } },
    ],
  },
};

const estate = [
  {
    cloud: 'gcp',
    projects: [
      {
        project: 'acme-prod',
        networks: [
          {
            name: 'shop-net',
            subnetworks: [{ name: 'shop-app', region: 'europe-west1', cidr: '10.20.2.0/24' }],
            firewalls: [
              { name: 'fw-1', allowed: [{ IPProtocol: 'tcp', ports: ['443'] }], sourceRanges: ['10.0.0.0/8'] },
            ],
          },
        ],
        instances: [{ name: 'srv', zone: 'europe-west1-b', subnetwork: 'shop-app', count: 2 }],
      },
    ],
  },
  {
    cloud: 'azure',
    subscriptions: [
      {
        id: subscription,
        groups: [{ name: 'acme', location: 'westeurope' }],
        resources: [
          {
            type: 'Microsoft.Network/networkSecurityGroups',
            ...{ group: 'acme', name: 'Web-NSG' },
            properties: {
              securityRules: [
                { name: 'AllowHttps', properties: rule(100, '443') },
                { name: 'AllowSsh', properties: rule(110, '22') },
              ],
            },
          },
          {
            type: 'Microsoft.Network/virtualNetworks',
            ...{ group: 'acme', name: 'Lab' },
            properties: {
              addressSpace: { addressPrefixes: ['10.20.0.0/16'] },
              subnets: [
                {
                  name: 'App',
                  properties: {
                    addressPrefix: '10.20.3.0/25',
                    networkSecurityGroup: { id: `${network}/networkSecurityGroups/Web-NSG` },
                  },
                },
              ],
            },
          },
          {
            type: 'Microsoft.Network/networkInterfaces',
            ...{ group: 'acme', name: 'db-nic' },
            properties: {
              ipConfigurations: [
                { name: 'ip', properties: { subnet: { id: `${network}/virtualNetworks/Lab/subnets/App` } } },
              ],
            },
          },
          { type: 'Microsoft.Compute/virtualMachines', group: 'acme', name: 'db', properties: machine },
        ],
      },
    ],
  },
];

const managed = (type: string, name: string, ...instances: readonly object[]): object => ({
  ...{ mode: 'managed', type, name },
  instances: instances.map((attributes, key) => ({
    ...(instances.length === 1 ? {} : { index_key: key }),
    attributes,
  })),
});

const google = (path: string): object => ({
  id: `projects/acme-prod/${path}`,
  self_link: `https://www.googleapis.com/compute/v1/projects/acme-prod/${path}`,
});

const state = JSON.stringify({
  version: 4,
  resources: [
    managed('google_compute_network', 'shop', google('global/networks/shop-net')),
    managed('google_compute_subnetwork', 'app', google('regions/europe-west1/subnetworks/shop-app')),
    managed('google_compute_firewall', 'https', google('global/firewalls/fw-1')),
    managed(
      'google_compute_instance',
      'web',
      ...['srv-0', 'srv-1'].map((name) => google(`zones/europe-west1-b/instances/${name}`)),
    ),
    managed('azurerm_virtual_network', 'core', { id: `${network}/virtualNetworks/Lab`, location: 'westeurope' }),
    managed('azurerm_subnet', 'app', { id: `${network}/virtualNetworks/Lab/subnets/App` }),
    managed('azurerm_network_security_group', 'web', { id: `${network}/networkSecurityGroups/Web-NSG` }),
    managed('azurerm_network_security_rule', 'ssh', {
      id: `${network}/networkSecurityGroups/Web-NSG/securityRules/AllowSsh`,
    }),
    managed('azurerm_linux_virtual_machine', 'db', {
      id: `${group}/providers/Microsoft.Compute/virtualMachines/db`,
    }),
    managed('azurerm_network_interface', 'db', { id: `${network}/networkInterfaces/db-nic` }),
  ],
});

test('a state of Google Cloud and Azure leads to their objects, in the spelling that Terraform has', async () => {
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 }, estate });
  after(() => sandbox.close());
  const dir = temporaryFolder({ 'specs/estate.yaml': specs(sandbox.url), 'terraform.tfstate': state });
  const run = commandLine();
  const folder = join(dir, 'specs');
  const args = ['import', folder, '--allow-endpoint', '--from-terraform', join(dir, 'terraform.tfstate')];
  const said = await run([...args, '--dry-run']);
  assert.match(said.stdout, /^While both run, .* azurerm resource: lifecycle \{ ignore_changes = \[tags\] \}$/m);
  assert.doesNotMatch(said.stdout, /ignore_tags/, 'nothing is of AWS');
  const { code, stdout, stderr } = await run([...args, '--removed', join(dir, 'removed.tf'), '--json']);
  assert.equal(code, 0, stderr);
  const { terraform, uncovered, plan } = JSON.parse(stdout);
  assert.deepEqual([terraform.missing, uncovered, terraform.stateRm, terraform.broughtAlong], [[], [], [], []]);
  assert.deepEqual(terraform.removed.resources, [
    'google_compute_network.shop',
    'google_compute_subnetwork.app',
    'google_compute_firewall.https',
    'google_compute_instance.web',
    'azurerm_virtual_network.core',
    'azurerm_subnet.app',
    'azurerm_network_security_group.web',
    'azurerm_network_security_rule.ssh',
    'azurerm_linux_virtual_machine.db',
  ]);
  assert.deepEqual(terraform.staysWithTerraform, [{ type: 'azurerm_network_interface', count: 1 }]);
  const [shop, core] = ['shop', 'core'].map((name) => readFileSync(join(folder, 'imported', `${name}.yaml`), 'utf8'));
  assert.match(
    shop ?? '',
    /name: shop,.*networks\/shop-net#[\s\S]*name: app\n[\s\S]*name: https,[\s\S]*name: web\n[\s\S]*replicas: 2/,
  );
  assert.match(
    core ?? '',
    /name: core\n[\s\S]*name: app\n[\s\S]*name: AllowHttps\n[\s\S]*name: ssh\n[\s\S]*name: db\n/,
  );
  const { actions } = JSON.parse((await run(['plan', folder, '--allow-endpoint', '--json'])).stdout);
  assert.deepEqual(
    actions.map(({ verb }: { readonly verb: string }) => verb),
    Array(plan.adopt).fill('adopt'),
  );
  sandbox.control.log.clear();
  const applied = await run(['apply', folder, '--allow-endpoint', '--yes']);
  assert.match(applied.stdout, /0 added, 0 changed, 0 replaced, 0 deleted, 10 adopted/);
  const writes = sandbox.control.log.entries().filter(({ mutating }) => mutating);
  assert.deepEqual([...new Set(writes.map(({ action }) => action))].toSorted(), [
    'compute.disks.setLabels',
    'compute.instances.setLabels',
    // why: these two are the PATCH that sets tags
    'disks.update',
    'networkInterfaces.updateTags',
    'virtualMachines.update',
    'virtualNetworks.updateTags',
  ]);
});
