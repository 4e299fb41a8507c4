import type { ChaosDatabase } from '../database.ts';
import { leaseMs } from '../pace.ts';
import { runCell, Unmet, type Violations } from './cell.ts';
import { type Cell, nameOf } from './cells.ts';

export interface Tried {
  readonly cell: Cell;
  readonly violations: Violations;
  readonly ms: number;
}

/** Runs cells, so many at once; each is told of as it ends. */
export async function runCells(
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
