import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { sha256 } from '../../src/store/signing.ts';
import { owner } from './owner.ts';

/**
 * A new database on the running server of `folder`, as the version left it whose newest migration was `upTo`. Returns a connection
 * that may do anything.
 */
export async function oldDatabase(folder: string, upTo: number, name = 'old'): Promise<pg.Client> {
  const admin = await owner(folder);
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const old = await owner(folder, name);
  // why: the server goes first
  old.on('error', () => {});
  await old.query(`CREATE SCHEMA setpoint;
    CREATE TABLE setpoint.migrations (
      number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, at timestamptz NOT NULL DEFAULT now())`);
  const migrations = join(import.meta.dirname, '../../src/store/migrations');
  for (const file of (await readdir(migrations)).sort().slice(0, upTo)) {
    const text = await readFile(join(migrations, file), 'utf8');
    await old.query(text);
    const insert = 'INSERT INTO setpoint.migrations (number, name, checksum) VALUES ($1, $2, $3)';
    await old.query(insert, [Number.parseInt(file, 10), file, sha256(text)]);
  }
  await old.query('GRANT USAGE ON SCHEMA setpoint TO setpoint_app');
  await old.query('GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA setpoint TO setpoint_app');
  return old;
}

/** The value of DATABASE_URL for the database of `client`. */
export const urlOf = ({ host, port, user, password, database }: pg.Client): string =>
  `postgres://${user}:${encodeURIComponent(String(password))}@${host}:${port}/${database}`;
