import type { CallOptions } from 'google-gax';
import type { Failure, Result } from '../../src/core/failure.ts';
import type { Call } from '../../src/ports/provider.ts';
import type { Ask } from './client.ts';
import { failureOf } from './errors.ts';
import type { Operation } from './messages.ts';
import { newestAt, placeKey, waitFor } from './operations-at.ts';
import type { Scope } from './scope.ts';
import type { Sdk } from './sdk.ts';

/** A started operation. Undefined: there was nothing to do. */
export type StartedOperation = Result<Operation | undefined>;

/**
 * Awaits the started operations, with one result for each, in order: a failed operation is a failure. One operation is awaited by `wait`,
 * which the cloud answers when it ends or after two minutes; several at one place by listing the newest of that place, some
 * calls for all of them. What could not be awaited to its end is ambiguous: it was accepted, and may yet be done.
 * https://cloud.google.com/compute/docs/api/how-tos/api-requests-responses#handling_api_responses
 */
export async function settle(
  begun: readonly StartedOperation[],
  scope: Scope,
  call: Call,
): Promise<readonly StartedOperation[]> {
  const operations = begun.flatMap(({ ok, ...rest }) => (ok && 'value' in rest && rest.value ? [rest.value] : []));
  const ended = new Map<string, StartedOperation>();
  const places = Map.groupBy(operations, placeKey);
  await Promise.all([...places.values()].map((same) => settleAt(same, ended, scope, call)));
  return begun.map((result) => {
    if (!result.ok || !result.value) return result;
    return ended.get(result.value.name ?? '') ?? { ok: false, failure: unknownEnd(result.value) };
  });
}

/** One write, to its end. */
export async function carryOut(
  ask: Ask,
  run: (sdk: Sdk, options: CallOptions) => Promise<readonly [unknown, ...(readonly unknown[])]>,
  scope: Scope,
  call: Call,
): Promise<StartedOperation> {
  const [ended] = await settle([await scope.client.write(ask, call, run)], scope, call);
  return ended ?? { ok: true, value: undefined };
}

const pollEveryMs = 2_000;
/** Longer operations need another reconcile. */
const longestMs = 600_000;
const mostTroubles = 5;

async function settleAt(
  operations: readonly Operation[],
  ended: Map<string, StartedOperation>,
  scope: Scope,
  call: Call,
): Promise<void> {
  const began = scope.clock.now();
  let open = note(operations, operations, ended);
  try {
    for (let troubles = 0; open.length > 0 && scope.clock.now() - began < longestMs; ) {
      const seen = await poll(open, scope, call);
      if (seen.ok) open = note(open, seen.value, ended);
      else if (!passing(seen.failure) || ++troubles > mostTroubles) break;
      if (open.length > 0) await scope.clock.sleep(pauseAfter(seen), call.signal);
    }
  } catch {
    // why: the reconcile was cancelled; sent requests stay open, and `settle` reports it
    return;
  }
}

/** Returns the operations that still run. */
function note(
  open: readonly Operation[],
  seen: readonly Operation[],
  ended: Map<string, StartedOperation>,
): readonly Operation[] {
  for (const operation of seen) {
    if (operation.status !== 'DONE') continue;
    const failure = failureOf(operation);
    ended.set(operation.name ?? '', failure ? { ok: false, failure } : { ok: true, value: operation });
  }
  return open.filter(({ name }) => !ended.has(name ?? ''));
}

const passing = ({ kind }: Failure): boolean => kind === 'throttled' || kind === 'retryable';

const pauseAfter = (seen: Result<unknown>): number =>
  seen.ok || !('retryAfterMs' in seen.failure) ? pollEveryMs : Math.max(pollEveryMs, seen.failure.retryAfterMs ?? 0);

const unknownEnd = ({ name, operationType }: Operation): Failure => ({
  kind: 'ambiguous',
  code: 'NotAwaited',
  message: `the cloud accepted ${operationType ?? 'a write'} as ${name}, but Setpoint did not observe its end`,
  ...(name ? { requestId: name } : {}),
});

/** Several by a listing; where that shows none of them, the first one by its name. */
async function poll(open: readonly Operation[], scope: Scope, call: Call): Promise<Result<readonly Operation[]>> {
  const [first] = open;
  if (!first) return { ok: true, value: [] };
  if (open.length === 1) return waitFor(first, scope, call);
  const names = new Set(open.map(({ name }) => name));
  const newest = await newestAt(first, scope, call);
  if (!newest.ok) return newest;
  const ours = newest.value.filter(({ name }) => names.has(name));
  return ours.length > 0 ? { ok: true, value: ours } : waitFor(first, scope, call);
}
