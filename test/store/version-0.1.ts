import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Input } from '../../providers/memory/cloud/calls.ts';
import { oldDatabase } from './old-database.ts';

/**
 * An estate as version 0.1 left it; that version wrote all of it itself. One worker made the networks core, lab and shop. Somebody
 * changed the label `tier` of each by hand. A person paused healing of lab, and approved the healing of core; shop waits for an
 * approval. Generation 3 added the network late: the cloud made it, and the worker died before it recorded the answer.
 */
const fixture = join(import.meta.dirname, 'version-0.1');

/** The identity of its database. */
export const storeOfVersion01 = '50727635-b9da-4bd7-8cbb-5ea46d65a5f9';

/** When version 0.1 stopped, ms since the epoch. */
export const stoppedAt = Date.UTC(2026, 0, 1, 0, 23, 22);

export const fixtureText = (name: string): Promise<string> => readFile(join(fixture, name), 'utf8');

export const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** A call that changed the cloud: of any action in truth, each with its own input. */
interface CloudCall {
  readonly call: 'TagObjects';
  readonly input: Input<'TagObjects'>;
}

/** A line of store.jsonl: a row of a table, the last number of a sequence, or a call. */
type Line =
  | { readonly table: string; readonly row: Readonly<Record<string, unknown>> }
  | { readonly sequence: string; readonly last: number }
  | CloudCall;

const storeLines = async (): Promise<readonly Line[]> =>
  linesOf(await fixtureText('store.jsonl')).map((line): Line => JSON.parse(line));

/** The calls that created the cloud's state, in order. */
export async function cloudCalls(): Promise<readonly CloudCall[]> {
  return (await storeLines()).flatMap((line) => ('call' in line ? [line] : []));
}

/** The newest migration of version 0.1. */
const lastMigration = 31;

/** The database `old` on the running server of `folder`, with the rows of version 0.1. */
export async function databaseOfVersion01(folder: string): Promise<pg.Client> {
  const old = await oldDatabase(folder, lastMigration);
  const lines = await storeLines();
  // why: the rows are as they were written, so no trigger runs for them again
  await old.query('SET session_replication_role = replica');
  const tables = new Set(lines.flatMap((line) => ('table' in line ? [line.table] : [])));
  for (const table of tables) await old.query(`DELETE FROM setpoint.${table}`);
  for (const line of lines) if ('table' in line) await insert(old, line.table, line.row);
  for (const line of lines)
    if ('sequence' in line) {
      await old.query(`CREATE SEQUENCE IF NOT EXISTS ${line.sequence}`);
      await old.query('SELECT setval($1::regclass, $2)', [line.sequence, line.last]);
    }
  await old.query('GRANT USAGE ON ALL SEQUENCES IN SCHEMA setpoint TO setpoint_app');
  await old.query('RESET session_replication_role');
  return old;
}

async function insert(old: pg.Client, table: string, row: Readonly<Record<string, unknown>>): Promise<void> {
  const columns = Object.keys(row).join(', ');
  await old.query(
    `INSERT INTO setpoint.${table} (${columns}) OVERRIDING SYSTEM VALUE
     SELECT ${columns} FROM json_populate_record(null::setpoint.${table}, $1)`,
    [JSON.stringify(row)],
  );
}

/** The checkpoints and the public key of version 0.1, in the store's folder below `folder`. */
export async function signedFolder(folder: string): Promise<void> {
  const inside = join(folder, '.setpoint');
  await mkdir(join(inside, 'keys'), { recursive: true, mode: 0o700 });
  await copyFile(join(fixture, 'checkpoints.jsonl'), join(inside, 'checkpoints.jsonl'));
  await copyFile(join(fixture, 'checkpoint.pub'), join(inside, 'keys', 'version-0.1.pub'));
}
