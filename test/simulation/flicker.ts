import type { Input, Output } from '../../providers/memory/cloud/calls.ts';
import type { MemoryCloud } from '../../providers/memory/cloud.ts';
import { visibilityMs } from '../../src/engine/absence.ts';
import type { MemoryDatabase } from '../support/memory-store.ts';
import type { Draw } from './draw.ts';

interface Weather {
  readonly database: MemoryDatabase;
  readonly draw: Draw;
}

/** Set while listings flicker; calm at the end. */
export const flickerShare = new WeakMap<MemoryCloud, number>();

const flickering_ = new Set(['ListNetworks', 'ListSubnets', 'ListGroups', 'ListInstances', 'ListRules']);

/**
 * Listings that miss objects and do not say so: whatever was written within the visibility window, and at any age what the
 * store knows by its id. What is asked for by id is answered truly: that is the cloud's own word.
 */
export function flickering(cloud: MemoryCloud, weather: Weather): MemoryCloud {
  return {
    ...cloud,
    serve: async (caller, action, input) => {
      const served = await cloud.serve(caller, action, input);
      const share = flickerShare.get(cloud) ?? 0;
      if (share === 0 || !flickering_.has(action) || asksById(input) || !weather.draw.chance(0.3)) return served;
      const may = await missable(cloud, caller.scope, weather);
      // why: listings answer pages of things with ids
      const page = served.output as { readonly items: readonly { readonly id: string }[] };
      const items = page.items.filter(({ id }) => !may(id) || !weather.draw.chance(share));
      return { ...served, output: { ...page, items } as Output<typeof action> }; // why: the same page with fewer items
    },
  };
}

const asksById = (input: Input<'ListNetworks'> | unknown): boolean =>
  typeof input === 'object' && input !== null && 'ids' in input;

async function missable(cloud: MemoryCloud, scope: string, { database }: Weather): Promise<(id: string) => boolean> {
  const { settled } = await database.connect().inventory.knowledge('acme', scope);
  const since = cloud.clock.now() - visibilityMs;
  const recent = new Set(cloud.history.changes.filter(({ at }) => at > since).map(({ id }) => id));
  return (id) => settled.has(id) || recent.has(id);
}
