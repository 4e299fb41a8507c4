import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where signatures are judged: a folder of our own that ends with the judging. */
export interface Place {
  readonly folder: string;
  /** Where programs are looked for, as in PATH. */
  readonly path: string;
  /** YYYY-MM-DD. */
  readonly today: string;
}

/** Keys and signatures that are written down for other programs lie where nobody else may look, and are gone afterwards. */
export async function inOwnFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  // mkdtemp makes it 0700
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-signatures-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
