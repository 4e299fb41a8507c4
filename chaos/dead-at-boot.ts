import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import type { Image } from '../sandbox/ec2/records.ts';
import type { Logged } from '../sandbox/request-log.ts';
import { type Fleet, withFleet } from './fleet.ts';
import { violationsFigure } from './violations.ts';

const account = '111122223333';
const regions = ['eu-west-1', 'eu-central-1', 'us-east-1'] as const;
const good = 'ami-0abc0abc0abc0abc0';
const dead = 'ami-0dead0dead0dead00';
/** Promised for the first write of other documents. */
const promisedMs = 15_000;
const longestMs = 240_000;
/** Of a document, before nothing more is launched for it. */
const mostFailed = 3;
const mostCreates = 30;

/** Failures of machines of the image, each with the time until the fleet knows it. */
const troubles = {
  /** They end a few seconds after their launch. */
  dies: { broken: { diesAfterMs: 8_000 }, knownMs: longestMs },
  /** They run, and the cloud's own status check never passes. */
  impaired: { broken: 'impaired', knownMs: 1_500_000 },
} as const satisfies Readonly<Record<string, { readonly broken: Image['broken']; readonly knownMs: number }>>;

type Trouble = keyof typeof troubles;

interface Wanted {
  readonly port: number;
  /** Machines of the bad image. */
  readonly batch: number;
}

/**
 * The specs ask for machines of an image that kills them at boot, or of one whose status check never passes (`--only NAME`), in three
 * scopes, and for other changes beside. At most three machines of a document are launched, and never more than `limits.creates`; all
 * other documents converge, their first write in each scope within 15 s; the store, the ledger and `setpoint status` tell of the
 * failed births. Once the image is mended `setpoint resume` lets the document go on.
 */
export async function deadAtBoot(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, 'watch-ms': { type: 'string', default: '75000' } },
  });
  const names = (Object.keys(troubles) as readonly Trouble[]).filter((name) => (values.only ?? name) === name); // why: its own keys
  if (names.length === 0) throw new Error(`there is no ${values.only}; there are ${Object.keys(troubles).join(', ')}`);
  const violations: string[] = [];
  let slowestMs = 0;
  for (const name of names) {
    const trial = await withFleet(
      { count: 3, specs: (endpoint) => specsOf(endpoint, { port: 8000, batch: 0 }) },
      (fleet) => tried(name, fleet, Number(values['watch-ms'])),
    );
    violations.push(...trial.violations.map((violation) => `${name}: ${violation}`));
    slowestMs = Math.max(slowestMs, trial.firstMs);
  }
  return [
    violationsFigure('dead-at-boot', violations),
    { name: 'dead-at-boot-first-write', value: Math.round(slowestMs) / 1000, unit: 's' },
  ];
}

/** `firstMs`: from the new specs to the first write about another document in the scope that was slowest. */
interface Trial {
  readonly violations: readonly string[];
  readonly firstMs: number;
}

async function tried(name: Trouble, fleet: Fleet, watchMs: number): Promise<Trial> {
  const { sandbox, servers, workers } = fleet;
  const violations: string[] = [];
  breakImage(fleet, troubles[name].broken);
  await until(() => isDone(fleet, 8000), 'the healthy documents did not converge', fleet, longestMs);
  const from = sandbox.control.clock.now();
  await fleet.want(specsOf(sandbox.url, { port: 8001, batch: 4 }));
  await until(() => isDone(fleet, 8001), 'the other documents did not converge', fleet, longestMs);
  const firstMs = Math.max(...regions.map((region) => firstRuleWrite(fleet, region, from)));
  if (firstMs > promisedMs) violations.push(`the first write of another document came after ${firstMs} ms`);
  const failed = async (): Promise<number> =>
    Number(
      (await servers.ask('SELECT count(*)::int AS count FROM setpoint.births WHERE failed IS NOT NULL', []))?.['count'],
    );
  const known = name === 'dies' ? regions.length * mostFailed : regions.length;
  await untilAsync(
    async () => (await failed()) >= known,
    'the store does not know of failed births',
    troubles[name].knownMs,
  );
  await sleep(watchMs);
  violations.push(...tooMany(fleet), ...(await untold(fleet)));
  console.error(
    `dead-at-boot: ${name}: first write of others after ${firstMs} ms, ${await failed()} failed births, ${launched(fleet).length} launched`,
  );
  breakImage(fleet, undefined);
  const { code, stdout, stderr } = await fleet.run([
    'resume',
    fleet.dir,
    '--rollout-of',
    'all',
    '--reason',
    'the image is mended',
  ]);
  if (code !== 0) violations.push(`resume: ${stdout}${stderr}`);
  await until(
    () => regions.every((region) => up(fleet, region, dead) === 4),
    'the document did not go on',
    fleet,
    longestMs,
  );
  if (launched(fleet).length > mostCreates)
    violations.push(`${launched(fleet).length} machines were launched in a generation`);
  violations.push(...(await fleet.verify()));
  violations.push(...workers.fallen());
  return { violations, firstMs };
}

