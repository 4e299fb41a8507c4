import type { Desired } from '../desired.ts';
import type { Observed } from '../observed.ts';
import type { World } from './world.ts';

/** Every wish in the words that its cloud used for what stands there, wherever they say the same. */
export function respell(desired: readonly Desired[], world: World): readonly Desired[] {
  const { dialect } = world.input;
  if (dialect.respell === undefined) return desired;
  return desired.map((one) => {
    const present = presentFor(one, world);
    return present === undefined || dialect.respell === undefined ? one : dialect.respell(one, present);
  });
}

/** What is ours at that address, or is to be adopted there. */
function presentFor({ address, kind, terms }: Desired, { ours, byId }: World): Observed | undefined {
  const [present] = ours.get(address) ?? [];
  const found = present ?? byId.get(terms.claim?.adopt ?? '');
  return found?.observed.kind === kind ? found.observed : undefined;
}
