import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { dataOf, superuser } from '../../src/store/embedded/cluster.ts';

/** A connection to a folder's running server that may do anything: what a person with the superuser's password has. */
export async function owner(folder: string): Promise<pg.Client> {
  return connectTo(folder, superuser);
}

/** One that may do what the application may. */
export const application = (folder: string): Promise<pg.Client> => connectTo(folder, 'setpoint_app');

async function connectTo(folder: string, user: string): Promise<pg.Client> {
  const inside = join(folder, '.setpoint');
  const home = await readFile(join(inside, 'home'), 'utf8').catch(() => inside);
  const port = Number((await readFile(join(dataOf(home.trim()), 'postmaster.pid'), 'utf8')).split('\n')[3]);
  const { owner: ownerPassword, app } = JSON.parse(await readFile(join(inside, 'passwords.json'), 'utf8'));
  const password = user === superuser ? ownerPassword : app;
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'postgres' });
  await client.connect();
  return client;
}
