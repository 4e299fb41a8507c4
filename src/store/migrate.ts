import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { appRole, isDenied } from './roles.ts';
import { sha256 } from './signing.ts';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** Any number will do, as long as it is always the same. */
const advisoryLock = 7_383_768;

/** Runs `work` while no other process prepares the same database. */
export async function alone<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
  try {
    return await work();
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [advisoryLock]);
  }
}

/**
 * Brings the schema to what this program needs; run it `alone`. False: there is none and `create` does not allow to make
 * one. A database of a newer program, one whose migrations were others, or one that this user may not change is refused.
 */
export async function migrate(client: pg.Client, create: boolean): Promise<boolean> {
  try {
    if (!create && !(await hasSchema(client))) return false;
    await bringUp(client);
    return true;
  } catch (error) {
    throw isDenied(error) ? new Error(await needed(client, error), { cause: error }) : error;
  }
}

/** The missing right, and the person who can grant it. */
async function needed({ database, user = '' }: pg.Client, error: Error): Promise<string> {
  const newest = (await migrations()).at(-1)?.name;
  return [
    `the database ${database} is not brought up to ${newest}, and the user ${user} may not do it: ${error.message}.`,
    `Run 'setpoint worker' once with DATABASE_URL naming the user who owns the schema 'setpoint' (where there is none yet, the database), then 'GRANT ${appRole} TO ${user}', and start again.`,
  ].join(' ');
}

async function hasSchema(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("SELECT to_regclass('setpoint.migrations') IS NOT NULL AS found");
  return rows[0]?.found === true;
}

async function bringUp(client: pg.Client): Promise<void> {
  if (!(await hasSchema(client)))
    await client.query(
      `CREATE SCHEMA IF NOT EXISTS setpoint;
       CREATE TABLE setpoint.migrations (
         number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, at timestamptz NOT NULL DEFAULT now())`,
    );
  const ours = await migrations();
  const { rows } = await client.query('SELECT number, name, checksum FROM setpoint.migrations ORDER BY number');
  for (const done of rows) refuseStranger(done, ours);
  for (const migration of ours.slice(rows.length)) await applyOne(client, migration);
}

function refuseStranger(done: Pick<Migration, 'number' | 'name' | 'checksum'>, ours: readonly Migration[]): void {
  const own = ours.find(({ number }) => number === done.number);
  if (!own)
    throw new Error(
      `the database is newer than this program: it has ${done.name}, we know up to ${ours.at(-1)?.name}. Update setpoint.`,
    );
  if (own.checksum !== done.checksum)
    throw new Error(
      `the database was made by another ${done.name} than ours: it is not touched. Use the program that made it.`,
    );
}

async function applyOne(client: pg.Client, { number, name, text, checksum }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(text);
    await client.query('INSERT INTO setpoint.migrations (number, name, checksum) VALUES ($1, $2, $3)', [
      number,
      name,
      checksum,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    if (isDenied(error)) throw error;
    throw new Error(`migration ${name} failed`, { cause: error });
  }
}

/** `migrations/0001-store.sql` and so on, without a gap. */
async function migrations(): Promise<readonly Migration[]> {
  const folder = join(import.meta.dirname, 'migrations');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { number: Number.parseInt(name, 10), name, text, checksum: sha256(text) };
    }),
  );
}
