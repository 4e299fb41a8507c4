import type { Result } from '../../src/core/failure.ts';
import type { Call } from '../../src/ports/provider.ts';
import { done } from '../shared/answer.ts';
import type { ArmPlace } from './place.ts';
import type { Scope } from './scope.ts';

/**
 * Makes the resource group that an address names, if it is absent. It bears no mark and is never deleted: what else people
 * put into it is theirs. A PUT of one that stands would take its tags, so it follows a GET answered 404.
 */
export function ensureResourceGroup(place: ArmPlace, scope: Scope, call: Call): Promise<Result<void>> {
  const { resourceGroups } = scope.known;
  const made = resourceGroups.get(place.resourceGroup) ?? make(place, scope, call);
  resourceGroups.set(place.resourceGroup, made);
  const forget = (): void => void resourceGroups.delete(place.resourceGroup);
  return made.finally(forget);
}

async function make({ resourceGroup, location }: ArmPlace, { client }: Scope, call: Call): Promise<Result<void>> {
  const there = await client.ask(call, ({ resources }) => resources.resourceGroups.get(resourceGroup));
  if (there.ok) return done;
  if (there.failure.kind !== 'not-found') return there;
  const made = await client.ask(call, ({ resources }) =>
    resources.resourceGroups.createOrUpdate(resourceGroup, { location }),
  );
  return made.ok ? done : made;
}
