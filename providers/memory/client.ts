import type { Result } from '../../src/core/failure.ts';
import type { ScopeKey } from '../../src/core/resource.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Call } from '../../src/ports/provider.ts';
import type { ActionName, Input, Output } from './cloud/calls.ts';
import type { Caller, MemoryCloud } from './cloud.ts';
import { toFailure } from './errors.ts';
import { requestOf } from './rate-limits.ts';

/** One session's way to the cloud: every request is admitted before it is sent and reported after. */
export interface Client {
  readonly scope: ScopeKey;
  send<A extends ActionName>(call: Call, action: A, input: Input<A>): Promise<Result<Output<A>>>;
  /** The clock that the session waits by. */
  readonly clock: Clock;
}

export function makeClient(
  cloud: MemoryCloud,
  { scope, name, clock }: { readonly scope: ScopeKey; readonly name: string; readonly clock: Clock },
): Client {
  return {
    scope,
    send: async (call, action, input) => {
      const request = requestOf(scope, action, input);
      await call.admit(request);
      const began = clock.now();
      const caller: Caller = { name, scope, signal: call.signal };
      try {
        const { requestId, output } = await cloud.serve(caller, action, input);
        call.report(request, { requestId, durationMs: clock.now() - began });
        return { ok: true, value: output };
      } catch (error) {
        if (call.signal.aborted) {
          call.report(request, { durationMs: clock.now() - began, failure: stopped });
          throw call.signal.reason;
        }
        const failure = toFailure(error, action);
        const { requestId } = failure;
        call.report(request, {
          ...(requestId !== undefined && { requestId }),
          durationMs: clock.now() - began,
          failure,
        });
        return { ok: false, failure };
      }
    },
    clock,
  };
}

const stopped = { kind: 'ambiguous', code: 'Aborted', message: 'stopped before the answer came' } as const;
