import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import { type Fleet, withFleet } from './fleet/fleet.ts';

const account = '111122223333';
const regions = ['eu-west-1', 'eu-central-1', 'us-east-1'] as const;
const aheadMs = [-200_000, 200_000, -200_000, 200_000];
const longestMs = 480_000;

/** The resources that the specs ask for in each region. */
interface Wanted {
  readonly lab: boolean;
  readonly replicas: number;
}

/**
 * Workers whose clocks are up to 400 s apart create and delete networks with their gateways and machines, `--times` (3) over, while
 * listings lag by `--lag-ms` (30 s) and flicker, and the first answer to each of `--lost` is lost. Who lost an answer is killed, so that a worker
 * with another clock goes on. No network, gateway, subnet or machine may stand twice, none that stands may be forgotten, and no
 * chain of the ledger may go back in time.
 */
export async function skew(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      times: { type: 'string', default: '3' },
      'lag-ms': { type: 'string', default: '30000' },
      lost: { type: 'string', default: 'CreateVpc,CreateInternetGateway,CreateSubnet,RunInstances,TerminateInstances' },
    },
  });
  let wanted: Wanted = { lab: false, replicas: 2 };
  const specs = (endpoint: string): string => specsOf(endpoint, wanted);
  return withFleet({ count: aheadMs.length, specs, aheadMs }, async (fleet) => {
    const violations: string[] = [];
    const watch = watchTwins(fleet);
    for (let time = 0; time < Number(values.times); time += 1) {
      if (time > 0) {
        wanted = { lab: time % 2 === 1, replicas: time % 2 === 1 ? 3 : 2 };
        await fleet.want(specs(fleet.sandbox.url));
      }
      const from = performance.now();
      await disturb(fleet, { lagMs: Number(values['lag-ms']), lost: values.lost.split(',') });
      await until(
        () => isWhole(fleet, wanted),
        () => `${JSON.stringify(wanted)}: ${census(fleet).join('; ')}`,
        fleet,
      );
      console.error(`skew: ${JSON.stringify(wanted)} after ${((performance.now() - from) / 1000).toFixed(1)} s`);
    }
    violations.push(
      ...watch.end(),
      ...(await forgotten(fleet)),
      ...(await backInTime(fleet)),
      ...(await fleet.verify()),
    );
    if (fleet.workers.fallen() > 0) violations.push(`${fleet.workers.fallen()} workers ended by themselves`);
    for (const violation of violations) console.error(`skew: ${violation}`);
    return [{ name: 'skew', value: violations.length, unit: 'violations', floor: 0 }];
  });
}

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
    'kind: Estate\nmetadata: { name: fleet }\nspec: { mode: enforce, limits: { deletes: 100000, replaces: 100000, creates: 100000, closures: 100000, share: 100% } }',
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
    console.error(
      `skew: ${cut.action} in ${cut.region} was lost by a clock ${aheadMs[workers.placeOf(pid) ?? 0]} ms ahead`,
    );
    workers.kill(pid);
  }
  lag.set({ ms: 0 });
  faults.clear();
}

/** The resources that truly stand in a region, as `kind address`. */
function standing({ sandbox }: Fleet, region: string): readonly Standing[] {
  const { vpcs, subnets, gateways, instances } = sandbox.control.ec2.region(account, region);
  const named =
    (kind: string) =>
    ({ id, tags, launch }: Tagged): Standing => {
      const first = tags.get('setpoint:first');
      const address = `${tags.get('setpoint:address') ?? id}${first === undefined ? '' : `-${Number(first) + (launch?.index ?? 0)}`}`;
      return { id, name: `${kind} ${address}` };
    };
  const up = [...instances.values()].filter(({ power }) => power.state === 'running' || power.state === 'pending');
  return [
    ...[...vpcs.values()].map(named('network')),
    ...[...subnets.values()].map(named('subnet')),
    ...[...gateways.values()].map(named('gateway')),
    ...up.map(named('machine')),
  ];
}

interface Tagged {
  readonly id: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly launch?: { readonly index: number };
}

interface Standing {
  readonly id: string;
  readonly name: string;
}

const twinsIn = (all: readonly Standing[]): readonly string[] =>
  [...Map.groupBy(all, ({ name }) => name)].flatMap(([name, these]) =>
    these.length > 1 ? [`${these.length} of ${name}: ${these.map(({ id }) => id).join(', ')}`] : [],
  );

const countOf = ({ lab, replicas }: Wanted): number => (lab ? 2 : 1) * 3 + replicas + (lab ? 1 : 0);

function isWhole(fleet: Fleet, wanted: Wanted): boolean {
  return regions.every((region) => standing(fleet, region).length === countOf(wanted));
}

const census = (fleet: Fleet): readonly string[] =>
  regions.map(
    (region) =>
      `${region}: ${standing(fleet, region)
        .map(({ name }) => name)
        .join(', ')}`,
  );

/** Looks all the time, so that a twin is found also where it is ended again. */
function watchTwins(fleet: Fleet): { end(): readonly string[] } {
  const found = new Set<string>();
  const look = (): void => {
    for (const region of regions) for (const twins of twinsIn(standing(fleet, region))) found.add(twins);
  };
  const timer = setInterval(look, 200);
  return {
    end: () => {
      clearInterval(timer);
      look();
      return [...found];
    },
  };
}

const knownMs = 120_000;

/** Objects that stand and that the store does not know for ours, also after the passes that look for lost ones. */
async function forgotten(fleet: Fleet): Promise<readonly string[]> {
  for (const end = performance.now() + knownMs; ; await sleep(1000)) {
    const unknown = await unknownTo(fleet);
    if (unknown.length === 0 || performance.now() > end) return unknown;
  }
}

async function unknownTo(fleet: Fleet): Promise<readonly string[]> {
  const row = await fleet.servers.ask(
    "SELECT array_agg(id) AS ids FROM setpoint.claims WHERE estate = 'fleet' AND ended_at IS NULL",
    [],
  );
  const known = new Set<unknown>(Array.isArray(row?.['ids']) ? row['ids'] : []);
  return regions
    .flatMap((region) => standing(fleet, region))
    .filter(({ id, name }) => !name.startsWith('gateway ') && !known.has(id))
    .map(({ id, name }) => `${name} (${id}) is not known to the store`);
}

async function backInTime({ servers }: Fleet): Promise<readonly string[]> {
  const row = await servers.ask(
    "SELECT count(*)::int AS count FROM (SELECT at, lag(at) OVER (PARTITION BY chain ORDER BY number) AS former FROM setpoint.ledger WHERE estate = 'fleet') AS entries WHERE at < former",
    [],
  );
  return row?.['count'] === 0
    ? []
    : [`${row?.['count']} entries of the ledger are dated before the one that they follow`];
}

async function until(isSo: () => boolean, otherwise: () => string, { workers }: Fleet): Promise<void> {
  for (const end = performance.now() + longestMs; !isSo(); await sleep(100)) {
    if (performance.now() > end) throw new Error(`not whole within ${longestMs / 1000} s: ${otherwise()}`);
    if (workers.pids().length === 0) throw new Error('no worker is left');
  }
}
