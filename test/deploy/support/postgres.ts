import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { joinEmbedded } from '../../../src/store/embedded/embedded.ts';
import type { Service } from './compose-file.ts';

/** In place of the image `postgres`: our own PostgreSQL, with the user and the database that the image would make. */
export interface StandIn {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startPostgres({ environment }: Service): Promise<StandIn> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-compose-pg-'));
  await chmod(folder, 0o711); // why: as root the database runs under an account of its own, which must get through
  const joined = await joinEmbedded({ folder, create: true, onProgress: () => {} });
  if (joined === undefined) throw new Error('a database that was to be made was not');
  const { port, superuser: user, passwords, leave } = joined;
  const { POSTGRES_USER: owner = '', POSTGRES_PASSWORD: password = '', POSTGRES_DB: database = '' } = environment;
  const client = new pg.Client({ host: '127.0.0.1', port, user, password: passwords.owner, database: 'postgres' });
  await client.connect();
  // The image makes POSTGRES_USER a superuser: https://hub.docker.com/_/postgres
  await client.query(
    `CREATE ROLE ${pg.escapeIdentifier(owner)} SUPERUSER LOGIN PASSWORD ${pg.escapeLiteral(password)}`,
  );
  await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)} OWNER ${pg.escapeIdentifier(owner)}`);
  await client.end();
  return {
    port,
    stop: async () => {
      await leave();
      const elsewhere = await readFile(join(folder, 'home'), 'utf8').catch(() => undefined);
      if (elsewhere !== undefined) await rm(elsewhere.trim(), { recursive: true, force: true, maxRetries: 3 });
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
