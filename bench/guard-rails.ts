import { execFile } from 'node:child_process';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FaultRule } from '../sandbox/faults.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { makeRemote, type Remote } from '../scripts/demo/repository.ts';
import type { Figure } from './figure.ts';
import { inScratch } from './processes/scratch.ts';
import { type Serving, serve, until } from './processes/setpoint.ts';

const account = '111122223333';
const region = 'eu-west-1';

interface Estate {
  readonly rules?: number;
  readonly replicas?: number;
}

const price = { provider: 'aws', source: 'https://prices.example/', read: '2026-11-27' };

/** A machine costs 73 a month, and its disk 1. */
const prices = {
  currency: 'USD',
  prices: [
    { ...price, size: 't3.small', perHour: 0.1 },
    { ...price, diskType: 'gp3', perGbMonth: 0.1 },
  ],
};

/** Ten machines with their disks. */
const cost = { monthly: 740, currency: 'USD' };

/** An estate that heals by itself, with the usual limits and one on its cost: two machines and eight rules. */
export function specs(endpoint: string, { rules = 8, replicas = 2 }: Estate = {}): string {
  const disk = { size: 10, type: 'gp3' };
  const machine = { image: 'ami-0abcdef1234567890', size: 't3.small', disk, groups: ['web'] };
  const documents = [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', limits: { cost } } },
    { kind: 'Prices', metadata: { name: 'list' }, spec: prices },
    { kind: 'Target', metadata: { name: 'here' }, spec: { provider: 'aws', account, region, endpoint } },
    {
      kind: 'Network',
      metadata: { name: 'core' },
      spec: { targets: ['here'], cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.0.0/19' }] },
    },
    ...Array.from({ length: rules }, (_, n) => ({
      kind: 'FirewallRule',
      metadata: { name: `r${n}` },
      spec: { network: 'core', protocol: 'tcp', ports: [1000 + n], group: 'web', peers: { cidrs: ['192.0.2.0/24'] } },
    })),
    ...(replicas === 0
      ? []
      : [
          {
            kind: 'Instance',
            metadata: { name: 'web' },
            spec: { targets: ['here'], network: 'core', subnet: 'app', replicas, deletionPolicy: 'delete', ...machine },
          },
        ]),
  ];
  return documents.map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one })).join('\n---\n');
}

/** It has no answer for anything here, as nothing has an owner. */
const throwing = JSON.stringify({
  ...{ apiVersion: 'setpoint.dev/v1', kind: 'Policy', metadata: { name: 'throws' } },
  spec: {
    ...{ kinds: ['firewall-rule', 'instance'], mode: 'enforce' },
    rules: [{ name: 'owner', deny: "resource.owner == 'nobody'", message: 'State an owner.' }],
  },
});

/** One mistake. `commit` changes the checkout; `faults` are of the cloud's answers. */
export interface Mistake {
  readonly name: string;
  readonly commit?: (stage: Stage) => Promise<void>;
  readonly faults?: readonly FaultRule[];
}

const listing = 'DescribeInstances';

export const mistakes: readonly Mistake[] = [
  { name: 'an empty repository', commit: ({ checkout }) => rm(join(checkout, 'specs'), { recursive: true }) },
  {
    name: 'the wrong branch',
    commit: ({ checkout, sandbox }) =>
      writeFile(join(checkout, 'specs', 'all.yaml'), specs(sandbox.url, { rules: 0, replicas: 0 })),
  },
  {
    name: 'a renamed folder',
    commit: ({ checkout }) => rename(join(checkout, 'specs'), join(checkout, 'infra')),
  },
  {
    name: 'a file that cannot be read',
    commit: ({ checkout }) => writeFile(join(checkout, 'specs', 'more.yaml'), 'kind: [Network\n'),
  },
  {
    name: '3000 replicas',
    commit: ({ checkout, sandbox }) =>
      writeFile(join(checkout, 'specs', 'all.yaml'), specs(sandbox.url, { replicas: 3000 })),
  },
  {
    name: '40 replicas, above the limit on the cost',
    commit: ({ checkout, sandbox }) =>
      writeFile(join(checkout, 'specs', 'all.yaml'), specs(sandbox.url, { replicas: 40 })),
  },
  {
    name: 'a policy that throws',
    commit: async ({ checkout, sandbox }) => {
      await writeFile(join(checkout, 'specs', 'policy.yaml'), throwing);
      await writeFile(join(checkout, 'specs', 'all.yaml'), specs(sandbox.url, { rules: 9, replicas: 3 }));
    },
  },
  {
    name: 'a listing that answers empty',
    faults: [{ match: { action: listing }, effect: { kind: 'flicker', share: 1 } }],
  },
  {
    name: 'credentials that end in mid-page',
    faults: [
      { match: { action: listing }, effect: { kind: 'short-page', items: 1 } },
      {
        match: { action: listing, probability: 0.5 },
        effect: { kind: 'error', code: 'RequestExpired', status: 400, message: 'Request has expired.' },
      },
    ],
  },
];

