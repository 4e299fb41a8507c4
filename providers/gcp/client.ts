import type { CallOptions } from 'google-gax';
import type { Failure, Result } from '../../src/core/failure.ts';
import { retryAfterOf } from '../../src/core/retry-after.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Request } from '../../src/ports/limiter.ts';
import type { Access, Answer, Call } from '../../src/ports/provider.ts';
import { readWhole } from '../shared/json-answer.ts';
import { type Refusal, toFailure } from './errors.ts';
import type { Operation } from './messages.ts';
import { type Action, requestFor } from './rate-limits.ts';
import { prepareSdk, type Sdk, sdk } from './sdk.ts';
import { type Exchange, makeTransport } from './transport.ts';

/** The way to one project: every request passes here, so that it is admitted, timed, reported and translated. */
export interface Client {
  /** Throws only what `call.admit` throws. */
  read<T>(ask: Ask, call: Call, run: Run<T>): Promise<Result<T>>;
  /** Returns the operation that the cloud began: the request is complete when the operation is. See operations.ts. */
  write(ask: Ask, call: Call, run: Run<unknown>): Promise<Result<Operation>>;
  /** The owner of these credentials, as far as they reach: the project's own name for itself. */
  identify(call: Call): Promise<Result<string>>;
  /** Called as a request that may change something is sent, and again once it is answered or lost. */
  onWrite(listener: () => void): void;
  close(): Promise<void>;
}

export type Ask = Action | Asked;

/** `region`: of a regional or zonal request. `secrets`: texts in the request that no failure may repeat. */
export interface Asked {
  readonly action: Action;
  readonly region?: string;
  readonly secrets?: readonly string[];
  readonly answerMs?: number;
  /** Awaited once the request is admitted. After a failure nothing is sent. */
  before?(): Promise<Failure | undefined>;
}

type Run<T> = (sdk: Sdk, options: CallOptions) => Promise<readonly [T, ...(readonly unknown[])]>;

const usualAnswerMs = 60_000;

/** SDK retries are off: the limiter must see every request. */
export function makeClient(access: Access, clock: Clock): Client {
  const transport = makeTransport(access);
  const listeners: (() => void)[] = [];
  const send = async <T>(asked: Asked, call: Call, run: Run<T>): Promise<Result<T>> => {
    const request = requestFor(access.scope, asked.action, asked.region);
    const tell = (): void => {
      if (request.mutating) for (const listener of listeners) listener();
    };
    try {
      return await exchanged({ asked, request, call, clock }, (exchange, options) => {
        tell();
        return transport.recording(exchange, () => run(sdk, options));
      });
    } finally {
      tell();
    }
  };
  return {
    read: (ask, call, run) => send(askedOf(ask), call, run),
    write: async (ask, call, run) => {
      const answer = await send(askedOf(ask), call, run);
      return answer.ok ? operationIn(answer.value) : answer;
    },
    identify: async (call) => {
      const answer = await send({ action: 'projects.get' }, call, (sdk, options) =>
        sdk.projects().get({ project: access.account }, options),
      );
      return answer.ok ? { ok: true, value: answer.value.name ?? '' } : answer;
    },
    onWrite: (listener) => void listeners.push(listener),
    // why: requests use Node's own fetch; its idle connections do not keep the process alive
    close: async () => {},
  };
}

const askedOf = (ask: Ask): Asked => (typeof ask === 'string' ? { action: ask } : ask);

interface Admitted {
  readonly asked: Asked;
  readonly request: Request;
  readonly call: Call;
  readonly clock: Clock;
}

/** Admit → send → report. What the cloud refused is a value; nothing is sent once the reconcile was stopped. */
async function exchanged<T>(
  { asked, request, call, clock }: Admitted,
  send: (exchange: Exchange, options: CallOptions) => Promise<readonly [T, ...(readonly unknown[])]>,
): Promise<Result<T>> {
  await prepareSdk();
  await call.admit(request);
  const stop = await asked.before?.();
  if (stop) return { ok: false, failure: stop };
  call.signal.throwIfAborted();
  const began = performance.now();
  const report = (answer: Omit<Answer, 'durationMs'>): void =>
    call.report(request, { ...answer, durationMs: performance.now() - began });
  const { action, answerMs = usualAnswerMs, secrets = [] } = asked;
  const exchange: Exchange = { action, answerMs };
  const options: CallOptions = { timeout: answerMs, retry: null, autoPaginate: false, signal: call.signal };
  try {
    const value = await readWhole(exchange, async () => (await send(exchange, options))[0]);
    const name = operationOf(value)?.name;
    report(name ? { requestId: name } : {});
    return { ok: true, value };
  } catch (error) {
    const seen = { ...exchange, error: exchange.error ?? error, ...waitsOf(exchange, clock) };
    const failure = withoutSecrets(toFailure(seen, { mutating: request.mutating }), secrets);
    report({ failure });
    return { ok: false, failure };
  }
}

const windowMs = 60_000;

/** Windows begin with the minute: https://docs.cloud.google.com/compute/api-quota ("such as 10:01:00") */
function waitsOf({ headers }: Exchange, clock: Clock): Pick<Refusal, 'retryAfterMs' | 'windowMs'> {
  const retryAfterMs = retryAfterOf(headers?.get('retry-after') ?? undefined, headers?.get('date') ?? undefined);
  return { retryAfterMs, windowMs: windowMs - (clock.now() % windowMs) };
}

const noOperation: Failure = {
  kind: 'ambiguous',
  code: 'NoOperation',
  message: 'the cloud answered a write without naming its operation',
};

function operationIn(value: unknown): Result<Operation> {
  const operation = operationOf(value);
  return operation?.name ? { ok: true, value: operation } : { ok: false, failure: noOperation };
}

/** The SDK wraps operations: `name` outside is the number, the operation itself is the latest response. */
function operationOf(value: unknown): Operation | undefined {
  if (typeof value !== 'object' || value === null || !('latestResponse' in value)) return undefined;
  // why: the SDK puts the decoded Operation there, and types it as another one
  return value.latestResponse as Operation;
}

/** Shorter lines are words of any text; a secret in one of them would be none. */
const shortest = 6;

/**
 * The same failure, saying nothing of these texts. Compute Engine repeats the value that it refuses ("Invalid value for field
 * 'resource.metadata…': '…'"), whole or cut; so a message about metadata is dropped altogether.
 */
export function withoutSecrets(failure: Failure, secrets: readonly string[]): Failure {
  if (secrets.length === 0) return failure;
  if (/metadata/i.test(failure.message))
    return {
      ...failure,
      message: 'the cloud refused the metadata; its message may contain user data, so Setpoint drops it',
    };
  const lines = secrets.flatMap((secret) => [secret, ...secret.split('\n')]).filter(({ length }) => length >= shortest);
  const message = lines.reduce((text, line) => text.replaceAll(line, '…'), failure.message);
  return { ...failure, message };
}
