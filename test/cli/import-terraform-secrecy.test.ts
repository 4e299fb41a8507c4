import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';
import { assertHidden, canary, sings } from '../support/canary.ts';
import { account, estateOn, subscription } from './support/estate-on.ts';
import { commandLine } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const region = 'eu-west-1';
const id = (prefix: string): string => `${prefix}-0000000000000000a`;

let planted = 0;
/** A secret of its own for each place. */
const secret = (): string => {
  planted += 1;
  return `${canary}${planted}`;
};
const base64 = (): string => Buffer.from(secret()).toString('base64');

interface Resource {
  readonly type: string;
  readonly name: string;
  readonly values: object;
  readonly sensitive?: object;
}

const google = 'projects/acme-prod/zones/europe-west1-b/instances/web';
const azure = `/subscriptions/${subscription}/resourceGroups/acme/providers/Microsoft.Compute/virtualMachines`;

const resources: readonly Resource[] = [
  { type: 'aws_vpc', name: 'main', values: { id: id('vpc'), tags: { password: secret() } } },
  { type: 'aws_subnet', name: 'app', values: { id: id('subnet') } },
  { type: 'aws_security_group', name: 'web', values: { id: id('sg'), description: secret() } },
  {
    type: 'aws_instance',
    name: 'web',
    values: {
      ...{
        id: id('i'),
        user_data: secret(),
        user_data_base64: base64(),
        password_data: base64(),
        get_password_data: true,
      },
      ...{ key_name: secret(), connection: [{ private_key: secret() }] },
    },
    sensitive: { user_data: secret() },
  },
  {
    type: 'google_compute_instance',
    name: 'web',
    values: {
      ...{ id: google, self_link: `https://www.googleapis.com/compute/v1/${google}` },
      ...{ metadata_startup_script: secret(), metadata: { 'ssh-keys': secret(), 'startup-script': secret() } },
      boot_disk: [{ disk_encryption_key_raw: base64() }],
    },
  },
  {
    type: 'azurerm_linux_virtual_machine',
    name: 'web',
    values: {
      ...{ id: `${azure}/web`, admin_password: secret(), custom_data: base64(), secret: [{ certificate: secret() }] },
      admin_ssh_key: [{ username: 'me', public_key: secret() }],
    },
  },
  {
    type: 'azurerm_virtual_machine',
    name: 'old',
    values: { id: `${azure}/old`, os_profile: [{ admin_password: secret(), custom_data: secret() }] },
  },
  { type: 'aws_db_instance', name: 'db', values: { id: 'db', password: secret() } },
  { type: 'random_string', name: 'token', values: { id: secret(), result: secret(), arn: secret(), type: secret() } },
  // why: an attribute that is read, with what is no id
  { type: 'aws_vpc', name: 'broken', values: { id: secret(), arn: secret() } },
];

const output = { value: secret(), type: 'string', sensitive: true };

const stateFile = JSON.stringify(
  {
    ...{ version: 4, terraform_version: '1.11.4', serial: 1, lineage: secret(), outputs: { token: output } },
    resources: resources.map(({ type, name, values, sensitive = {} }) => ({
      ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/x"]' },
      instances: [{ schema_version: 1, attributes: values, sensitive_attributes: [sensitive], private: base64() }],
    })),
    check_results: [{ status: 'fail', objects: [{ failure_messages: [secret()] }] }],
  },
  null,
  2,
);

const shown = JSON.stringify({
  ...{ format_version: '1.0', terraform_version: '1.11.4' },
  values: {
    outputs: { token: output },
    root_module: {
      resources: resources.map(({ type, name, values, sensitive = {} }) => ({
        ...{ address: `${type}.${name}`, mode: 'managed', type, name, values, sensitive_values: sensitive },
      })),
    },
  },
});

const specs = (url: string): string => estateOn(url, ['aws-prod', 'gcp-prod', 'azure-prod']);

