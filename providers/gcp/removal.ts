import type { Result } from '../../src/core/failure.ts';
import type { Mark } from '../../src/core/observed.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import type { Call, Removal } from '../../src/ports/provider.ts';
import { done } from '../shared/answer.ts';
import { each } from '../shared/each.ts';
import type { Named } from './cloud-id.ts';
import { markConflict } from './guard.ts';
import { lookUp } from './lookup.ts';
import type { Operation } from './messages.ts';
import { type StartedOperation, settle } from './operations.ts';
import type { Scope } from './scope.ts';

/** The removal of one kind. */
export interface Unmaking<T extends Named> {
  get(id: CloudId): Promise<Result<T>>;
  markOf(existing: T): Mark | undefined;
  delete(existing: T, id: CloudId): Promise<Result<Operation>>;
}

/**
 * Takes each of a batch away. The cloud deletes by name, and a name can be somebody else's by now: so each is looked at first,
 * and only what has the number and the mark that were seen goes. What is gone is done.
 */
export async function deleteEach<K extends Kind, T extends Named>(
  batch: readonly Removal<K>[],
  unmaking: Unmaking<T>,
  scope: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const begun = await each(batch, async ({ id, observed }): Promise<StartedOperation> => {
    const found = await lookUp(id, (each) => unmaking.get(each));
    if (!found.ok) return found;
    if (!found.value) return { ok: true, value: undefined };
    const failure = markConflict(id, observed.signs.mark, unmaking.markOf(found.value));
    return failure ? { ok: false, failure } : unmaking.delete(found.value, id);
  });
  const ended = await settle(begun, scope, call);
  return ended.map((result) => (result.ok || result.failure.kind === 'not-found' ? done : result));
}
