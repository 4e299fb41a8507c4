import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { freePort } from '../scripts/demo/free-port.ts';
import type { Figure } from './figure.ts';
import { inScratch } from './processes/scratch.ts';
import { type Serving, until } from './processes/setpoint.ts';
import { canary, planted } from './secrets/canaries.ts';
import { type Company, companyIn } from './secrets/company.ts';
import { type Outputs, outputRecorder } from './secrets/outputs.ts';
import { type Doors, readAll, sendRequests } from './secrets/requests.ts';
import { type Servers, startServers } from './secrets/servers.ts';
import { kept, refused, specs } from './secrets/specs.ts';

/** `spoil`: what somebody lets out; benches nothing, tests see by it that the figure can fail. */
export interface SecretsOptions {
  readonly spoil?: (outputs: Outputs) => void;
}

/**
 * Secrets planted in every input of specs, environment, events and requests; a worker with its API lives with them on real servers.
 * The figure is the number of leaks in logs, tables, Redis, the ledger, answers, metrics or errors. Asked: none.
 */
export const secrets = ({ spoil = () => {} }: SecretsOptions = {}): Promise<readonly Figure[]> =>
  inScratch(async (folder) => {
    const outputs = outputRecorder();
    const sandbox = await startSandbox({ clock: { rate: 60 }, budgets: false, accounts });
    const servers = await startServers(folder);
    try {
      await furnish(folder, sandbox);
      const env = { ...servers.env, ...kept.variables, SETPOINT_SECRETS_DIR: join(folder, 'secrets') };
      const company = companyIn(folder, env, outputs);
      await byHand(company, servers);
      await unattended({ folder, company, sandbox, outputs });
      await servers.record(outputs);
      await recordFiles(join(folder, '.setpoint'), outputs);
    } finally {
      await servers.close();
      await sandbox.close();
    }
    spoil(outputs);
    const found = outputs.found();
    for (const one of found) console.error(`secrets: ${one}`);
    const letters = [...outputs.sizes().values()].reduce((sum, size) => sum + size, 0);
    const unit = `of ${planted.length + 1} secrets found, in ${outputs.sizes().size} places and ${(letters / 1e6).toFixed(1)} million letters`;
    return [{ name: 'secrets', value: found.length, unit }];
  });

const accounts = [
  { id: '111122223333', accessKeyIds: ['AKIDTARGET'] },
  { id: '222233334444', accessKeyIds: ['AKIDSESSION'] },
  { id: '999900001111', accessKeyIds: ['test'] },
];

async function furnish(folder: string, { url, control }: Sandbox): Promise<void> {
  for (const name of ['specs', 'refused', 'secrets']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'specs/all.yaml'), specs(url));
  await writeFile(join(folder, 'refused/all.yaml'), refused(url));
  for (const [name, text] of Object.entries(kept.files)) await writeFile(join(folder, 'secrets', name), text);
  for (const [name, text] of Object.entries(kept.stores)) control.secrets.put(name, text);
}

const allow = '--allow-endpoint';

/** Commands of people at a prompt, with the errors that they meet there. */
async function byHand({ run }: Company, { wrong }: Servers): Promise<void> {
  await run(['validate', 'specs']);
  for (const args of [
    ['validate', 'refused'],
    ['plan', 'refused', allow],
    ['plan', 'refused', allow, '--json'],
  ])
    await run(args);
  await run(['plan', 'specs', allow, '--json']);
  await run(['apply', 'specs', allow, '--yes']);
  await run(['plan', 'specs', allow], wrong);
  await run(['worker', 'specs', allow], wrong);
  await run(['doctor', 'specs', allow]);
  const address = `https://ops:${canary('environment: a password in the address of a repository')}@127.0.0.1:1/infra.git`;
  await run(['serve', '--repo', address, '--allow-local-repo']);
  await run(['plan', '--proposal', 'main', '--repo', address, '--allow-local-repo']);
  await run(['plan', '--proposal', 'main', '--repo', 'https://127.0.0.1:1/infra.git', '--allow-local-repo']);
}

interface Life {
  readonly folder: string;
  readonly company: Company;
  readonly sandbox: Sandbox;
  readonly outputs: Outputs;
}

/** A worker that heals, hears and is asked; with specs that are refused in the middle of it. */
async function unattended({ folder, company, sandbox, outputs }: Life): Promise<void> {
  const { run, start } = company;
  const made = await run(['token', 'make', '--name', 'bench', '--role', 'admin', '--json']);
  const token = /setpoint_\w+_[\w-]{43}/.exec(made.stdout)?.[0];
  if (token === undefined) throw new Error(`no token was made: ${made.stdout}`);
  outputs.plant('a token of the API', token.slice(-43), 'stdout of setpoint token');
  const [http, metrics] = [await freePort(), await freePort()];
  const doors: Doors = { http: `http://127.0.0.1:${http}`, metrics: `http://127.0.0.1:${metrics}` };
  const ports = ['--listen', String(http), '--health-port', String(metrics)];
  const worker = start(['worker', 'specs', allow, '--interval', '2s', ...ports]);
  try {
    await atWork(worker, sandbox);
    await sendRequests(doors, token, outputs);
    await asked(company, doors.http, token);
    await writeFile(join(folder, 'specs/all.yaml'), refused(sandbox.url));
    await until(() => worker.said().includes('specs invalid'), worker);
    if ((await readAll(doors, token, outputs)) === 0) throw new Error('the inventory is empty: nothing is measured');
    await run(['status', 'specs']);
    await run(['ledger', '--active', 'export', '--out', 'ledger.jsonl']);
    outputs.record('the exported ledger', await readFile(join(folder, 'ledger.jsonl'), 'utf8'));
  } finally {
    await worker.end();
  }
}

/** Every password has come to the machine that it is for, or they would be easy to keep. */
async function atWork(worker: Serving, { control }: Sandbox): Promise<void> {
  const { machines } = control.arm.subscription('11112222-3333-4444-8555-666677778888');
  await until(() => machines.size === 4 && /reconcile ended/.test(worker.said()), worker);
  await sleep(3_000);
}

/** The command line against the API, with the right token, a wrong one and none. */
async function asked({ run }: Company, server: string, token: string): Promise<void> {
  const wrong = { SETPOINT_TOKEN: `setpoint_0000_${canary('environment: a wrong token for the API')}` };
  for (const more of [{ SETPOINT_TOKEN: token }, wrong, {}])
    for (const verb of ['inventory', 'drift', 'ledger']) await run([verb, '--server', server, '--json'], more);
}

async function recordFiles(folder: string, { record }: Outputs): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) record('files of .setpoint', await readFile(join(entry.parentPath, entry.name), 'latin1'));
}
