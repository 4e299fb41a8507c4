import { isInitialised } from './cluster.ts';
import { knownHome } from './home.ts';

/** Whether a store's folder has a database. Changes nothing. */
export async function hasData(inside: string): Promise<boolean> {
  const at = await knownHome(inside);
  return at !== undefined && (await isInitialised(at));
}
