import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { SpecFile } from '../src/source/tree.ts';
import { armEstate } from './estate/arm.ts';
import { computeEstate } from './estate/compute.ts';
import { unowned } from './estate/unowned.ts';
import type { Figure } from './figure.ts';
import { type Command, runToEnd } from './processes/measured.ts';
import { type SandboxProcess, startSandboxProcess } from './processes/sandbox.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';
import { environment, expectCode, program } from './processes/setpoint.ts';

/**
 * `setpoint plan` of one small target, without a store, against a bare script that makes the same calls through the same
 * SDK: whole processes, run in turn, `--rounds` (15) times each, for each `--cloud` (all). The ratio is of the medians,
 * as both suffer alike from what else the machine does; least times are told on stderr. Asked: at most 1.5.
 *
 * Ours keeps its compiled code between runs, as it does for every user; a script does not, unless somebody says so. What the
 * ratio would be to one that does is told on stderr.
 */
export async function coldPlan(args: readonly string[] = [], bareOf = bareScript): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string', default: '15' }, cloud: { type: 'string', multiple: true } },
  });
  const asked = coldClouds.filter((cloud) => values.cloud?.includes(cloud) ?? true);
  if (asked.length === 0)
    throw new Error(`--cloud is one of ${coldClouds.join(', ')}, not ${values.cloud?.join(', ')}`);
  const sandbox = await startSandboxProcess();
  try {
    await sandbox.load(others);
    const figures: Figure[] = [];
    for (const cloud of asked)
      figures.push(await figureOf({ cloud, bare: bareOf(cloud) }, sandbox, Number(values.rounds)));
    return figures;
  } finally {
    await sandbox.close();
  }
}

/** Beside us, so that it finds the same packages. */
const bareScript = (cloud: ColdCloud): string =>
  fileURLToPath(new URL(`./cold-plan/bare-${cloud}.mjs`, import.meta.url));

interface Peers {
  readonly cloud: ColdCloud;
  /** The file of the bare script. */
  readonly bare: string;
}

const figureOf = ({ cloud, bare: script }: Peers, sandbox: SandboxProcess, rounds: number): Promise<Figure> =>
  inScratch(async (cwd) => {
    await writeFiles(join(cwd, 'specs'), smallTarget(cloud, sandbox.url));
    const plan = node(cwd, [program, 'plan', '--allow-endpoint']);
    const bare = node(cwd, [script, sandbox.url]);
    const cached = { ...bare, env: { ...bare.env, NODE_COMPILE_CACHE: join(cwd, 'cache') } };
    deepStrictEqual(await callsOf(plan, sandbox), await callsOf(bare, sandbox));
    const [ours, theirs, warm] = await timed([plan, bare, cached], rounds);
    if (!ours || !theirs || !warm) throw new Error('nothing was timed');
    const ratio = ours.median / theirs.median;
    console.error(
      `cold-plan-${cloud}: medians of ${rounds}: ${told(ours.median, theirs.median, warm.median)}; least: ${told(ours.least, theirs.least, warm.least)}`,
    );
    return {
      name: `cold-plan-${cloud}`,
      value: Math.round(ours.median),
      unit: 'ms',
      floor: Math.round(theirs.median),
      ratio,
    };
  });

const node = (cwd: string, args: readonly string[]): Command => {
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...env } = environment();
  return { program: process.execPath, args, cwd, env };
};

/** Its requests to the cloud, by action. Both must send the same, or they are no peers. */
async function callsOf(command: Command, sandbox: SandboxProcess): Promise<Readonly<Record<string, number>>> {
  await sandbox.takeCounts();
  const ended = expectCode({ ...(await runToEnd(command)), peakMB: Number.NaN }, 0, command.args.join(' '));
  console.error(`cold-plan: ${ended.stdout.split('\n')[0]}`);
  return sandbox.takeCounts();
}

const told = (ours: number, bare: number, warm: number): string =>
  `plan ${ours.toFixed(0)} ms, bare ${bare.toFixed(0)} ms (${(ours / bare).toFixed(2)} ×), bare with a warm compile cache ${warm.toFixed(0)} ms (${(ours / warm).toFixed(2)} ×)`;

/** A cloud that a cold plan is measured on. */
type ColdCloud = keyof typeof targets;

/** The accounts that a sandbox has by itself, and a machine that each knows. */
const targets = {
  aws: {
    place: 'account: "111122223333", region: eu-west-1',
    machine: 'image: ami-0abcdef1234567890, size: t3.small',
  },
  gcp: {
    place: 'account: acme-prod, region: europe-west1, zone: europe-west1-b',
    machine: 'image: projects/debian-cloud/global/images/family/debian-12, size: e2-small',
  },
  azure: {
    place: 'account: 11112222-3333-4444-8555-666677778888, region: westeurope, resourceGroup: acme-prod',
    machine: 'image: Debian:debian-12:12-gen2:latest, size: Standard_B1ms',
  },
} as const;

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

/** One target, one network with a subnet, a rule, and two machines. */
const smallTarget = (cloud: ColdCloud, endpoint: string): readonly SpecFile[] => [
  {
    path: 'estate.yaml',
    text: [
      'kind: Estate\nmetadata: { name: acme }\nspec: {}',
      `kind: Target\nmetadata: { name: prod }\nspec: { provider: ${cloud}, ${targets[cloud].place}, endpoint: "${endpoint}", minReady: 0 }`,
      'kind: Network\nmetadata: { name: core }\nspec: { targets: [prod], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }',
      'kind: FirewallRule\nmetadata: { name: https }\nspec: { network: core, protocol: tcp, ports: [443], group: web, peers: { cidrs: [0.0.0.0/0] } }',
      `kind: Instance\nmetadata: { name: web }\nspec: { targets: [prod], replicas: 2, network: core, subnet: app, groups: [web], access: { user: ops, sshKeys: ["${key}"] }, ${targets[cloud].machine} }`,
    ]
      .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
      .join('---\n'),
  },
];

const project = { networks: 1, subnetworks: 2, firewalls: 2, machines: 2 };
const subscription = { networks: 1, subnets: 2, rules: 2, groups: 1, machines: 2 };

/** Others' objects in the same accounts, a little of each kind. */
const others: readonly object[] = [
  { ...unowned('111122223333', 'eu-west-1') },
  { cloud: 'gcp', ...computeEstate('acme-prod', project) },
  {
    cloud: 'azure',
    ...armEstate({ subscription: '11112222-3333-4444-8555-666677778888', location: 'westeurope' }, subscription),
  },
];

const coldClouds = Object.keys(targets) as readonly ColdCloud[]; // why: `targets` has exactly these keys

/** Milliseconds that each run of a command took, from its start to its end. */
interface Timed {
  readonly least: number;
  readonly median: number;
}

/** Runs commands in turn, so many times each, after a round that is not counted: what can be warm is warm. */
export async function timed(commands: readonly Command[], rounds: number): Promise<readonly Timed[]> {
  const taken = commands.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, command] of commands.entries()) {
      const ms = await timeOf(command);
      if (round > 0) taken[index]?.push(ms);
    }
  return taken.map((all) => {
    const sorted = all.toSorted((a, b) => a - b);
    return { least: sorted[0] ?? Number.NaN, median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN };
  });
}

async function timeOf(command: Command): Promise<number> {
  const ended = await runToEnd(command);
  expectCode({ ...ended, peakMB: Number.NaN }, 0, command.args.join(' '));
  return ended.ms;
}
