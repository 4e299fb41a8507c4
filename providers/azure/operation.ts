import { createHash } from 'node:crypto';
import type { Failure, Result } from '../../src/core/failure.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Call } from '../../src/ports/provider.ts';
import { failureOfOperation, hasFailed, retryAfterOf } from './errors.ts';
import { during, type Exchange, failureIn } from './exchange.ts';

/** The members of the SDK's poller that we use. It is a promise too, that polls by itself: never await it, nor return it from an async function. */
export interface Poller<T> {
  readonly isDone: boolean;
  readonly result: T | undefined;
  readonly operationState: { readonly status: string } | undefined;
  submitted(): Promise<void>;
  poll(): Promise<unknown>;
  serialize(): Promise<string>;
}

/** Resumes an operation from its saved state. */
export interface Resumption {
  readonly clock: Clock;
  restore(state: string): Poller<unknown>;
}

/**
 * Sends a write and awaits what it begins. The cloud may take minutes to carry it out: while it does, `call.operations`
 * holds what another process needs to go on from here. https://learn.microsoft.com/azure/azure-resource-manager/management/async-operations
 */
export async function carryOut<T>(
  start: () => Poller<T>,
  exchange: Exchange,
  resumption: Resumption,
): Promise<Result<T>> {
  const sent: { poller?: Poller<T> } = {};
  try {
    const poller = during(exchange, start);
    sent.poller = poller;
    await poller.submitted();
  } catch (error) {
    return { ok: false, failure: failureIn(exchange, error) };
  }
  const { poller } = sent;
  if (poller.isDone) return ended(poller, exchange);
  return keepAndFollow(poller, exchange, resumption);
}

async function keepAndFollow<T>(
  poller: Poller<T>,
  { call, answer }: Exchange,
  resumption: Resumption,
): Promise<Result<T>> {
  const state = await poller.serialize();
  const id = idOf(state);
  await call.operations?.keep(id, state);
  const firstMs = (answer && retryAfterOf(answer.headers)) ?? soonestMs;
  return follow({ id, state, poller, firstMs }, call, resumption);
}

/** Goes on with what an earlier process began. Of what cannot be followed any more the listing tells the truth. */
export async function resumeOperation(
  { id, state }: { readonly id: string; readonly state: string },
  call: Call,
  resumption: Resumption,
): Promise<void> {
  const poller = restored(state, resumption);
  if (poller === undefined) await call.operations?.drop(id);
  else await follow({ id, state, poller, firstMs: 0 }, call, resumption);
}

function restored(state: string, { restore }: Resumption): Poller<unknown> | undefined {
  try {
    return restore(state);
  } catch {
    // Written by another version of the SDK, for an operation that it names otherwise now.
    return undefined;
  }
}

interface Followed<T> {
  readonly id: string;
  readonly state: string;
  readonly poller: Poller<T>;
  readonly firstMs: number;
}

const soonestMs = 1_000;
const latestMs = 10_000;
/** Polls in a row that may fail in passing, some two minutes. */
const mostMisses = 12;

/**
 *   a poll says        | then
 *   -------------------+----------------------------------------------------------------
 *   still running      | wait as long as it says, or a little longer each time
 *   ended              | that is the answer, and nothing is kept any more
 *   throttled, or lost | wait, and go on from the state: the SDK's own poller is dead
 *   stopped            | ambiguous, and kept: the next process goes on
 *   anything else      | ambiguous: it cannot be followed any more
 */
async function follow<T>(given: Followed<T>, call: Call, { clock, restore }: Resumption): Promise<Result<T>> {
  const { id, state } = given;
  let { poller, firstMs: waitMs } = given;
  for (let misses = 0; ; ) {
    const turn: Exchange = { call };
    const seen = await onePoll(poller, turn, () => clock.sleep(waitMs, call.signal));
    if (seen === 'stopped') return unknown(id, 'the reconcile stopped during the operation');
    if (seen === 'ended') {
      await call.operations?.drop(id);
      return ended(poller, turn);
    }
    if (seen !== 'running') {
      if (!isPassing(seen) || ++misses > mostMisses) {
        await call.operations?.drop(id);
        return unknown(seen.code, `the operation could not be followed: ${seen.message}`);
      }
      // why: the poller of this state is of the operation that was started, and so is its result
      poller = restore(state) as Poller<T>;
    } else misses = 0;
    waitMs =
      (turn.answer && retryAfterOf(turn.answer.headers)) ?? Math.min(latestMs, Math.max(soonestMs, waitMs * 1.5));
  }
}

type Seen = 'running' | 'ended' | 'stopped' | Failure;

async function onePoll<T>(poller: Poller<T>, turn: Exchange, wait: () => Promise<void>): Promise<Seen> {
  try {
    await wait();
  } catch {
    return 'stopped';
  }
  try {
    await during(turn, () => poller.poll());
  } catch {
    if (turn.stopped || turn.call.signal.aborted) return 'stopped';
    return turn.failure ?? 'ended';
  }
  return poller.isDone ? 'ended' : 'running';
}

const isPassing = ({ kind }: Failure): boolean => kind === 'throttled' || kind === 'retryable';

function ended<T>({ operationState, result }: Poller<T>, { answer }: Exchange): Result<T> {
  const body = answer?.body ?? '';
  // why: where `Location` is polled, the SDK takes any 200 for a success, also of a resource that says that it failed
  if (operationState?.status !== 'succeeded' || hasFailed(body))
    return { ok: false, failure: failureOfOperation(body) };
  // why: what succeeded has its result, which for a deletion is nothing
  return { ok: true, value: result as T };
}

const unknown = (code: string, message: string): Result<never> => ({
  ok: false,
  failure: { kind: 'ambiguous', code, message },
});

/** One operation has one place where it is polled. */
const idOf = (state: string): string => createHash('sha256').update(state).digest('hex').slice(0, 32);
