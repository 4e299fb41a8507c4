import type { Result } from '../../src/core/failure.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { failed } from '../shared/answer.ts';
import { most } from './rate-limits.ts';

/** Describes exactly these ids: EC2 answers all of them, or refuses with NotFound. */
type Describe<T> = (ids: readonly CloudId[]) => Promise<Result<readonly T[]>>;

/**
 * Looks for ids by name, many a call. `undefined` is the cloud's own NotFound; an id that is neither described nor
 * called missing is a failure, for a short answer proves nothing.
 */
export async function lookup<T>(
  ids: readonly CloudId[],
  describe: Describe<T>,
  idOf: (item: T) => string | undefined,
): Promise<readonly Result<T | undefined>[]> {
  const found = new Map<CloudId, Result<T | undefined>>();
  const unique = [...new Set(ids)];
  for (let at = 0; at < unique.length; at += most.idsToRead) {
    for (const [id, result] of await ask(unique.slice(at, at + most.idsToRead), describe, idOf)) found.set(id, result);
  }
  return ids.map((id) => found.get(id) ?? unanswered(id));
}

async function ask<T>(
  ids: readonly CloudId[],
  describe: Describe<T>,
  idOf: (item: T) => string | undefined,
): Promise<readonly [CloudId, Result<T | undefined>][]> {
  const answer = await describe(ids);
  if (answer.ok) {
    const byId = new Map(answer.value.map((item) => [idOf(item), item]));
    return ids.map((id) => {
      const item = byId.get(id);
      return [id, item === undefined ? unanswered(id) : { ok: true, value: item }];
    });
  }
  if (answer.failure.kind !== 'not-found') return ids.map((id) => [id, answer]);
  if (ids.length === 1) return ids.map((id) => [id, { ok: true, value: undefined }]);
  const half = Math.ceil(ids.length / 2);
  return [...(await ask(ids.slice(0, half), describe, idOf)), ...(await ask(ids.slice(half), describe, idOf))];
}

const unanswered = (id: CloudId): Result<never> =>
  failed('retryable', 'Unanswered', `${id} was neither described nor reported missing`);
