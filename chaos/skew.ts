import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import { type Fleet, withFleet } from './fleet.ts';
import { censusIn, type Places, standingIn, until, violationsIn, watchTwins } from './fleet-census.ts';
import { estateOf } from './fleet-specs.ts';
import { violationsFigure } from './violations.ts';

const account = '111122223333';
const regions = ['eu-west-1', 'eu-central-1', 'us-east-1'] as const;
const places = { account, regions };
const aheadMs = [[-200_000], [200_000], [-200_000], [200_000]];

/** The resources that the specs ask for in each region. */
interface Wanted {
  readonly lab: boolean;
  readonly replicas: number;
}

/**
 * First `fastClock`, with listings that miss objects for `--hidden-ms` (30 s). Then workers whose clocks are up to 400 s apart create and
 * delete networks with their gateways and machines, `--times` (3) over. Listings lag by `--lag-ms` (30 s) and flicker, and the first answer
 * to each of `--lost` is lost. The worker that lost an answer is killed, so that a worker with another clock goes on. No network,
 * gateway, subnet or machine may stand twice, none may be forgotten, and no chain of the ledger may go back in time.
 */
export async function skew(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      times: { type: 'string', default: '3' },
      'hidden-ms': { type: 'string', default: '30000' },
      'lag-ms': { type: 'string', default: '30000' },
      lost: { type: 'string', default: 'CreateVpc,CreateInternetGateway,CreateSubnet,RunInstances,TerminateInstances' },
    },
  });
  const times = Number(values.times);
  const began = performance.now();
  const early = await fastClock(Number(values['hidden-ms']));
  console.error(
    `skew: clocks ahead took over from clocks behind: ${early.length} violations after ${secondsSince(began)} s`,
  );
  const disturbance = { lagMs: Number(values['lag-ms']), lost: values.lost.split(',') };
  const violations = [...early, ...(times > 0 ? await mixed(times, disturbance) : [])];
  return [violationsFigure('skew', violations)];
}

/** Fast and slow clocks side by side: the violations. */
function mixed(times: number, disturbance: Disturbance): Promise<readonly string[]> {
  let wanted: Wanted = { lab: false, replicas: 2 };
  const specs = (endpoint: string): string => specsOf(endpoint, wanted);
  return withFleet({ count: aheadMs.length, specs, aheadMs }, async (fleet) => {
    const watch = watchTwins(fleet, places);
    for (let time = 0; time < times; time += 1) {
      if (time > 0) {
        wanted = { lab: time % 2 === 1, replicas: time % 2 === 1 ? 3 : 2 };
        await fleet.want(specs(fleet.sandbox.url));
      }
      const from = performance.now();
      await disturb(fleet, disturbance);
      await until(
        () => isWhole(fleet, wanted),
        () => `${JSON.stringify(wanted)}: ${censusIn(fleet, places).join('; ')}`,
        fleet,
      );
      console.error(`skew: ${JSON.stringify(wanted)} after ${secondsSince(from)} s`);
    }
    return [...watch.end(), ...(await violationsIn(fleet, places))];
  });
}

const secondsSince = (from: number): string => ((performance.now() - from) / 1000).toFixed(1);

function specsOf(endpoint: string, { lab, replicas }: Wanted): string {
  const targets = regions.map(
    (region) =>
      `kind: Target\nmetadata: { name: ${region} }\nspec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${endpoint}", minReady: 0 }`,
  );
  const network = (name: string, cidr: string): string =>
    `kind: Network\nmetadata: { name: ${name} }\nspec: { targets: [${regions.join(', ')}], cidr: ${cidr}.0.0/16, internet: true, deletionPolicy: delete, subnets: [{ name: app, cidr: ${cidr}.1.0/24 }] }`;
  const machines = (name: string, count: number): string =>
    `kind: Instance\nmetadata: { name: ${name} }\nspec: { targets: [${regions.join(', ')}], replicas: ${count}, network: ${name}, subnet: app, deletionPolicy: delete, image: ami-0abc0abc0abc0abc0, size: t3.small }`;
  return [
    estateOf(),
    ...targets,
    network('core', '10.20'),
    machines('core', replicas),
    ...(lab ? [network('lab', '10.30'), machines('lab', 1)] : []),
  ]
    .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
    .join('---\n');
}

interface Disturbance {
  readonly lagMs: number;
  /** The action that loses its first answer in each region. */
  readonly lost: readonly string[];
}

/** Listings lag, and the first call of each kind in each region is not answered though it happened: its worker is killed. */
async function disturb({ sandbox, workers, servers }: Fleet, { lagMs, lost }: Disturbance): Promise<void> {
  const { lag, faults, log, clock } = sandbox.control;
  lag.set({ ms: lagMs, sight: 0.4 });
  faults.clear();
  for (const region of regions)
    for (const action of lost) faults.add({ match: { action, region, times: 1 }, effect: { kind: 'reset-after' } });
  let at = clock.now();
  for (const end = performance.now() + 2 * lagMs; performance.now() < end; await sleep(50)) {
    const cut = log.entries({ mutating: true }).find(({ time, status }) => time > at && status === 0);
    if (cut === undefined) continue;
    at = clock.now();
    const row = await servers.ask('SELECT holder FROM setpoint.leases WHERE scope = $1', [
      `aws/${account}/${cut.region}`,
    ]);
    const pid = workers.pids().find((one) => String(row?.['holder'] ?? '').includes(String(one)));
    if (pid === undefined) continue;
    console.error(`skew: ${cut.action} in ${cut.region} was lost by a clock ${workers.aheadOf(pid)} ms ahead`);
    workers.kill(pid);
  }
  lag.set({ ms: 0 });
  faults.clear();
}

