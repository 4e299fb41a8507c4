import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { z } from 'zod';
import { redisMissing, startRedis } from '../test/support/redis.ts';
import type { Figure } from './figure.ts';
import { startSandboxProcess } from './processes/sandbox.ts';
import { environment } from './processes/setpoint.ts';

/** A budget as its cloud counts it, told here apart from the product's own tables. */
export interface RateLimit {
  readonly name: string;
  readonly missingNetwork: MissingNetwork;
  /** As the sandbox's log calls it. */
  readonly action: string;
  /** The number of requests that a full budget admits in so many seconds. */
  available(seconds: number): number;
}

export const rateLimits: readonly RateLimit[] = [
  {
    name: 'ec2',
    missingNetwork: { cloud: 'aws', account: '111122223333', region: 'eu-west-1', network: 'vpc-00000000000000000' },
    action: 'DescribeVpcs',
    // https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html: 100, and 20 a second
    available: (seconds) => 100 + 20 * seconds,
  },
  {
    name: 'gcp',
    missingNetwork: {
      cloud: 'gcp',
      account: 'acme-prod',
      region: 'europe-west1',
      network: 'projects/acme-prod/global/networks/nowhere#1',
    },
    action: 'compute.networks.get',
    // https://docs.cloud.google.com/compute/api-quota: 1500 a minute
    available: (seconds) => 1500 * Math.ceil(seconds / 60),
  },
];

const workers = 8;

export interface Setting {
  readonly seconds: number;
  /** True if the workers share their budgets. Without that the figures must be missed. */
  readonly shared: boolean;
  /** `ec2`, a bucket; `gcp`, a window; default both. */
  readonly on?: readonly string[];
}

/**
 * Eight workers, each for an estate of its own, in one account and region, with more to ask than its budget allows. Asked: the
 * cloud refuses nothing, at most 5% of the budget stays unused, and no estate gets less than half of an equal share.
 */
export async function fleetBudget({ seconds, shared, on = ['ec2', 'gcp'] }: Setting): Promise<readonly Figure[]> {
  const missing = redisMissing();
  if (missing !== undefined) throw new Error(missing);
  const figures: Figure[] = [];
  for (const rateLimit of rateLimits.filter(({ name }) => on.includes(name)))
    figures.push(...(await spent(rateLimit, { seconds, shared })));
  return figures;
}

/** `--seconds 60`: for how long there is work. */
export const fleetBudgetAsked = (args: readonly string[]): Promise<readonly Figure[]> => {
  const at = args.indexOf('--seconds');
  return fleetBudget({ seconds: at < 0 ? 60 : Number(args[at + 1]), shared: true });
};

async function spent(rateLimit: RateLimit, { seconds, shared }: Setting): Promise<readonly Figure[]> {
  const redis = await startRedis();
  const sandbox = await startSandboxProcess().catch(async (error) => {
    await redis.stop();
    throw error;
  });
  try {
    console.error(`fleet-budget: ${workers} workers at ${rateLimit.name} for ${seconds} s`);
    const tasks = Array.from({ length: workers }, (_, i) => ({
      missingNetwork: rateLimit.missingNetwork,
      url: sandbox.url,
      ...(shared ? { redis: redis.url } : {}),
      worker: `estate-${i + 1}`,
      seconds,
    }));
    const told = await runWorkers(tasks);
    await pause(100);
    return figuresOf(rateLimit, { seconds, told, log: await logOf(sandbox.url, rateLimit.action) });
  } finally {
    await sandbox.close();
    await redis.stop();
  }
}

interface Seen {
  readonly seconds: number;
  readonly told: readonly Told[];
  readonly log: Log;
}

function figuresOf({ name, available }: RateLimit, { seconds, told, log }: Seen): readonly Figure[] {
  const letGo = told.map((one) => one.letGo);
  const refused = refusedIn(log);
  const sum = letGo.reduce((all, each) => all + each, 0);
  if (sum !== log.length) throw new Error(`the workers let ${sum} requests go, and the cloud saw ${log.length}`);
  const used = (100 * (log.length - refused)) / available(seconds);
  const least = (100 * Math.min(...letGo)) / (sum / letGo.length);
  console.error(`fleet-budget: ${name}: ${letGo.join(' + ')} of ${available(seconds)}, ${refused} refused`);
  return [
    { name: `fleet-budget-${name}-over`, value: refused, unit: 'requests', floor: 0 },
    { name: `fleet-budget-${name}-unused`, value: Math.max(0, 100 - used), unit: '% of the budget', floor: 0 },
    { name: `fleet-budget-${name}-behind`, value: 100 - least, unit: '% of an equal share, the last estate', floor: 0 },
    { name: `fleet-budget-${name}-stood`, value: Math.max(...told.map(({ stoodMs }) => Math.round(stoodMs))), unit },
  ];
}

/** Budgets hold back for requests that are a second late: what is over where somebody stood still for longer is the machine's. */
const unit = 'ms that a worker stood still at most';

export type Log = z.infer<typeof entries>['entries'];

export const refusedIn = (log: Log): number => log.filter(({ status }) => status === 403 || status === 503).length;

const entries = z.object({ entries: z.array(z.object({ status: z.number() })) });

export async function logOf(url: string, action: string): Promise<Log> {
  const answer = await fetch(new URL('/_sandbox/log', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: { action } }),
  });
  return entries.parse(await answer.json()).entries;
}

/** A network that does not exist, in one account and region. One call looks for it. */
export interface MissingNetwork {
  readonly cloud: 'aws' | 'gcp';
  readonly account: string;
  readonly region: string;
  readonly network: string;
}

/**
 * The work of one worker. `redis`, `postgres`: workers share their budgets there; without either each keeps budgets of its own.
 * `calls`: the worker is idle after so many; absent: it never is.
 */
export interface Task {
  readonly missingNetwork: MissingNetwork;
  readonly url: string;
  readonly redis?: string;
  readonly postgres?: pg.ClientConfig;
  readonly calls?: number;
  readonly worker: string;
  readonly seconds: number;
}

/** `letGo`: how many requests it let go; `stoodMs`: for how long it stood still at most. */
export type Told = z.infer<typeof told>;

/** Runs a process for each task; they begin together. */
export async function runWorkers(tasks: readonly Task[]): Promise<readonly Told[]> {
  const processes = tasks.map(startWorker);
  try {
    await Promise.all(processes.map(({ ready }) => ready));
    for (const { child } of processes) child.stdin?.write('go\n');
    return await Promise.all(processes.map(({ done }) => done));
  } finally {
    for (const { child } of processes) child.kill('SIGKILL');
  }
}

const program = fileURLToPath(new URL('./fleet-budget/spender.ts', import.meta.url));

interface WorkerProcess {
  readonly child: ChildProcess;
  readonly ready: Promise<unknown>;
  readonly done: Promise<Told>;
}

function startWorker(task: Task): WorkerProcess {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('a worker has no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ready = lines.next();
  const done = (async () => {
    await ready;
    const line = await lines.next();
    if (line.done) throw new Error(`${task.worker} ended without telling what it did`);
    if (child.exitCode === null) await once(child, 'exit');
    return told.parse(JSON.parse(line.value));
  })();
  return { child, ready, done };
}

const told = z.object({ letGo: z.number(), stoodMs: z.number() });
