import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadProvider } from '../../providers/index.ts';
import { startSandbox } from '../../sandbox/index.ts';
import { acceptSpecs, openEstate } from '../../src/estate/load.ts';
import { loadSpecs } from '../../src/source/load.ts';
import { memoryDatabase } from '../../test/support/memory-store.ts';
import { inScratch, writeFiles } from '../process/scratch.ts';
import { overlay, type World } from './attempt.ts';
import { inForce } from './in-force.ts';

/** A sandbox, and a store with the specs in force. */
export async function inWorld<T>(work: (world: World) => Promise<T>): Promise<T> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';
  const sandbox = await startSandbox({ budgets: false });
  try {
    return await inScratch(async (folder) => {
      const dir = join(folder, 'in-force');
      const files = inForce({ sandbox: sandbox.url, canary: '' });
      await writeFiles(
        dir,
        Object.entries(files).map(([path, text]) => ({ path, text })),
      );
      const tree = await loadSpecs(dir, '2027-01-31', overlay);
      const [problem] = tree.problems.filter(({ severity }) => severity === 'error');
      if (problem) throw new Error(`what is in force is not sound: ${problem.at.file}: ${problem.message}`);
      const store = memoryDatabase({ now: Date.now, sleep: async () => undefined }).connect();
      await acceptSpecs(await openEstate(tree, loadProvider, '2027-01-31'), store);
      const proposals = join(folder, 'proposals');
      await mkdir(proposals);
      return await work({ sandbox: sandbox.url, store, inForce: tree, folder: proposals });
    });
  } finally {
    await sandbox.close();
  }
}
