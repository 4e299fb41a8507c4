import { makeCloud } from '../../providers/memory/cloud.ts';
import type { Compiled } from '../../src/core/compile/compile.ts';
import type { Converged } from '../../src/engine/converge.ts';
import { draw as drawFrom } from '../../test/simulation/draw.ts';
import { randomSpec } from '../../test/simulation/spec.ts';
import { virtualClock } from '../../test/support/virtual-clock.ts';
import { type Account, type Fleet, fleetAt } from './fleet.ts';

/** What stores of one estate did that two must not: writes after they could have seen each other, and stops that did not come. */
export async function sameStart(seed: number, spoil: (account: Account) => unknown): Promise<readonly string[]> {
  const clock = virtualClock();
  const account: Account = { clock, cloud: makeCloud({ clock, seed, latencyMs: 40 }) };
  const draw = drawFrom(seed);
  const [one, other, third] = [1, 2, 3].map((n) => storeAt(account, n, draw.branch(n).random));
  if (!one || !other || !third) throw new Error('there are three');
  const wanted = one.read(randomSpec(draw));
  if (!wanted) throw new Error('the random estate is refused by the program');
  return clock.run(async () => {
    await Promise.all([one, other].map((fleet) => fleet.converge(wanted, 5)));
    await spoil(account);
    await clock.sleep(visibleMs);
    const faults: string[] = [];
    // why: the third comes when both have stopped, and nothing must come of its first look
    for (const fleet of [one, other, third]) faults.push(...(await faultsOf(fleet, wanted, account)));
    return faults;
  });
}

const visibleMs = 600_000;

const storeAt = (account: Account, n: number, random: () => number): Fleet =>
  fleetAt(account, {
    name: `store-${n}`,
    estate: 'north',
    storeId: `${n}0000000-0000-4000-8000-000000000000`,
    random,
  });

async function faultsOf(fleet: Fleet, wanted: Compiled, { cloud }: Account): Promise<readonly string[]> {
  const writes = (): number =>
    cloud.history.calls.filter(({ caller, mutating }) => caller === fleet.name && mutating).length;
  const before = writes();
  const { last }: Converged = await fleet.converge(wanted, 5);
  const wrote = writes() - before;
  const stopped = last?.plan.findings.some(({ type }) => type === 'foreign-store') === true;
  return [
    ...(wrote > 0 ? [`${fleet.name} wrote ${wrote} times beside another`] : []),
    ...(stopped ? [] : [`${fleet.name} did not stop`]),
  ];
}
