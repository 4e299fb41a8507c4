import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Verdict } from '../../src/core/ledger/verification.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import { dataOf, superuser } from '../../src/store/embedded/cluster.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sha256 } from '../../src/store/signing.ts';
import { witnessAt } from '../../src/witness/witnesses.ts';

/** Real ledgers in a real database, with signatures and a witness outside it. */
export interface Ledgers {
  /** The folder with keys and checkpoints. */
  readonly folder: string;
  /** A superuser's connection. */
  readonly admin: pg.Client;
  /** 18 entries in three chains with a checkpoint after every six, and three without a signature. */
  write(estate: string): Promise<void>;
  verify(estate: string, way: 'alone' | 'witness'): Promise<Verdict>;
  close(): Promise<void>;
}

export const scopes = ['aws/111122223333/eu-west-1', 'gcp/acme/europe-west1'] as const;

export async function openLedgers(folder: string, witnessFile: string): Promise<Ledgers> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  let now = Date.UTC(2026, 0, 1);
  const clock: Clock = { now: () => now, sleep: (ms, signal) => sleep(ms, undefined, { signal }) };
  const witness = witnessAt(witnessFile, { hash: sha256, objects: noBucket });
  const signing = { hasSigner: true, witnesses: [witness] };
  const store = await openStore({ folder, clock, databaseClock: clock, create: true, signing });
  const admin = await superuserOf(folder);
  const entry = async (estate: string, n: number): Promise<void> => {
    now += 1_000;
    if (n % 3 === 2) {
      await store.ledger.note(estate, { pause: { person: 'ann', reason: `word ${n}` } });
      return;
    }
    const scope = scopes[n % 3 === 0 ? 0 : 1];
    const acquired = await store.leases.acquire(estate, scope, 'worker-1');
    if (!acquired.ok) throw new Error(`nobody else has the lease of ${scope}`);
    const authority = { revision: 'r', generation: 1, plan: 'p', approver: 'ben', limits: {} };
    const { epoch, holder } = acquired.lease;
    const pass = { estate, scope, reconcileId: `reconcile-${n}`, authority, lease: { epoch, holder } };
    const subject = { kind: 'network', address: `${scope}/network/n${n}` } as const;
    await store.ledger.intend(pass, [{ verb: 'create', subject, details: { cidr: '10.0.0.0/16' } }]);
    await acquired.lease.release();
  };
  return {
    folder: join(folder, '.setpoint'),
    admin,
    write: async (estate) => {
      for (let n = 0; n < 21; n += 1) {
        await entry(estate, n);
        if (n % 6 === 5 && n < 18) await store.audit.checkpoint(estate);
        if (n % 6 === 5) await store.audit.deliver();
      }
      now += 20_000;
    },
    verify: async (estate, way) => store.audit.verify(estate, way === 'alone' ? {} : { witness: await witness.read() }),
    close: async () => {
      await admin.end();
      await store.close();
    },
  };
}

const noBucket = (): never => {
  throw new Error('no bucket is named here');
};

async function superuserOf(folder: string): Promise<pg.Client> {
  const inside = join(folder, '.setpoint');
  const home = await readFile(join(inside, 'home'), 'utf8').catch(() => inside);
  const port = Number((await readFile(join(dataOf(home.trim()), 'postmaster.pid'), 'utf8')).split('\n')[3]);
  const { owner: password } = JSON.parse(await readFile(join(inside, 'passwords.json'), 'utf8'));
  const admin = new pg.Client({ host: '127.0.0.1', port, user: superuser, password, database: 'postgres' });
  await admin.connect();
  for (const table of ['ledger', 'checkpoints']) await admin.query(`ALTER TABLE setpoint.${table} DISABLE TRIGGER ALL`);
  return admin;
}
