import type { SpecTree } from '../ports/spec-tree.ts';
import type { Yard } from './yard.ts';

/** How long one who begins to follow a folder gives it to catch up. */
const catchUpMs = 600_000;

/** So many generations back a folder that lags is recognised. */
const back = 50;

/**
 * Whether a folder that one has just begun to follow must be thought to lag: it says what an earlier generation said. Another
 * host's copy may be behind, and accepting it would take back what was committed since. For ten minutes, and said once.
 */
export function bygone(estate: string, { store, clock, telemetry }: Yard): (seen: SpecTree) => Promise<boolean> {
  const until = clock.now() + catchUpMs;
  const judged = new Map<string, Promise<number | undefined>>();
  const judge = async (revision: string): Promise<number | undefined> => {
    const generation = await generationOf(estate, revision, store);
    if (generation !== undefined)
      telemetry.log.warn('the folder lags behind what is in force; if that is meant: setpoint apply', {
        estate,
        generation,
        revision,
      });
    return generation;
  };
  return async ({ revision }) => {
    if (clock.now() >= until) return false;
    const known = judged.get(revision) ?? judge(revision);
    judged.set(revision, known);
    return (await known) !== undefined;
  };
}

/** An earlier generation of this revision; absent where the newest one is, and where there is none. */
async function generationOf(estate: string, revision: string, store: Yard['store']): Promise<number | undefined> {
  const newest = await store.generations.current(estate);
  if (newest === undefined || newest.revision === revision) return undefined;
  for (let number = newest.number - 1; number > Math.max(0, newest.number - back); number -= 1)
    if ((await store.generations.numbered(estate, number))?.revision === revision) return number;
  return undefined;
}