const countOf = ({ lab, replicas }: Wanted): number => (lab ? 2 : 1) * 3 + replicas + (lab ? 1 : 0);

function isWhole(fleet: Fleet, wanted: Wanted): boolean {
  return regions.every((region) => standingIn(fleet, account, region).length === countOf(wanted));
}

/** A creation whose answer is lost, and the listing that then misses it. Each has a region of its own. */
interface Case {
  readonly region: string;
  readonly create: string;
  readonly list: string;
  readonly internet: boolean;
  readonly replicas: number;
}

const cases: readonly Case[] = [
  {
    region: 'eu-west-1',
    create: 'CreateInternetGateway',
    list: 'DescribeInternetGateways',
    internet: true,
    replicas: 0,
  },
  { region: 'eu-central-1', create: 'CreateVpc', list: 'DescribeVpcs', internet: false, replicas: 0 },
  { region: 'us-east-1', create: 'RunInstances', list: 'DescribeInstances', internet: false, replicas: 2 },
];
const fastClockPlaces: Places = { account: '111122223333', regions: cases.map(({ region }) => region) };

/** The windows are 300 s and 330 s long: each of these clocks is further from the store's. */
const slowMs = -400_000;
const fastMs = 400_000;

/**
 * Two workers whose clocks are behind the store's make networks, a gateway and machines. In each region the answer to one creation is
 * lost, and from then on listings miss all objects of that kind. Both workers are killed. Their successors, whose clocks are ahead, take
 * over and look for `hiddenMs`; then the listings are whole again. Returns the violations: no object may stand twice, no
 * object may be forgotten, and no chain of the ledger may go back in time.
 */
function fastClock(hiddenMs: number): Promise<readonly string[]> {
  const clocks = [slowMs, fastMs];
  return withFleet({ count: 2, specs: (url) => fastClockSpecs(url, []), aheadMs: [clocks, clocks] }, async (fleet) => {
    const watch = watchTwins(fleet, fastClockPlaces);
    await loseAnswers(fleet);
    const lookedFrom = fleet.sandbox.control.clock.now();
    for (const pid of fleet.workers.pids()) fleet.workers.kill(pid);
    await until(
      () => cases.every((one) => looks(fleet, one, lookedFrom) > 0),
      () => 'no successor looked',
      fleet,
    );
    await sleep(hiddenMs);
    fleet.sandbox.control.faults.clear();
    await until(
      () => cases.every((one) => standingIn(fleet, fastClockPlaces.account, one.region).length >= resourceCount(one)),
      () => censusIn(fleet, fastClockPlaces).join('; '),
      fleet,
    );
    return [...watch.end(), ...(await violationsIn(fleet, fastClockPlaces))];
  });
}

/** Until the cloud has carried out each creation and cut its answer. */
async function loseAnswers(fleet: Fleet): Promise<void> {
  const { faults, log } = fleet.sandbox.control;
  for (const { region, create, list } of cases) {
    faults.add({ match: { action: create, region, times: 1 }, effect: { kind: 'reset-after' } });
    faults.add({ match: { action: list, region }, effect: { kind: 'flicker', share: 1 } });
  }
  await fleet.want(fastClockSpecs(fleet.sandbox.url, cases));
  const isLost = ({ region, create }: Case): boolean =>
    log.entries({ action: create, region }).some(({ status, applied }) => status === 0 && applied);
  await until(
    () => cases.every(isLost),
    () => `not every creation was lost: ${censusIn(fleet, fastClockPlaces).join('; ')}`,
    fleet,
  );
}

const looks = ({ sandbox }: Fleet, { region, list }: Case, from: number): number =>
  sandbox.control.log.entries({ action: list, region }).filter(({ time }) => time > from).length;

const resourceCount = ({ internet, replicas }: Case): number => 2 + (internet ? 1 : 0) + replicas;

function fastClockSpecs(endpoint: string, wanted: readonly Case[]): string {
  const targets = cases.map(
    ({ region }) =>
      `kind: Target\nmetadata: { name: ${region} }\nspec: { provider: aws, account: "${fastClockPlaces.account}", region: ${region}, endpoint: "${endpoint}", minReady: 0 }`,
  );
  const documents = wanted.flatMap(({ region, internet, replicas }) => [
    `kind: Network\nmetadata: { name: ${region} }\nspec: { targets: [${region}], cidr: 10.20.0.0/16, internet: ${internet}, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }`,
    `kind: Instance\nmetadata: { name: in-${region} }\nspec: { targets: [${region}], replicas: ${replicas}, network: ${region}, subnet: app, image: ami-0abc0abc0abc0abc0, size: t3.small }`,
  ]);
  return [estateOf(), ...targets, ...documents].map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`).join('---\n');
}
