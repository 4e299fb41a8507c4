import type { Result } from '../../src/core/failure.ts';
import type { Call } from '../../src/ports/provider.ts';
import { done, failed } from './batch.ts';
import type { Client } from './client.ts';
import type { InstanceState } from './cloud/calls/instance-state.ts';
import { byId } from './listings.ts';

const POLL_MS = 2_000;
const PATIENCE_MS = 120_000;

/** Looks every two seconds until all of them are there, or patience ends. An abort ends it at once. */
export async function waitFor(
  client: Client,
  call: Call,
  { ids, state }: { readonly ids: readonly string[]; readonly state: InstanceState },
): Promise<Result<void>> {
  const until = client.clock.now() + PATIENCE_MS;
  while (client.clock.now() < until) {
    const found = await byId(client, call, { action: 'ListInstances', ids });
    if (!found.ok) return found;
    if (ids.every((id) => found.value.get(id)?.state === state)) return done;
    await client.clock.sleep(POLL_MS, call.signal);
  }
  return failed({ kind: 'retryable', code: 'StillWaiting', message: `${ids.join(', ')}: not all ${state} yet` });
}
