import type { Trace } from '../trace.ts';

/** The maker of each object, by its id; 'outside' are people. */
export function makersOf({ cloud }: Pick<Trace, 'cloud'>): ReadonlyMap<string, string> {
  const makers = new Map<string, string>();
  for (const { id, before, caller } of cloud.history.changes) if (!before && !makers.has(id)) makers.set(id, caller);
  return makers;
}
