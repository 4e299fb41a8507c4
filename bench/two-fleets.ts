import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import type { Account } from './two-fleets/fleet.ts';
import { inTurnOnAws, sameStartOnAws } from './two-fleets/on-aws.ts';
import { sameStart } from './two-fleets/same-start.ts';
import { sideBySide } from './two-fleets/side-by-side.ts';

/** How long, and how often. */
export interface Lives {
  /** Of each of two estates, on the cloud in memory. */
  readonly passes: number;
  /** Of each of two estates, on the AWS sandbox. */
  readonly turns: number;
  /** Estates that begin from two stores at once: on the cloud in memory, and on the AWS sandbox. */
  readonly starts: number;
  readonly startsOnAws: number;
}

export const whole: Lives = { passes: 1000, turns: 24, starts: 50, startsOnAws: 5 };

/** As `Spoil`, and the same for the cloud in memory. */
export interface Spoils {
  readonly onAws: Spoil;
  inMemory(account: Account): unknown;
}

const none: Spoils = { onAws: spoilNothing, inMemory: () => undefined };

/**
 * - `two-fleets`, `two-fleets-aws`: changes that one of two estates at one account made to what is another's, by the cloud's
 *   own log. Asked: 0.
 * - `same-start`: two stores of one estate begin at an empty account at once, and a third comes later. Writes after they could
 *   see each other, and stores that did not stop. Asked: 0.
 */
export async function twoFleets(lives: Lives = whole, spoils: Spoils = none): Promise<readonly Figure[]> {
  const inMemory = await sideBySide({ seed: 3, passes: lives.passes, spoil: spoils.inMemory });
  const onAws = await inTurnOnAws(lives.turns, spoils.onAws);
  const starts = [
    ...(await each(lives.starts, (seed) => sameStart(seed, spoils.inMemory))),
    ...(await each(lives.startsOnAws, (seed) => sameStartOnAws(seed, spoils.onAws))),
  ];
  const changes = inMemory.map(({ caller, maker, id }) => `${caller} changed ${id} of ${maker}`);
  for (const wrong of [changes, onAws, starts].flatMap((some) => some.slice(0, told)))
    console.error(`two-fleets: ${wrong}`);
  return [
    { name: 'two-fleets', value: inMemory.length, unit: `foreign changes in ${2 * lives.passes} passes`, floor: 0 },
    { name: 'two-fleets-aws', value: onAws.length, unit: `foreign calls in ${2 * lives.turns} turns`, floor: 0 },
    { name: 'same-start', value: starts.length, unit: 'writes and stores that did not stop', floor: 0 },
  ];
}

/** Of each figure, so many that are wrong. */
const told = 5;

async function each(count: number, faults: (seed: number) => Promise<readonly string[]>): Promise<readonly string[]> {
  const all: string[] = [];
  for (let seed = 1; seed <= count; seed += 1) all.push(...(await faults(seed)));
  return all;
}
