import type { Result } from '../../src/core/failure.ts';
import type { Mark } from '../../src/core/observed.ts';
import type { Call } from '../../src/ports/provider.ts';
import { failed } from '../shared/answer.ts';
import type { Sdk } from './client.ts';
import { isSameTry } from './marks.ts';
import type { Poller } from './operation.ts';
import type { ArmPlace } from './place.ts';
import { ensureResourceGroup } from './resource-group.ts';
import type { Scope } from './scope.ts';
import type { Tags } from './tags.ts';

/** One thing that is known by its name in a resource group. */
export interface Named<T> {
  readonly place: ArmPlace;
  /** Its type and name, for people. */
  readonly what: string;
  readonly mark: Mark;
  get(sdk: Sdk): Promise<T>;
  put(sdk: Sdk): Poller<T>;
}

/**
 * Azure's PUT makes what is absent and replaces what stands, so it follows a GET answered 404. What stands by that name is
 * the answer if an earlier try of this very creation made it, and else somebody's.
 */
export async function createNamed<T extends { readonly tags?: Tags }>(
  { place, what, mark, get, put }: Named<T>,
  scope: Scope,
  call: Call,
): Promise<Result<T>> {
  const there = await scope.client.ask(call, get);
  if (there.ok) {
    if (isSameTry(mark, there.value.tags)) return there;
    const message = `${what} stands in ${place.resourceGroup} already and was not created for this: adopt it, or choose another name`;
    return failed('conflict', 'NameTaken', message);
  }
  if (there.failure.kind !== 'not-found') return there;
  if (there.failure.code === 'ResourceGroupNotFound') {
    const group = await ensureResourceGroup(place, scope, call);
    if (!group.ok) return group;
  }
  return scope.client.run(call, put);
}