function specsOf(endpoint: string, { port, batch }: Wanted): string {
  const everywhere = `targets: [${regions.join(', ')}]`;
  const machines = (name: string, image: string, replicas: number): string =>
    `kind: Instance\nmetadata: { name: ${name} }\nspec: { ${everywhere}, replicas: ${replicas}, network: core, subnet: app, groups: [g0], image: ${image}, size: t3.small }`;
  return [
    `kind: Estate\nmetadata: { name: fleet }\nspec: { mode: enforce, limits: { deletes: 1000, replaces: 1000, creates: ${mostCreates}, closures: 1000, share: 100% } }`,
    ...regions.map(
      (region) =>
        `kind: Target\nmetadata: { name: ${region} }\nspec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${endpoint}", minReady: 1 }`,
    ),
    `kind: Network\nmetadata: { name: core }\nspec: { ${everywhere}, cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }`,
    ...[0, 1, 2, 3].map(
      (n) =>
        `kind: FirewallRule\nmetadata: { name: r${n} }\nspec: { network: core, protocol: tcp, ports: [${port}], group: g${n}, peers: { cidrs: [192.0.2.0/24] } }`,
    ),
    machines('web', good, 2),
    ...(batch === 0 ? [] : [machines('batch', dead, batch)]),
  ]
    .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
    .join('---\n');
}

/** The end of machines of the image from now on; undefined: none. */
function breakImage({ sandbox }: Fleet, broken: Image['broken']): void {
  for (const region of regions) {
    const { images } = sandbox.control.ec2.region(account, region);
    const like = images.get(good);
    if (like === undefined) throw new Error(`the sandbox has no image ${good}`);
    const { broken: _, ...sound } = like;
    images.put({ ...sound, id: dead, ...(broken === undefined ? {} : { broken }) });
  }
}

const regionOf = ({ sandbox }: Fleet, region: string) => sandbox.control.ec2.region(account, region);

function isDone(fleet: Fleet, port: number): boolean {
  return regions.every((region) => {
    const open = [...regionOf(fleet, region).rules.values()].filter(
      ({ egress, peer }) => !egress && peer.kind === 'ipv4',
    );
    return open.length === 4 && open.every(({ traffic }) => traffic.from === port) && up(fleet, region, good) === 2;
  });
}

const up = (fleet: Fleet, region: string, image: string): number =>
  [...regionOf(fleet, region).instances.values()].filter(
    ({ launch, power }) => launch.imageId === image && power.state === 'running',
  ).length;

/** Machines of the bad image, also those that have ended: the sandbox lists those for an hour. */
const launched = (fleet: Fleet): readonly string[] =>
  regions.flatMap((region) =>
    [...regionOf(fleet, region).instances.values()].filter(({ launch }) => launch.imageId === dead).map(() => region),
  );

const tooMany = (fleet: Fleet): readonly string[] =>
  [...Map.groupBy(launched(fleet), (region) => region)].flatMap(([region, these]) =>
    these.length > mostFailed ? [`${these.length} machines of the document were launched in ${region}`] : [],
  );

/** When the first rule was written; 0 where none had to be. */
function firstRuleWrite({ sandbox }: Fleet, region: string, from: number): number {
  const isOfRule = ({ action, time }: Logged): boolean => action.includes('SecurityGroup') && time >= from;
  const first = sandbox.control.log.entries({ region, mutating: true }).find(isOfRule);
  return (first?.time ?? from) - from;
}

/** Failures that people are not told of. */
async function untold(fleet: Fleet): Promise<readonly string[]> {
  const { stdout } = await fleet.run(['status', fleet.dir]);
  const row = await fleet.servers.ask(
    "SELECT count(*)::int AS count FROM setpoint.ledger WHERE type = 'note' AND body::text LIKE '%failedBirth%'",
    [],
  );
  return [
    ...(/resume --rollout-of \S*batch/.test(stdout) ? [] : [`setpoint status does not name the document: ${stdout}`]),
    ...(Number(row?.['count']) >= regions.length ? [] : ['the ledger has no note of the failed births']),
  ];
}

async function until(isSo: () => boolean, otherwise: string, { workers }: Fleet, mostMs: number): Promise<void> {
  await untilAsync(
    async () => {
      if (workers.pids().length === 0) throw new Error('no worker is left');
      return isSo();
    },
    otherwise,
    mostMs,
  );
}

async function untilAsync(isSo: () => Promise<boolean>, otherwise: string, mostMs: number): Promise<void> {
  for (const end = performance.now() + mostMs; !(await isSo()); await sleep(100))
    if (performance.now() > end) throw new Error(`${otherwise} within ${mostMs / 1000} s`);
}
