import { JsonProblem } from '../json.ts';
import { Refused } from '../protocol.ts';
import type { Subnet } from './records.ts';
import type { Region } from './region.ts';

/** An estate half loaded. */
export interface Loading {
  readonly region: Region;
  readonly now: number;
  /** The current position in the document. */
  readonly path: string;
  /** Ids by the keys of the document. */
  readonly ids: Map<string, string>;
}

/** Takes a key for an id. */
export function named({ ids, path }: Loading, key: string, id: string): string {
  if (ids.has(key)) throw new JsonProblem(`${path}: the key "${key}" is taken`);
  ids.set(key, id);
  return id;
}

/** The id behind a key, or the id itself. */
export function idOf({ ids, path }: Loading, reference: string): string {
  const id = ids.get(reference) ?? (/^[a-z]+-[0-9a-f]{8,17}$/.test(reference) ? reference : undefined);
  if (id === undefined) throw new JsonProblem(`${path}: nothing here has the key "${reference}"`);
  return id;
}

/** Adds the position in the document to a refusal of EC2. */
export function explained({ path }: Loading, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (error instanceof Refused) throw new JsonProblem(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

export function subnetOf(loading: Loading, reference: string): Subnet {
  const subnet = loading.region.subnets.get(idOf(loading, reference));
  if (!subnet) throw new JsonProblem(`${loading.path}.subnet: no subnet "${reference}"`);
  return subnet;
}
