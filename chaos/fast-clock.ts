import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, withFleet } from './fleet.ts';
import { censusIn, type Places, standingIn, until, violationsIn, watchTwins } from './fleet-census.ts';

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
const places: Places = { account: '111122223333', regions: cases.map(({ region }) => region) };

/** The windows are 300 s and 330 s long: each of these clocks is further from the store's. */
const behindMs = -400_000;
const aheadMs = 400_000;

/**
 * Two workers whose clocks are behind the store's make networks, a gateway and machines. In each region the answer to one creation is
 * lost, and from then on listings miss all objects of that kind. Both workers are killed. Their successors, whose clocks are ahead, take
 * over and look for `hiddenMs`; then the listings are whole again. Returns the violations: no object may stand twice, no
 * object may be forgotten, and no chain of the ledger may go back in time.
 */
export function fastClock(hiddenMs: number): Promise<readonly string[]> {
  const clocks = [behindMs, aheadMs];
  return withFleet({ count: 2, specs: (url) => specsOf(url, []), aheadMs: [clocks, clocks] }, async (fleet) => {
    const watch = watchTwins(fleet, places);
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
      () => cases.every((one) => standingIn(fleet, places.account, one.region).length >= countOf(one)),
      () => censusIn(fleet, places).join('; '),
      fleet,
    );
    return [...watch.end(), ...(await violationsIn(fleet, places))];
  });
}

/** Until the cloud has carried out each creation and cut its answer. */
async function loseAnswers(fleet: Fleet): Promise<void> {
  const { faults, log } = fleet.sandbox.control;
  for (const { region, create, list } of cases) {
    faults.add({ match: { action: create, region, times: 1 }, effect: { kind: 'reset-after' } });
    faults.add({ match: { action: list, region }, effect: { kind: 'flicker', share: 1 } });
  }
  await fleet.want(specsOf(fleet.sandbox.url, cases));
  const isLost = ({ region, create }: Case): boolean =>
    log.entries({ action: create, region }).some(({ status, applied }) => status === 0 && applied);
  await until(
    () => cases.every(isLost),
    () => `not every creation was lost: ${censusIn(fleet, places).join('; ')}`,
    fleet,
  );
}

const looks = ({ sandbox }: Fleet, { region, list }: Case, from: number): number =>
  sandbox.control.log.entries({ action: list, region }).filter(({ time }) => time > from).length;

const countOf = ({ internet, replicas }: Case): number => 2 + (internet ? 1 : 0) + replicas;

function specsOf(endpoint: string, wanted: readonly Case[]): string {
  const targets = cases.map(
    ({ region }) =>
      `kind: Target\nmetadata: { name: ${region} }\nspec: { provider: aws, account: "${places.account}", region: ${region}, endpoint: "${endpoint}", minReady: 0 }`,
  );
  const documents = wanted.flatMap(({ region, internet, replicas }) => [
    `kind: Network\nmetadata: { name: ${region} }\nspec: { targets: [${region}], cidr: 10.20.0.0/16, internet: ${internet}, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }`,
    `kind: Instance\nmetadata: { name: in-${region} }\nspec: { targets: [${region}], replicas: ${replicas}, network: ${region}, subnet: app, image: ami-0abc0abc0abc0abc0, size: t3.small }`,
  ]);
  return [
    'kind: Estate\nmetadata: { name: fleet }\nspec: { mode: enforce, limits: { deletes: 100000, replaces: 100000, creates: 100000, closures: 100000, share: 100% } }',
    ...targets,
    ...documents,
  ]
    .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
    .join('---\n');
}
