import type { Tagged } from '../records.ts';
import { Refusal } from '../refusal.ts';
import { tagTables } from '../tables.ts';
import type { World } from '../world.ts';

/** Tags of up to 1000 objects of any type at once, all or none. Keys that are not stated stay. */
export const tagCalls = {
  TagObjects: (
    world: World,
    { ids, tags }: { readonly ids: readonly string[]; readonly tags: Tagged['tags'] },
  ): void => {
    refuseReserved(Object.keys(tags));
    rewrite(world, ids, (old) => ({ ...old, ...tags }));
  },
  UntagObjects: (
    world: World,
    { ids, keys }: { readonly ids: readonly string[]; readonly keys: readonly string[] },
  ): void => {
    refuseReserved(keys);
    rewrite(world, ids, (old) => Object.fromEntries(Object.entries(old).filter(([key]) => !keys.includes(key))));
  },
};

function refuseReserved(keys: readonly string[]): void {
  const reserved = keys.find((key) => key.startsWith('cloud:'));
  if (reserved !== undefined)
    throw new Refusal('InvalidValue', `${reserved}: keys beginning cloud: are the cloud's own`);
}

/** Rewrites the tags of every one of these objects, or of none. */
export function rewrite(
  { tables }: World,
  ids: readonly string[],
  change: (tags: Tagged['tags']) => Tagged['tags'],
): void {
  const found = ids.map((id) => {
    for (const table of tagTables(tables)) {
      const record = table.get(id);
      if (record) return () => table.put({ ...record, tags: change(record.tags) });
    }
    throw new Refusal('NotFound', `there is no ${id}`);
  });
  for (const write of found) write();
}
