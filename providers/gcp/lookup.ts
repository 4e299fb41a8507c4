import type { Result } from '../../src/core/failure.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { type Named, numberOf, placeOf } from './cloud-id.ts';

/**
 * Looks for one id by its name. `undefined` is the cloud's own word that it is gone: there is nothing of that name, or
 * something with another number, which was made after it.
 */
export async function lookUp<T extends Named>(
  id: CloudId,
  get: (id: CloudId) => Promise<Result<T>>,
): Promise<Result<T | undefined>> {
  const answer = await get(id);
  if (!answer.ok) return answer.failure.kind === 'not-found' ? { ok: true, value: undefined } : answer;
  return { ok: true, value: numberOf(answer.value.id) === placeOf(id).number ? answer.value : undefined };
}
