import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import { ourKeys, startDatabase } from './database.ts';
import { equivalents } from './matrix/catches.ts';
import { type Cell, cells, nameOf } from './matrix/cells.ts';
import { fewer, isMeant, partOf } from './matrix/choice.ts';
import { runCells, type Tried, told } from './matrix/crew.ts';
import { violationsFigure } from './violations.ts';
import { warmUp } from './warm.ts';

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

/** What the tests call too. */
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
