import type { Generation } from '../ports/inventory.ts';
import type { Store } from '../ports/store.ts';

/** An estate that a repository has in force already. */
interface Former {
  readonly estate: string;
  readonly generation: Generation;
}

/** The other estates that a repository, by its name for people, brought into force before. */
export async function formerEstates(
  { estate, source }: { readonly estate: string; readonly source: string },
  { estates, sources, generations }: Pick<Store, 'estates' | 'sources' | 'generations'>,
): Promise<readonly Former[]> {
  const former: Former[] = [];
  for (const name of await estates.list()) {
    if (name === estate) continue;
    const told = await sources.states.list(name);
    if (!told.some((state) => state.source === source)) continue;
    const generation = await generations.current(name);
    if (generation?.revision.startsWith('git:')) former.push({ estate: name, generation });
  }
  return former;
}
