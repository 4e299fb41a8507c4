import type { Shape } from './estate/specs.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import type { Fleet } from './makespan/fleet-specs.ts';
import { type Took, took } from './makespan/machines.ts';
import { additions, rules10k } from './rules-10k.ts';

/** How much of each is done. */
export interface Tasks {
  /** Rules added to groups that stand. */
  readonly rules: Shape;
  readonly terminations: Fleet;
  readonly tagChanges: Fleet;
  readonly launches: Fleet;
}

export const all: Tasks = {
  rules: additions,
  terminations: { documents: 5, replicas: 1000, tier: 'web' },
  tagChanges: { documents: 10, replicas: 1000, tier: 'web' },
  launches: { documents: 1, replicas: 1000, tier: 'web' },
};

interface Part extends Figure {
  readonly most: number;
}

/**
 * How long much work takes, in the sandbox's virtual time with its published budgets full at first and none reserved, and in
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
  const deed = await took({ before: fleet, after: { ...fleet, replicas: 0 }, spoil });
  expectMachines(deed, 0, fleet.tier);
  return { name: 'makespan-terminations', value: deed.seconds, unit: seconds, most: 220 };
}

async function changeTags(fleet: Fleet, spoil: Spoil): Promise<Part> {
  const tier = `not-${fleet.tier}`;
  const deed = await took({ before: fleet, after: { ...fleet, tier }, spoil });
  expectMachines(deed, fleet.documents * fleet.replicas, tier);
  return { name: 'makespan-tags', value: deed.calls, unit: calls, most: 10 };
}

async function launch(fleet: Fleet, spoil: Spoil): Promise<readonly Part[]> {
  const deed = await took({ before: { ...fleet, replicas: 0 }, after: fleet, spoil });
  expectMachines(deed, fleet.documents * fleet.replicas, fleet.tier);
  return [
    { name: 'makespan-launches', value: deed.calls - deed.tagging, unit: calls, most: 10 },
    { name: 'makespan-launching', value: deed.secondsToLaunch, unit: seconds, most: 6 },
    { name: 'makespan-names', value: deed.tagging, unit: calls, most: fleet.documents * fleet.replicas },
    { name: 'makespan-naming', value: deed.seconds, unit: seconds, most: 99 },
  ];
}

function expectMachines({ tiers }: Took, count: number, tier: string): void {
  if (tiers.length !== count || tiers.some((one) => one !== tier))
    throw new Error(`${tiers.length} machines live, of ${[...new Set(tiers)].join(', ')}; not ${count} of ${tier}`);
}
