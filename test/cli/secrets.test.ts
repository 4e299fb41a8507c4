import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';
import { assertHidden, canary } from '../support/canary.ts';
import { commandLine, type Run } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** The process's own keys are another account's, so only a secret can have the target's. */
const accounts = [
  { id: '111122223333', accessKeyIds: ['AKIDTARGET'] },
  { id: '999900001111', accessKeyIds: ['test'] },
];
const keys = JSON.stringify({ accessKeyId: 'AKIDTARGET', secretAccessKey: canary });
const arn = 'arn:aws:secretsmanager:eu-west-1:999900001111:secret:setpoint-a1b2c3';
const names: Readonly<Record<string, string>> = {
  [arn]: arn,
  'gcpsecretmanager://projects/acme/secrets/setpoint/versions/latest': 'projects/acme/secrets/setpoint',
  'https://acme.vault.azure.net/secrets/setpoint': 'https://acme.vault.azure.net/secrets/setpoint',
};

/** A network with a machine in it, at an endpoint. */
const estate = (endpoint: string, credentials: string): string => `
apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: aws }
spec:
  provider: aws
  account: "111122223333"
  region: eu-west-1
  endpoint: ${endpoint}
  credentials: ${credentials}
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec: { targets: [aws], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }
---
apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: web }
spec: { targets: [aws], network: core, subnet: app, image: ami-0abcdef1234567890, size: t3.small }
`;

interface Held {
  /** As the target has it. */
  readonly credentials: string;
  /** The secret that the reference names; absent: none. */
  readonly holding?: string;
}

/** An estate whose target has credentials; all of its output is kept. */
async function place({ credentials, holding }: Held) {
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 100 }, accounts });
  after(() => sandbox.close());
  const specs = temporaryFolder({ 'estate.yaml': estate(sandbox.url, credentials) });
  delete process.env['SETPOINT_SECRET_AWS'];
  process.env['SETPOINT_SECRETS_DIR'] = temporaryFolder({});
  if (holding !== undefined) {
    process.env['SETPOINT_SECRET_AWS'] = holding;
    writeFileSync(join(process.env['SETPOINT_SECRETS_DIR'], 'aws.json'), holding);
    for (const name of Object.values(names)) sandbox.control.secrets.put(name, holding);
  }
  const said: string[] = [];
  const line = commandLine();
  const run: Run = async (args) => {
    const answer = await line(args);
    said.push(answer.stdout, answer.stderr);
    return answer;
  };
  /** Whatever people and the cloud's log were told; the tables of a store are looked into in test/integration. */
  const told = (): readonly unknown[] => [said, sandbox.control.log.entries()];
  return { sandbox, specs, run, told };
}

describe('credentials by reference', () => {
  for (const reference of [
    '{ env: SETPOINT_SECRET_AWS }',
    '{ file: aws.json }',
    ...Object.keys(names).map((uri) => `{ uri: "${uri}" }`),
  ])
    test(`${reference}: what it holds is used, and shown nowhere`, async () => {
      const { specs, run, told } = await place({ credentials: reference, holding: `${keys}\n` });
      const { code, stderr } = await run(['apply', specs, '--allow-endpoint', '--yes']);
      assert.equal(code, 0, stderr);
      assertHidden(...told());
    });

  test('no verb shows anything of them', async () => {
    const { specs, run, told } = await place({ credentials: '{ env: SETPOINT_SECRET_AWS }', holding: keys });
    const kept = join(temporaryFolder({}), 'next.plan');
    for (const args of [
      ['validate', specs, '--json'],
      ['doctor', specs, '--allow-endpoint', '--json'],
      ['plan', specs, '--allow-endpoint', '--json'],
      ['apply', specs, '--allow-endpoint', '--yes', '--json'],
      ['plan', specs, '--allow-endpoint', '--out', kept],
      ['drift', specs, '--allow-endpoint', '--json'],
      ['inventory', specs, '--allow-endpoint', '--refresh', '--json'],
      ['ledger', '--json'],
      ['ledger', 'verify', '--json'],
    ]) {
      const { code, stderr } = await run(args);
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    }
    assertHidden(...told());
  });

  test('the store of a cloud is asked only at an endpoint that was allowed', async () => {
    const { specs, run, sandbox } = await place({ credentials: `{ uri: "${arn}" }`, holding: keys });
    const { code, stderr } = await run(['plan', specs]);
    assert.equal(code, 1);
    assert.match(stderr, /add --allow-endpoint/);
    assert.deepEqual(sandbox.control.log.entries(), []);
  });
});

describe('credentials that cannot be had', () => {
  const env = '{ env: SETPOINT_SECRET_AWS }';
  const cases: readonly (Held & { readonly name: string; readonly why: RegExp; readonly refused?: boolean })[] = [
    {
      name: 'no variable',
      credentials: env,
      why: /the secret in SETPOINT_SECRET_AWS: this process has no such variable/,
    },
    { name: 'no file', credentials: '{ file: aws.json }', why: /the secret aws\.json: there is nothing by this name/ },
    {
      name: 'no such secret',
      credentials: `{ uri: "${arn}" }`,
      why: /there is no such secret or version in its store/,
    },
    { name: 'the bare secret', credentials: env, holding: canary, why: /holds no credential for aws: it is no JSON/ },
    {
      name: 'a field too many, named by a secret',
      credentials: '{ file: aws.json }',
      holding: JSON.stringify({ ...JSON.parse(keys), [canary]: canary }),
      why: /1 of its fields do not belong there/,
    },
    {
      name: 'keys that the cloud does not know',
      credentials: `{ uri: "${arn}" }`,
      holding: keys.replace('AKIDTARGET', 'AKIDNOBODY'),
      why: /security token included in the request is invalid/,
    },
    {
      name: 'a store that refuses',
      credentials: `{ uri: "${arn}" }`,
      holding: keys,
      refused: true,
      why: /AccessDenied/,
    },
  ];

  for (const { name, why, refused, ...held } of cases)
    test(`${name}: nothing is read or written, and it is said why without the secret`, async () => {
      const { specs, run, told, sandbox } = await place(held);
      if (refused)
        sandbox.control.faults.add({ match: { action: 'GetSecretValue' }, effect: { kind: 'access-denied' } });
      const plan = await run(['plan', specs, '--allow-endpoint', '--json']);
      assert.equal(plan.code, 1);
      assert.match(plan.stdout, why);
      const applied = await run(['apply', specs, '--allow-endpoint', '--yes']);
      assert.equal(applied.code, 1);
      assert.match(applied.stderr, why);
      const doctor = await run(['doctor', specs, '--allow-endpoint']);
      assert.match(doctor.stdout, why);
      assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
      const reads = sandbox.control.log.entries().filter(({ service }) => service === 'ec2');
      assert.deepEqual(reads, []);
      assertHidden(...told());
    });
});
