import type { Result } from '../../src/core/failure.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Call } from '../../src/ports/provider.ts';
import type { Client, Sdk } from './client.ts';
import { isAnother } from './retag.ts';

/** Looks for one thing by its name. `undefined`: the cloud says that it is gone, or another thing bears its name now. */
export async function lookup<T extends { readonly resourceGuid?: string }>(
  id: CloudId,
  get: (sdk: Sdk) => Promise<T>,
  client: Client,
  call: Call,
): Promise<Result<T | undefined>> {
  const answer = await client.ask(call, get);
  if (answer.ok) return isAnother(id, answer.value.resourceGuid) ? { ok: true, value: undefined } : answer;
  return answer.failure.kind === 'not-found' ? { ok: true, value: undefined } : answer;
}
