import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import { censusOf, differences } from './census.ts';
import { type Fleet, withFleet } from './fleet.ts';
import { estateOf } from './fleet-specs.ts';
import { type TrialCloud, trialClouds } from './specs.ts';
import { violationsFigure } from './violations.ts';

/**
 * Workers killed at random while an estate on three clouds keeps changing: `--kills` (200) of four workers over `--resources`
 * (2000). Then it is left alone: it must come to what the specs say, with nothing double, lost or left, whole in its ledger,
 * and be quiet. `value`: objects too many and too few, and calls of the quiet passes.
 */
export async function random(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '200' }, resources: { type: 'string', default: '2000' } },
  });
  const [kills, resources] = [Number(values.kills), Number(values.resources)];
  const size = sizeFor(resources);
  console.error(`random: ${countOf(size)} resources`);
  return withFleet({ count: 4, specs: (endpoint) => bigEstate(endpoint, size, 0) }, async (fleet) => {
    const turn = await killAtRandom(fleet, size, kills);
    const from = performance.now();
    const left = await comesToRest(fleet, size, turn);
    const restedMs = performance.now() - from;
    const writes = await writesOfQuietReconciles(fleet);
    const violations = [
      ...left,
      ...(await fleet.verify()),
      ...Array.from({ length: writes }, () => 'a quiet pass sent a call that writes'),
      ...fleet.workers.fallen(),
    ];
    if (violations.length > 0) console.error(`${fleet.workers.said()}\n${(await fleet.run(['status'])).stdout}`);
    return [
      violationsFigure('random-kills', violations),
      { name: 'random-kills-rest', value: Math.round(restedMs / 1000), unit: 's' },
    ];
  });
}

/** Mostly rules, a group for ten of them, and a machine for each five. */
function sizeFor(resources: number): Size {
  const perCloud = resources / trialClouds.length;
  const machines = Math.max(4, Math.round(perCloud / 12));
  const groups = Math.max(2, Math.round((perCloud - machines) / 11));
  return { groups, rules: 10, machines };
}

const changeEvery = 5;

/** One of them every two seconds or so; after some the specs ask for something else. Returns what they asked for last. */
async function killAtRandom(fleet: Fleet, size: Size, kills: number): Promise<number> {
  const { workers, sandbox } = fleet;
  let turn = 0;
  await sleep(5000);
  for (let killed = 0; killed < kills; ) {
    await sleep(500 + Math.random() * 3000);
    const pids = workers.pids();
    const pid = pids[Math.floor(Math.random() * pids.length)];
    if (pid === undefined || !workers.kill(pid)) continue;
    killed += 1;
    if (killed % changeEvery === 0) {
      turn += 1;
      await fleet.want(bigEstate(sandbox.url, size, turn));
      console.error(`random: ${killed} killed`);
    }
  }
  return turn;
}

const longestMs = 900_000;

/** The lines still too many or too few once nothing changes any more; none where the account is whole. */
async function comesToRest({ sandbox }: Fleet, size: Size, turn: number): Promise<readonly string[]> {
  const wrong = (): readonly string[] =>
    trialClouds.flatMap((cloud) =>
      differences(censusOf(cloud, sandbox.control), bigCensus(cloud, size, turn)).map((line) => `${cloud} ${line}`),
    );
  for (const until = performance.now() + longestMs; performance.now() < until; await sleep(1000))
    if (wrong().length === 0) return [];
  return wrong();
}

/** Two rounds of periodic passes. */
const quietMs = 70_000;

/** Work begun before the quiet ends within so long, even on a machine with too much to do. */
const endsInMs = 10_000;
const longestEndMs = 180_000;

async function writesOfQuietReconciles({ sandbox }: Fleet): Promise<number> {
  const { log } = sandbox.control;
  const writes = (): number => log.entries({ mutating: true }).length;
  const writesIn = async (ms: number): Promise<number> => {
    const before = writes();
    await sleep(ms);
    return writes() - before;
  };
  for (const until = performance.now() + longestEndMs; performance.now() < until; )
    if ((await writesIn(endsInMs)) === 0) break;
  return writesIn(quietMs);
}

/** All that a cloud holds when the specs of big-estate.ts stand there whole: lines as judge/census.ts writes them. */
function bigCensus(cloud: TrialCloud, size: Size, turn: number): readonly string[] {
  return tables[cloud]({
    port: portAt(turn),
    machines: numbered(machinesAt(size, turn)).map((n) => `m-${n}`),
    groups: numbered(size.groups),
    rules: numbered(size.rules),
  });
}

const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

interface Whole {
  readonly port: number;
  readonly machines: readonly string[];
  readonly groups: readonly number[];
  /** Of each group. */
  readonly rules: readonly number[];
}

