import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import { loadProvider } from '../providers/index.ts';
import { runCell, Unmet, type Violations } from './cell.ts';
import { leaseMs, ourClock } from './clock.ts';
import { type ChaosDatabase, ourKeys, startDatabase } from './database.ts';
import { type Cell, cells, equivalents, nameOf, turnOf, verbs } from './matrix.ts';
import { trialClouds } from './specs.ts';
import { violationsFigure } from './violations.ts';

/**
 * Processes that are killed, stopped and cut off at every failpoint, verb and cloud, and what the next one makes of it. With
 * `--only WORDS` those cells, with `--part N/M` the Nth of M parts, with `--fewer` 81 of them. The lease of
 * the process that is caught is 2 s; the clouds' time runs 60 times as fast as ours, so the five minutes in which a listing
 * may miss what was written are 5 s.
 */
export async function kill(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      part: { type: 'string' },
      fewer: { type: 'boolean' },
      'at-once': { type: 'string', default: '12' },
    },
  });
  const asked = (values.fewer ? fewer : cells).filter(isMeant(values.only ?? ''));
  const [part = 1, of = 1] = (values.part ?? '1/1').split('/').map(Number);
  const chosen = partOf(asked, part, of);
  if (chosen.length === 0)
    throw new Error(
      `no cell is meant by ${args.join(' ')}; there are ${cells.slice(0, 3).map(nameOf).join(', ')} and so on`,
    );
  tellEquivalents(chosen);
  const tried = await tryCells(chosen, Number(values['at-once']));
  const violations = tried.flatMap((one) => one.violations.map((text) => `${nameOf(one.cell)}: ${text.trim()}`));
  console.error(`kill: ${tried.length} cells, ${violations.length} violations`);
  return [violationsFigure('kill', violations)];
}

export async function tryCells(chosen: readonly Cell[], atOnce: number): Promise<readonly Tried[]> {
  const database = await startDatabase();
  Object.assign(process.env, ourKeys);
  try {
    await warmUp();
    return await runCells(chosen, { database, atOnce }, (tried) => console.error(told(tried)));
  } finally {
    await database.close();
  }
}

function tellEquivalents(chosen: readonly Cell[]): void {
  const counted = equivalents.map(({ cells: { cloud, verb, failpoint }, why }) => ({
    name: `${cloud} ${verb} ${failpoint}`,
    count: chosen.filter((cell) => cell.cloud === cloud && cell.verb === verb && cell.failpoint === failpoint).length,
    why,
  }));
  for (const { name, count, why } of counted) if (count > 0) console.error(`in place of ${name} (${count}): ${why}`);
}

interface Tried {
  readonly cell: Cell;
  readonly violations: Violations;
  readonly ms: number;
}

/** Runs cells, so many at once; each is told of as it ends. */
async function runCells(
  cells: readonly Cell[],
  { database, atOnce }: { readonly database: ChaosDatabase; readonly atOnce: number },
  tell: (tried: Tried) => void,
): Promise<readonly Tried[]> {
  const left = [...cells];
  const all: Tried[] = [];
  const worker = async (): Promise<void> => {
    for (let cell = left.shift(); cell !== undefined; cell = left.shift()) {
      const from = performance.now();
      const violations = await untilMet(cell, database);
      const tried = { cell, violations, ms: performance.now() - from };
      all.push(tried);
      tell(tried);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return all;
}

const mostTries = 8;
const longestLeaseMs = 30_000;

/** Its failpoint must be met: what never came there was not tried. On a machine that is too slow for a lease it has a longer one. */
async function untilMet(cell: Cell, database: ChaosDatabase): Promise<Violations> {
  for (let tries = 1, ownLeaseMs = leaseMs; ; tries += 1) {
    try {
      return await runCell(cell, database, ownLeaseMs);
    } catch (error) {
      if (!(error instanceof Unmet)) throw error;
      if (tries === mostTries) return [error.message];
      console.error(
        `     ${nameOf(cell)}: its failpoint was not met with a lease of ${ownLeaseMs / 1000} s, tried again`,
      );
      ownLeaseMs = Math.min(2 * ownLeaseMs, longestLeaseMs);
    }
  }
}

export const told = ({ cell, violations, ms }: Tried): string =>
  [
    `${violations.length === 0 ? 'good' : 'BAD '} ${nameOf(cell)} ${(ms / 1000).toFixed(1)} s`,
    ...violations.map((violation) => `     ${violation.trim().replaceAll('\n', '\n     ')}`),
  ].join('\n');

/** 81 of them, three verbs and three manners for every failpoint on every cloud: what each run of the tests has time for. */
export const fewer: readonly Cell[] = cells.filter((cell) => {
  const { failpoint, verb, cloud, manner } = turnOf(cell);
  return (
    (failpoint + verb + cloud) % 3 === manner && ![0, 2].some((at) => (failpoint + cloud + at) % verbs.length === verb)
  );
});

/** True if its name has all these words. */
const isMeant =
  (words: string) =>
  (cell: Cell): boolean => {
    const own = nameOf(cell).split(' ');
    return words.split(/\s+/).every((word) => word === '' || own.includes(word));
  };

/** Every `of`th, beginning with the `part`th. */
const partOf = (all: readonly Cell[], part: number, of: number): readonly Cell[] =>
  all.filter((_, at) => at % of === part - 1);

/** Loads the clouds' SDKs once, before anything is timed: it takes seconds, in which this process hears nobody. */
async function warmUp(): Promise<void> {
  for (const cloud of trialClouds) {
    const provider = await loadProvider(cloud);
    const endpoint = 'http://127.0.0.1:9';
    const [account, region] = [cloud === 'aws' ? '111122223333' : 'acme-prod', 'eu-west-1'];
    const session = await provider.open(
      { scope: `${cloud}/${account}/${region}`, account, region, endpoint },
      ourClock,
    );
    await session.close();
  }
}
