import { openStore } from '../../src/store/open-store.ts';
import { realClock } from '../../test/cli/support/in-process.ts';
import { grounds, rowAt, scopeOf } from './estate.ts';

const day = 86_400_000;

/** When each scope was looked at: each look but the first found a third of the lines otherwise. */
const looksBefore = [60 * day, 45 * day, 10 * day];

export const estate = 'bench';
const inScope = 2000;

/** Fills the store in a folder with 100,000 lines, of which a third has three versions, as passes would. Two minutes on busy cores. */
export async function fill(folder: string): Promise<void> {
  const store = await openStore({ folder, clock: realClock, create: true });
  try {
    const now = Date.now();
    for (const [round, before] of looksBefore.entries())
      for (const ground of grounds) {
        const rows = Array.from({ length: inScope }, (_, index) => rowAt(ground, index, round));
        await store.rows.keep({ estate, scope: scopeOf(ground) }, { at: now - before, rows, gaps: [] });
      }
  } finally {
    await store.close();
  }
}
