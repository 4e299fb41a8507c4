import { listed, printable } from '../core/text.ts';
import type { Store } from '../ports/store.ts';
import type { Estate } from './load.ts';

/**
 * The resources of other estates in those scopes of these specs where their own estate has nothing yet: specs of another branch, or a
 * mistyped name, would launch all machines of another estate a second time.
 */
export interface SharedScopes {
  /** With the other estates: for a command line, and for the log. */
  readonly text: string;
  /** Without their names and counts: for whoever may see this estate only. */
  readonly bounded: string;
}

/** Undefined: there are none. */
export async function sharedScopes(
  { name, compiled }: Pick<Estate, 'name' | 'compiled'>,
  { estates, fleet: { rollouts } }: Pick<Store, 'estates' | 'fleet'>,
): Promise<SharedScopes | undefined> {
  const own = new Set((await estates.holdings(name)).map(({ scope }) => scope));
  const asked = compiled.scopes.filter(({ scope, wanted }) => wanted.desired.length > 0 && !own.has(scope));
  const standing = await Promise.all(asked.map(({ scope }) => rollouts.standing({ estate: name, scope })));
  const unbegun = new Set(asked.filter((_, i) => standing[i] === 0).map(({ scope }) => scope));
  if (unbegun.size === 0) return undefined;
  const owned: string[] = [];
  const shared = new Set<string>();
  for (const estate of (await estates.list()).filter((other) => other !== name))
    for (const { scope, resources } of await estates.holdings(estate)) {
      if (!unbegun.has(scope)) continue;
      owned.push(`${estate} owns ${resources} ${resources === 1 ? 'resource' : 'resources'} in ${scope}`);
      shared.add(scope);
    }
  if (owned.length === 0) return undefined;
  const none = `and ${name} owns none there`;
  return {
    text: printable(`${listed(owned, 3)}, ${none}`),
    bounded: printable(`another estate owns resources in ${listed([...shared].toSorted(), 3)}, ${none}`),
  };
}
