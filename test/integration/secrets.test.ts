import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';
import { owner } from '../store/owner.ts';
import { assertHidden, canary } from '../support/canary.ts';
import { type Workplace, workplace } from './support/workplace.ts';

/** The process's own keys are another account's, so only the secret can have the target's. */
const accounts = [
  { id: '111122223333', accessKeyIds: ['AKIDTARGET'] },
  { id: '999900001111', accessKeyIds: ['test'] },
];
const keys = JSON.stringify({ accessKeyId: 'AKIDTARGET', secretAccessKey: canary });
const arn = 'arn:aws:secretsmanager:eu-west-1:999900001111:secret:setpoint-a1b2c3';

const specs = (endpoint: string, credentials: string): Readonly<Record<string, string>> => ({
  'estate.yaml': `
apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: aws }
spec: { provider: aws, account: "111122223333", region: eu-west-1, endpoint: "${endpoint}", credentials: ${credentials} }
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
`,
});

it('a secret reaches no output, no table, no file of a real store and its processes', async () => {
  const sandbox = await startSandbox({ clock: { rate: 100 }, budgets: false, accounts });
  const place = await workplace({ SETPOINT_SECRET_AWS: keys, SETPOINT_SECRET_BROKEN: keys.slice(1) });
  try {
    sandbox.control.secrets.put(arn, keys);
    const said = await life(place, sandbox.url, sandbox.control.faults);
    const tables = await tablesOf(place.folder);
    assert.ok(
      tables.some((row) => row.includes('core.app')),
      'the tables were looked into',
    );
    assertHidden(said, tables, filesOf(place.folder), sandbox.control.log.entries());
  } finally {
    await place.leave();
    await sandbox.close();
  }
});

type Faults = Awaited<ReturnType<typeof startSandbox>>['control']['faults'];

/** A failed apply, a complete one, one with a cloud's store, one with a broken secret; and all of their output. */
async function life(place: Workplace, url: string, faults: Faults): Promise<readonly string[]> {
  const said: string[] = [];
  const run = async (want: number, ...args: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await place.setpoint(...args);
    said.push(stdout, stderr);
    assert.equal(code, want, `${args.join(' ')}: ${stdout}${stderr}`);
  };
  await place.write(specs(url, '{ env: SETPOINT_SECRET_AWS }'));
  faults.add({ match: { action: 'RunInstances' }, effect: { kind: 'access-denied' } });
  await run(4, 'apply', '--yes', '--allow-endpoint');
  faults.clear();
  await run(0, 'apply', '--yes', '--allow-endpoint');
  await place.write(specs(url, `{ uri: "${arn}" }`));
  await run(0, 'plan', '--allow-endpoint', '--json', '--out', 'next.plan');
  await place.write(specs(url, '{ env: SETPOINT_SECRET_BROKEN }'));
  await run(1, 'plan', '--allow-endpoint', '--json');
  await run(1, 'apply', '--yes', '--allow-endpoint');
  await run(0, 'ledger', 'verify');
  return said;
}

async function tablesOf(folder: string): Promise<readonly string[]> {
  const client = await owner(folder);
  try {
    const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'setpoint'");
    const found: string[] = [];
    for (const { tablename } of rows) {
      const table = await client.query(`SELECT t::text AS row FROM setpoint."${tablename}" t`);
      found.push(...table.rows.map(({ row }) => String(row)));
    }
    return found;
  } finally {
    await client.end();
  }
}

/** All files of the folder, with the database's own files if it has them. */
const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