const aws = ({ port, machines, groups, rules }: Whole): readonly string[] => [
  'vpc big 10.20.0.0/16 env=prod',
  'table of big: 10.20.0.0/16; main',
  'subnet big-app 10.20.0.0/20 of big',
  'group default of big',
  'rule default of big from default of big all',
  'rule default of big to 0.0.0.0/0 all',
  ...['all', ...groups.map((n) => `g${n}`)].flatMap((group) => [
    `group big-${group} of big`,
    `rule big-${group} of big to 0.0.0.0/0 all`,
  ]),
  ...groups.flatMap((group) => rules.map((n) => `rule big-g${group} of big from 198.18.${n}.0/24 tcp ${port}-${port}`)),
  ...machines.flatMap((name) => [
    `machine ${name} t3.small ami-0abcdef1234567890 running tier=app`,
    `volume of ${name}`,
    `interface of ${name}`,
  ]),
];

const gcp = ({ port, machines, groups, rules }: Whole): readonly string[] => [
  'network big',
  'subnet big-app 10.20.0.0/20 of big',
  'route 10.20.0.0/20 of big',
  ...groups.flatMap((group) =>
    rules.map(
      (n) => `rule big-r${group}-${n} of big INGRESS allow tcp ${port} 198.18.${n}.0/24 - - big-g${group} at 1000`,
    ),
  ),
  ...machines.flatMap((name) => [
    `machine ${name} e2-small RUNNING tier=app`,
    `disk ${name} of ${name} from debian-cloud`,
  ]),
];

const azure = ({ port, machines, groups, rules }: Whole): readonly string[] => [
  'resource group acme-prod',
  'network big 10.20.0.0/16 env=prod',
  'subnet app 10.20.0.0/20 of big behind big-nsg',
  'rules big-nsg',
  'rule default-ingress of big-nsg Inbound Deny * * from VirtualNetwork to *',
  'group big-all',
  ...groups.map((group) => `group big-g${group}`),
  ...groups.flatMap((group) =>
    rules.map((n) => `rule r${group}-${n} of big-nsg Inbound Allow Tcp ${port} from 198.18.${n}.0/24 to big-g${group}`),
  ),
  ...machines.flatMap((name) => [
    `machine ${name} Standard_B1ms Debian running tier=app`,
    `interface ${name}-nic of ${name}`,
    `disk ${name}-disk of ${name}`,
  ]),
];

const tables: Readonly<Record<TrialCloud, (whole: Whole) => readonly string[]>> = { aws, gcp, azure };

/** The size of an estate: a rule's port and the number of machines change with the turn. */
interface Size {
  /** In each cloud. */
  readonly groups: number;
  /** For each group. */
  readonly rules: number;
  readonly machines: number;
}

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

const places: Readonly<Record<TrialCloud, readonly [place: string, machine: string]>> = {
  aws: ['account: "111122223333", region: eu-west-1', 'image: ami-0abcdef1234567890, size: t3.small'],
  gcp: [
    'account: acme-prod, region: europe-west1, zone: europe-west1-b',
    'image: projects/debian-cloud/global/images/family/debian-12, size: e2-small',
  ],
  azure: [
    'account: 11112222-3333-4444-8555-666677778888, region: westeurope, resourceGroup: acme-prod',
    'image: "Debian:debian-12:12-gen2:latest", size: Standard_B1ms',
  ],
};

/** Of three in turn: what killed workers left behind is not to fill a group, which EC2 lets hold 60 rules. */
const portAt = (turn: number): number => 8000 + (turn % 3);
const machinesAt = ({ machines }: Size, turn: number): number =>
  machines - (turn % 2 === 0 ? 0 : Math.ceil(machines / 10));
const each = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** One estate on three clouds. */
function bigEstate(endpoint: string, size: Size, turn: number): string {
  const targets = trialClouds.map(
    (cloud) =>
      `kind: Target\nmetadata: { name: ${cloud} }\nspec: { provider: ${cloud}, ${places[cloud][0]}, endpoint: "${endpoint}", minReady: 0 }`,
  );
  const rules = each(size.groups, (group) =>
    each(
      size.rules,
      (rule) =>
        `kind: FirewallRule\nmetadata: { name: r${group}-${rule} }\nspec: { network: big, protocol: tcp, ports: [${portAt(turn)}], group: g${group}, peers: { cidrs: [198.18.${rule}.0/24] } }`,
    ),
  ).flat();
  const on = trialClouds.map((cloud) => `${cloud}: { ${places[cloud][1]} }`).join(', ');
  return [
    estateOf(),
    ...targets,
    `kind: Network\nmetadata: { name: big, labels: { env: prod } }\nspec: { targets: [${trialClouds}], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.0.0/20 }] }`,
    ...rules,
    `kind: Instance\nmetadata: { name: m, labels: { tier: app } }\nspec: { targets: [${trialClouds}], replicas: ${machinesAt(size, turn)}, deletionPolicy: delete, network: big, subnet: app, groups: [g0], access: { user: ops, sshKeys: ["${key}"] }, on: { ${on} } }`,
  ]
    .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
    .join('---\n');
}

/** The number of resources that the specs name on all clouds, without the clouds' own additions. */
const countOf = ({ groups, rules, machines }: Size): number =>
  trialClouds.length * (2 + groups * (rules + 1) + machines);
