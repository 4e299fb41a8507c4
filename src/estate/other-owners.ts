import type { ScopeKey } from '../core/resource.ts';
import { printable } from '../core/text.ts';
import type { Store } from '../ports/store.ts';
import type { Estate } from './load.ts';

/** Another estate of the store owns resources in a scope of specs whose own estate has no generation. */
interface OtherOwner {
  readonly estate: string;
  readonly scope: ScopeKey;
  readonly resources: number;
}

/** Empty where the estate of the specs has begun. Sorted by estate and scope. */
async function otherOwners(
  { name, compiled }: Pick<Estate, 'name' | 'compiled'>,
  { estates, generations }: Pick<Store, 'estates' | 'generations'>,
): Promise<readonly OtherOwner[]> {
  if ((await generations.current(name)) !== undefined) return [];
  const own = new Set(compiled.scopes.map(({ scope }) => scope));
  const found: OtherOwner[] = [];
  for (const estate of await estates.list()) {
    if (estate === name) continue;
    const holdings = await estates.holdings(estate);
    found.push(...holdings.filter(({ scope }) => own.has(scope)).map((one) => ({ estate, ...one })));
  }
  return found;
}

/**
 * The reason not to begin the estate of these specs without a person's word: those of another branch, or a mistyped name, would launch all
 * machines of another estate a second time. Undefined: nothing speaks against it. For people.
 */
export async function secondEstateText(
  estate: Pick<Estate, 'name' | 'compiled'>,
  store: Pick<Store, 'estates' | 'generations'>,
): Promise<string | undefined> {
  const owners = await otherOwners(estate, store);
  if (owners.length === 0) return undefined;
  const owned = owners
    .slice(0, mostNamed)
    .map(
      ({ estate: other, scope, resources }) =>
        `${other} owns ${resources} ${resources === 1 ? 'resource' : 'resources'} in ${scope}`,
    );
  const rest = owners.length - owned.length;
  const more = rest === 0 ? '' : `, and so on in ${rest} more`;
  return printable(`the store has no estate ${estate.name}, and ${owned.join(', ')}${more}`);
}

const mostNamed = 3;
