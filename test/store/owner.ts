import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { dataOf, superuser } from '../../src/store/embedded/cluster.ts';

/** A connection to a folder's running server with the rights of the superuser. */
export const owner = (folder: string, database = 'postgres'): Promise<pg.Client> =>
  connectTo(folder, { database, user: superuser, password: 'owner' });

/** A connection with the rights of the application. */
export const application = (folder: string): Promise<pg.Client> =>
  connectTo(folder, { database: 'postgres', user: 'setpoint_app', password: 'app' });

/** The login of the application. */
export const applicationLogin = (folder: string): Promise<pg.ClientConfig> =>
  configOf(folder, { database: 'postgres', user: 'setpoint_app', password: 'app' });

/** A connection with the rights of people with psql. */
export const reader = (folder: string, database = 'postgres'): Promise<pg.Client> =>
  connectTo(folder, { database, user: 'setpoint_reader', password: 'reader' });

/** Of the running server. */
export async function portOf(folder: string): Promise<number> {
  const inside = join(folder, '.setpoint');
  const home = await readFile(join(inside, 'home'), 'utf8').catch(() => inside);
  return Number((await readFile(join(dataOf(home.trim()), 'postmaster.pid'), 'utf8')).split('\n')[3]);
}

interface Login {
  readonly database: string;
  readonly user: string;
  /** One of the passwords in the folder. */
  readonly password: 'owner' | 'app' | 'reader';
}

async function connectTo(folder: string, login: Login): Promise<pg.Client> {
  const client = new pg.Client(await configOf(folder, login));
  await client.connect();
  return client;
}

async function configOf(folder: string, { database, user, password }: Login): Promise<pg.ClientConfig> {
  const passwords = JSON.parse(await readFile(join(folder, '.setpoint', 'passwords.json'), 'utf8'));
  return { host: '127.0.0.1', port: await portOf(folder), user, password: passwords[password], database };
}
