import { makeCloud } from '../../providers/memory/cloud.ts';
import { storm } from '../../providers/memory/faults.ts';
import { colleagues } from '../../test/simulation/colleagues.ts';
import { type Draw, draw as drawFrom } from '../../test/simulation/draw.ts';
import { changedSpec, randomSpec } from '../../test/simulation/spec.ts';
import { virtualClock } from '../../test/support/virtual-clock.ts';
import { type Account, type Fleet, fleetAt } from './fleet.ts';
import { type ForeignChange, foreignChanges } from './foreign-changes.ts';
import { marksSwapped } from './marks-swapped.ts';

export interface SideBySide {
  readonly seed: number;
  /** Of each fleet. */
  readonly passes: number;
  /** Called when all have ended. */
  spoil(account: Account): unknown;
}

/**
 * Two estates with equal names and blocks for everything live at one account, each from a store of its own, at once; their
 * specs change, calls go wrong, and people edit, copy marks and swap them between the two. What either changed of another's.
 */
export async function sideBySide({ seed, passes, spoil }: SideBySide): Promise<readonly ForeignChange[]> {
  const clock = virtualClock();
  const cloud = makeCloud({ clock, seed, latencyMs: 40, pageSize: 20 });
  cloud.faults.add(...storm(0.01).filter(({ fault }) => fault.do !== 'flicker'));
  const account: Account = { clock, cloud };
  const draw = drawFrom(seed);
  const fleets = ['north', 'south'].map((estate, n) =>
    fleetAt(account, {
      name: estate,
      estate,
      storeId: `${n}0000000-0000-4000-8000-000000000000`,
      random: draw.branch(n).random,
    }),
  );
  const busy = { ended: false };
  await clock.run(async () => {
    const office = keepOffice(account, fleets, { busy, draw: draw.branch(7) });
    await Promise.all(fleets.map((fleet, n) => live(fleet, account, { passes, draw: draw.branch(10 + n) })));
    busy.ended = true;
    await office;
    await spoil(account);
  });
  for (const fleet of fleets) expectLife(account, fleet, passes);
  return foreignChanges(cloud.history, new Set(fleets.map(({ name }) => name)));
}

async function live(fleet: Fleet, { clock }: Account, life: { passes: number; draw: Draw }): Promise<void> {
  const { passes, draw } = life;
  let spec = randomSpec(draw);
  for (let pass = 0; pass < passes; pass += 1) {
    const next = draw.chance(0.2) ? changedSpec(spec, draw) : spec;
    if (fleet.read(next)) spec = next;
    const wanted = fleet.read(spec);
    if (wanted) await fleet.converge(wanted, 1);
    await clock.sleep(draw.int(60_000));
  }
}

async function keepOffice(
  { clock, cloud }: Account,
  fleets: readonly Fleet[],
  { busy, draw }: { readonly busy: { readonly ended: boolean }; readonly draw: Draw },
): Promise<void> {
  const hands = colleagues(cloud, draw);
  const scope = 'memory/acme/north';
  while (!busy.ended) {
    await clock.sleep(draw.int(120_000));
    const known = await Promise.all(fleets.map(({ name, store }) => store.inventory.knowledge(name, scope)));
    const ids = known.map(({ settled }) => [...settled.keys()]);
    if (draw.chance(0.1)) await marksSwapped({ clock, cloud }, ids, draw);
    else hands.act(new Set(ids.flat()));
  }
}

/** A life in which little happens proves little. */
function expectLife({ cloud }: Account, { name }: Fleet, passes: number): void {
  const writes = cloud.history.calls.filter(({ caller, mutating }) => caller === name && mutating).length;
  console.error(`two-fleets: ${name} wrote ${writes} times in ${passes} passes`);
  if (writes < passes / 10) throw new Error(`${name} hardly wrote: ${writes} calls`);
}