const estate = [
  {
    regions: [
      {
        ...{ account, region },
        vpcs: [
          {
            ...{ key: 'main', id: id('vpc'), cidr: '10.0.0.0/16' },
            subnets: [{ key: 'app', id: id('subnet'), cidr: '10.0.1.0/24' }],
            groups: [{ key: 'web', id: id('sg'), name: 'web' }],
          },
        ],
        instances: [
          { id: id('i'), subnet: 'app', groups: ['web'], userData: Buffer.from(secret()).toString('base64') },
        ],
      },
    ],
  },
  {
    cloud: 'gcp',
    projects: [
      {
        project: 'acme-prod',
        networks: [{ name: 'core', subnetworks: [{ name: 'app', region: 'europe-west1', cidr: '10.0.1.0/24' }] }],
        instances: [
          {
            ...{ name: 'web', zone: 'europe-west1-b', subnetwork: 'app' },
            metadata: { 'startup-script': secret(), 'ssh-keys': secret() },
          },
        ],
      },
    ],
  },
];

process.env['AWS_ACCESS_KEY_ID'] = 'test';
process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 }, estate });
after(() => sandbox.close());

/** All that a run shows, writes and keeps. The state itself lies elsewhere. */
async function shownBy(state: string, ...more: readonly string[]) {
  const file = join(temporaryFolder({ 'terraform.tfstate': state }), 'terraform.tfstate');
  const dir = temporaryFolder({ 'specs/estate.yaml': specs(sandbox.url) });
  const run = commandLine();
  const removed = join(dir, 'removed.tf');
  const args = ['import', join(dir, 'specs'), '--allow-endpoint', '--from-terraform', file, '--removed', removed];
  const said = await run([...args, ...more]);
  const files = globSync('**/*', { cwd: dir })
    .filter((path) => statSync(join(dir, path)).isFile())
    .map((path) => readFileSync(join(dir, path), 'utf8'));
  return { said, files, database: run.database };
}

test('at least 20 secrets are planted, in the state and on the clouds', () => {
  assert.ok(planted >= 20, `${planted}`);
  assert.ok(sings(stateFile) && sings(shown));
});

describe('no secret of a state is shown, written or kept', () => {
  for (const [form, state] of [
    ['a state file', stateFile],
    ['show -json', shown],
  ] as const)
    for (const more of [[], ['--json'], ['--dry-run'], ['--dry-run', '--json']])
      test(`${form} ${more.join(' ')}`, async () => {
        const { said, files, database } = await shownBy(state, ...more);
        assert.equal(said.code, 0, said.stderr);
        assert.match(said.stdout, /aws_vpc\.broken/, 'it is named without its id');
        assert.equal(files.length, more.includes('--dry-run') ? 1 : 4, 'two networks and the removed blocks');
        assertHidden(said, files, database);
      });
});

describe('no error shows a secret of the state', () => {
  const places = [...stateFile.matchAll(/k4narienv0gel/g)].map(({ index }) => index);

  test('cut within a secret, or broken at one', async () => {
    for (const at of places) {
      const [cut, broken] = [stateFile.slice(0, at + 8), `${stateFile.slice(0, at + 8)}"${stateFile.slice(at + 8)}`];
      for (const state of [cut, broken, stateFile.replaceAll('"', "'").slice(at - 30)]) {
        const { said, files } = await shownBy(state);
        assert.equal(said.code, 1);
        assert.match(said.stderr, /terraform\.tfstate:\d+:\d+\n {2}why: {3}It cannot be read/);
        assertHidden(said, files);
      }
    }
  });

  const refused: readonly (readonly [name: string, state: string])[] = [
    ['of another version', stateFile.replace('"version": 4', '"version": 5')],
    [
      'that is encrypted',
      JSON.stringify({ encrypted_data: canary, encryption_version: canary, meta: { key: canary } }),
    ],
    ['that is no state', JSON.stringify({ [canary]: canary })],
    ['that is a plan', JSON.stringify({ planned_values: canary, variables: { password: { value: canary } } })],
    ['with a name that is none', stateFile.replace('"name": "main"', `"name": "${canary}"`)],
    ['with a module that is none', stateFile.replace('"mode": "managed"', `"module": "${canary}", "mode": "managed"`)],
    ['with a type that is none', stateFile.replace('"type": "aws_vpc"', `"type": "${canary}"`)],
    ['with a version that is a text', `{"version": "${canary}"}`],
    ['with a format that is a text', `{"format_version": "${canary}"}`],
  ];
  for (const [name, state] of refused)
    test(`a state ${name}`, async () => {
      for (const more of [[], ['--json']]) {
        const { said, files } = await shownBy(state, ...more);
        assert.equal(said.code, 1, said.stdout);
        assertHidden(said, files);
      }
    });
});
