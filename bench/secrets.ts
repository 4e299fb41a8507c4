import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { freePort } from '../scripts/demo/free-port.ts';
import { joinEmbedded } from '../src/store/embedded/embedded.ts';
import { startRedis } from '../test/support/redis.ts';
import { redisWords } from '../test/support/redis-words.ts';
import type { Figure } from './figure.ts';
import { stop } from './processes/measured.ts';
import { inScratch } from './processes/scratch.ts';
import { program, type Serving, until } from './processes/setpoint.ts';
import { canary, type Outputs, outputRecorder, planted } from './secrets/canaries.ts';
import { type Doors, readAll, sendRequests } from './secrets/requests.ts';
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
      const company = processesIn(folder, env, outputs);
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
async function byHand({ run }: Processes, { wrong }: Servers): Promise<void> {
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
  readonly company: Processes;
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
async function asked({ run }: Processes, server: string, token: string): Promise<void> {
  const wrong = { SETPOINT_TOKEN: `setpoint_0000_${canary('environment: a wrong token for the API')}` };
  for (const more of [{ SETPOINT_TOKEN: token }, wrong, {}])
    for (const verb of ['inventory', 'drift', 'ledger']) await run([verb, '--server', server, '--json'], more);
}

async function recordFiles(folder: string, { record }: Outputs): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) record('files of .setpoint', await readFile(join(entry.parentPath, entry.name), 'latin1'));
}

/** Processes of ours in one folder, with one environment; all that they say is recorded. */
export interface Processes {
  /** Runs a verb to its end; its exit code is for nobody to judge here. */
  run(args: readonly string[], more?: NodeJS.ProcessEnv): Promise<{ readonly code: number; readonly stdout: string }>;
  /** Starts one that goes on. */
  start(args: readonly string[], more?: NodeJS.ProcessEnv): Serving;
}

export function processesIn(cwd: string, env: NodeJS.ProcessEnv, outputs: Outputs): Processes {
  const launch = (args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess =>
    spawn(process.execPath, [program, ...args], {
      cwd,
      env: { ...plain, ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    run: async (args, more) => {
      const child = launch(args, more);
      const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
      const [code] = await once(child, 'close');
      outputs.record(`stdout of setpoint ${args[0]}`, stdout());
      outputs.record(`stderr of setpoint ${args[0]}`, stderr());
      return { code: Number(code), stdout: stdout() };
    },
    start: (args, more) => {
      const child = launch(args, more);
      const said = [collected(child.stdout), collected(child.stderr)];
      const all = (): string => said.map((part) => part()).join('\n');
      return {
        said: all,
        hasEnded: () => child.exitCode !== null,
        end: async () => {
          await stop(child);
          outputs.record(`the log of setpoint ${args[0]}`, all());
        },
      };
    },
  };
}

/** Nobody's own; what the clouds' libraries find in an environment is planted. */
const plain: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NO_COLOR: '1',
  SETPOINT_LOG: 'json',
  SETPOINT_LOG_LEVEL: 'debug',
  SETPOINT_DEBUG: '1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: canary('environment: the secret key of the process'),
  AWS_EC2_METADATA_DISABLED: 'true',
  SETPOINT_SECRET_GIT_TOKEN: canary('environment: a token for git'),
};

function collected(stream: NodeJS.ReadableStream | null): () => string {
  const parts: Buffer[] = [];
  stream?.on('data', (part: Buffer) => parts.push(part));
  return () => Buffer.concat(parts).toString('utf8');
}

/** A database and a Redis that let in whoever knows a canary, and nobody else. */
export interface Servers {
  readonly env: { readonly DATABASE_URL: string; readonly REDIS_URL: string };
  /** As `env`, with a password that is wrong. */
  readonly wrong: { readonly DATABASE_URL: string };
  /** Every row of every table of ours and of the queue's, and all that Redis holds. */
  record(outputs: Outputs): Promise<void>;
  close(): Promise<void>;
}

export async function startServers(folder: string): Promise<Servers> {
  const joined = await joinEmbedded({ folder: join(folder, 'pg'), create: true, onProgress: () => {} });
  if (joined === undefined) throw new Error('a database that was to be made was not');
  const { port, superuser, passwords, leave } = joined;
  const urlOf = (user: string, password: string): string =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
  const owner = new pg.Pool({ connectionString: urlOf(superuser, passwords.owner), max: 2 });
  owner.on('error', () => {});
  const password = canary('environment: the password of the database');
  await owner.query(`CREATE ROLE fleet LOGIN SUPERUSER PASSWORD ${pg.escapeLiteral(password)}`);
  const redisPassword = canary('environment: the password of Redis');
  const redis = await startRedis({ args: ['--requirepass', redisPassword, '--maxmemory-policy', 'noeviction'] });
  const redisUrl = redis.url.replace('redis://', `redis://:${redisPassword}@`);
  return {
    env: { DATABASE_URL: urlOf('fleet', password), REDIS_URL: redisUrl },
    wrong: { DATABASE_URL: urlOf('fleet', canary('environment: a wrong password of the database')) },
    record: async (outputs) => {
      await recordTables(owner, outputs);
      outputs.record('Redis', await redisWords(redisUrl));
    },
    close: async () => {
      await owner.end();
      await redis.stop();
      await leave();
    },
  };
}

async function recordTables(owner: pg.Pool, outputs: Outputs): Promise<void> {
  const { rows } = await owner.query(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
  );
  for (const { name } of rows) {
    const held = await owner.query(`SELECT t::text AS row FROM ${name} t`);
    outputs.record(`the table ${name}`, held.rows.map(({ row }) => String(row)).join('\n'));
  }
}
