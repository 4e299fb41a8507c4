import type { SpecFile } from '../src/source/tree.ts';
import type { Place, Shape } from './estate/specs.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { additions, rules10k } from './rules-10k.ts';
import { openStage, type Stage } from './world/stage.ts';

export interface Tasks {
  /** Rules added to groups that stand. */
  readonly rules: Shape;
  readonly terminations: Fleet;
  readonly tagChanges: Fleet;
  readonly launches: Fleet;
}

const all: Tasks = {
  rules: additions,
  terminations: { documents: 5, replicas: 1000, tier: 'web' },
  tagChanges: { documents: 10, replicas: 1000, tier: 'web' },
  launches: { documents: 1, replicas: 1000, tier: 'web' },
};

interface Part extends Figure {
  readonly most: number;
}

/**
 * The duration of much work, in the sandbox's virtual time with its published budgets full at first and none reserved, and in
 * calls that change something. Limits of the estate are lifted as an approval lifts them. The figure is the worst share of
 * what each part may take. Asked: at most 1.
 */
export async function makespan(tasks: Tasks = all, spoil: Spoil = spoilNothing): Promise<readonly Figure[]> {
  const parts = [
    await addRules(tasks.rules, spoil),
    await terminate(tasks.terminations, spoil),
    await changeTags(tasks.tagChanges, spoil),
    ...(await launch(tasks.launches, spoil)),
  ];
  const worst = Math.max(...parts.map(({ value, most }) => value / most));
  return [
    ...parts.map(({ most: _, ...figure }) => figure),
    { name: 'makespan', value: worst, unit: 'of what is asked, at worst' },
  ];
}

const seconds = 's of virtual time';
const calls = 'mutating calls';

async function addRules(shape: Shape, spoil: Spoil): Promise<Part> {
  const [time] = await rules10k(shape, spoil);
  return { name: 'makespan-rules', value: time?.value ?? Number.NaN, unit: seconds, most: 99 };
}

async function terminate(fleet: Fleet, spoil: Spoil): Promise<Part> {
  const measured = await measure({ before: fleet, after: { ...fleet, replicas: 0 }, spoil });
  expectMachines(measured, 0, fleet.tier);
  return { name: 'makespan-terminations', value: measured.seconds, unit: seconds, most: 220 };
}

async function changeTags(fleet: Fleet, spoil: Spoil): Promise<Part> {
  const tier = `not-${fleet.tier}`;
  const measured = await measure({ before: fleet, after: { ...fleet, tier }, spoil });
  expectMachines(measured, fleet.documents * fleet.replicas, tier);
  return { name: 'makespan-tags', value: measured.calls, unit: calls, most: 10 };
}

async function launch(fleet: Fleet, spoil: Spoil): Promise<readonly Part[]> {
  const measured = await measure({ before: { ...fleet, replicas: 0 }, after: fleet, spoil });
  expectMachines(measured, fleet.documents * fleet.replicas, fleet.tier);
  return [
    { name: 'makespan-launches', value: measured.calls - measured.tagging, unit: calls, most: 10 },
    { name: 'makespan-launching', value: measured.secondsToLaunch, unit: seconds, most: 6 },
    { name: 'makespan-names', value: measured.tagging, unit: calls, most: fleet.documents * fleet.replicas },
    { name: 'makespan-naming', value: measured.seconds, unit: seconds, most: 99 },
  ];
}

function expectMachines({ tiers }: Measured, count: number, tier: string): void {
  if (tiers.length !== count || tiers.some((one) => one !== tier))
    throw new Error(`${tiers.length} machines live, of ${[...new Set(tiers)].join(', ')}; not ${count} of ${tier}`);
}

/** Machines that stand, and what is asked for then. */
interface Change {
  readonly before: Fleet;
  readonly after: Fleet;
  readonly spoil: Spoil;
}

/** `calls`: requests that change something, refused ones too. `seconds`: of virtual time, until nothing is left to do. */
interface Measured {
  readonly calls: number;
  readonly seconds: number;
  /** Of `calls`, those that write tags: launched machines get a name each, and 1000 of them take 90 s of that budget. */
  readonly tagging: number;
  /** Of `seconds`, those until the last launch was answered. */
  readonly secondsToLaunch: number;
  /** Machines that live at the end, by their label. */
  readonly tiers: readonly (string | undefined)[];
}

/** Converges to the one and then, all budgets full, to the other. */
async function measure({ before, after, spoil }: Change): Promise<Measured> {
  const stage = await openStage({ quotas: { instances: 20_000 } });
  const { sandbox, time, place } = stage;
  const { control } = sandbox;
  try {
    await converged(stage, before);
    await time.run(() => time.clock.sleep(fillingMs));
    control.log.clear();
    await spoil(control);
    const from = time.clock.now();
    await converged(stage, after);
    const seconds = (time.clock.now() - from) / 1000;
    console.error(`makespan: ${seconds} s, ${JSON.stringify(control.log.counts())}`);
    const machines = [...control.ec2.region(place.account, place.region).instances.values()];
    const alive = machines.filter(({ power }) => power.state !== 'terminated' && power.state !== 'shutting-down');
    const tiers = alive.map(({ tags }) => tags.get('tier'));
    const launched = control.log.entries({ action: 'RunInstances' }).at(-1);
    const secondsToLaunch = ((launched?.time ?? from) - from) / 1000;
    const tagging = control.log.entries({ action: 'CreateTags' }).length;
    return { calls: control.log.entries({ mutating: true }).length, seconds, tagging, secondsToLaunch, tiers };
  } finally {
    await stage.close();
  }
}

/** The slowest bucket of all is full again by then. */
const fillingMs = 600_000;

async function converged({ apply, place }: Stage, fleet: Fleet): Promise<void> {
  const end = await apply(fleetSpecs(fleet, place));
  if (end.outcome === 'done') return;
  const failed = end.rounds.flatMap((reconcile) =>
    reconcile.failed.map(({ address, failure }) => `${address}: ${failure.message}`),
  );
  throw new Error(`it ended as ${end.outcome}; ${failed.slice(0, 3).join('; ')}`);
}

/** Instance documents of equal machines, all in one subnet. */
interface Fleet {
  readonly documents: number;
  /** At most 1000. */
  readonly replicas: number;
  /** A label of every machine. */
  readonly tier: string;
}

const fleetSpecs = (fleet: Fleet, place: Place): readonly SpecFile[] => [
  { path: 'estate.yaml', text: joined([estateText, targetText(place), networkText]) },
  {
    path: 'machines.yaml',
    text: joined(Array.from({ length: fleet.documents }, (_, n) => machineText(n, fleet, place))),
  },
];

const estateText = 'kind: Estate\nmetadata: { name: bench }\nspec: { limits: { creates: 1000000 } }';

const targetText = ({ account, region, endpoint }: Place): string =>
  `kind: Target\nmetadata: { name: prod }\nspec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${endpoint}", minReady: 0 }`;

/** A block that holds more machines than are ever asked for. */
const networkText = `kind: Network
metadata: { name: core }
spec: { targets: [prod], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/17 }] }`;

const machineText = (n: number, { replicas, tier }: Fleet, { image }: Place): string =>
  `kind: Instance
metadata: { name: web-${n}, labels: { tier: ${tier} } }
spec: { targets: [prod], network: core, subnet: app, image: ${image}, size: t3.small, replicas: ${replicas} }`;

const joined = (documents: readonly string[]): string =>
  documents.map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`).join('---\n');
