import type { Spoil } from '../figure.ts';
import { openStage, type Stage } from '../virtual/stage.ts';
import { type Fleet, fleetSpecs } from './fleet-specs.ts';

/** Machines that stand, and what is asked for then. */
export interface Deed {
  readonly before: Fleet;
  readonly after: Fleet;
  readonly spoil: Spoil;
}

/** What it took. `calls`: how many requests that change something, refused ones too. `seconds`: of virtual time, until nothing is left to do. */
export interface Took {
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
export async function took({ before, after, spoil }: Deed): Promise<Took> {
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
  const failed = end.passes.flatMap((pass) =>
    pass.failed.map(({ address, failure }) => `${address}: ${failure.message}`),
  );
  throw new Error(`it ended as ${end.outcome}; ${failed.slice(0, 3).join('; ')}`);
}