export interface Stage {
  readonly sandbox: Sandbox;
  readonly checkout: string;
  readonly remote: Remote;
  readonly serving: Serving;
}

/**
 * Mistakes of people and clouds, each while `setpoint serve` follows a repository and heals: calls that delete, stop or launch
 * something, or machines and rules that came or went, over all of them. Nothing of it was meant. Asked: 0.
 */
export async function guardRails(chosen: readonly Mistake[] = mistakes): Promise<readonly Figure[]> {
  const sandbox = await startSandbox({ clock: { rate: 60 } });
  try {
    return await inScratch(async (folder) => {
      const checkout = join(folder, 'checkout');
      const remote = await makeRemote(checkout);
      await remote.push({ 'all.yaml': specs(sandbox.url) });
      const more = ['--repo', remote.url, '--allow-local-repo', '--poll', '1s', '--interval', '2s', '--no-listen'];
      const serving = serve(folder, more);
      try {
        const stage = { sandbox, checkout, remote, serving };
        await until(() => machines(sandbox) === 2, serving);
        let wrong = 0;
        for (const mistake of chosen) wrong += await made(mistake, stage);
        return [{ name: 'guard-rails', value: wrong, unit: `deletions and launches of ${chosen.length} mistakes` }];
      } finally {
        await serving.end();
      }
    });
  } finally {
    await sandbox.close();
  }
}

/** Machines that run, and rules that stand, by id. */
function standing({ control }: Sandbox): ReadonlySet<string> {
  const { instances, rules } = control.ec2.region(account, region);
  const running = [...instances.values()].filter(({ power }) => power.state === 'running');
  return new Set([...running, ...rules.values()].map(({ id }) => id));
}

const machines = ({ control }: Sandbox): number =>
  [...control.ec2.region(account, region).instances.values()].filter(({ power }) => power.state === 'running').length;

/** Looks that a worker takes after a mistake, the first of which may have begun before it. */
const looks = 4;

async function made({ name, commit, faults = [] }: Mistake, stage: Stage): Promise<number> {
  const { sandbox } = stage;
  const { log, faults: active } = sandbox.control;
  await settled(stage);
  const [before, stood] = [await head(stage), standing(sandbox)];
  log.clear();
  await commit?.(stage);
  if (commit !== undefined) await publish(stage, name);
  const ids = faults.map((fault) => active.add(fault));
  await settled(stage);
  const wrong = log.entries({ mutating: true }).filter(({ action }) => destructive.test(action));
  const moved = stood.symmetricDifference(standing(sandbox)).size;
  for (const id of ids) active.remove(id);
  if (commit !== undefined) await takeBack(stage, before);
  const calls = wrong.map(({ action }) => action).join(', ') || 'no call';
  process.stderr.write(`guard-rails: ${name}: ${calls}; ${moved} objects came or went\n`);
  return Math.max(wrong.length, moved);
}

const destructive = /^(?:Run|Terminate|Stop|Delete|Revoke|Detach|Disassociate|Release)/;

async function settled({ sandbox, serving }: Stage): Promise<void> {
  const { log } = sandbox.control;
  const from = log.entries({ action: listing }).length;
  await until(() => log.entries({ action: listing }).length >= from + looks, serving);
}

const run = promisify(execFile);

async function git({ checkout }: Stage, ...args: readonly string[]): Promise<string> {
  const person = ['-c', 'user.name=Kim', '-c', 'user.email=kim@acme.example', '-c', 'commit.gpgsign=false'];
  return (await run('git', ['-C', checkout, ...person, ...args])).stdout.trim();
}

const head = (stage: Stage): Promise<string> => git(stage, 'rev-parse', 'HEAD');

async function publish(stage: Stage, message: string): Promise<void> {
  await git(stage, 'add', '--all', '--', '.', ':!infra.git');
  await git(stage, 'commit', '--quiet', '--message', message);
  await git(stage, 'push', '--quiet', stage.remote.url, 'main');
}

async function takeBack(stage: Stage, to: string): Promise<void> {
  await git(stage, 'revert', '--no-edit', `${to}..HEAD`);
  await git(stage, 'push', '--quiet', stage.remote.url, 'main');
}
