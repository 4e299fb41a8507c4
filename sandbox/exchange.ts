import type { Budgets } from './budgets.ts';
import type { Clock } from './clock.ts';
import type { Written } from './events/delivery.ts';
import type { Effect, Faults } from './faults.ts';
import {
  type Answer,
  type AnswerFaults,
  type Call,
  type Protocol,
  Refused,
  type WireRequest,
  type WireResponse,
} from './protocol.ts';
import { hexDigits, type Random } from './random.ts';
import type { RequestLog } from './request-log.ts';
import type { Spelling, Spellings } from './spelling.ts';

export interface Shared {
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly random: Random;
  readonly spellings: Pick<Spellings, 'next'>;
  /** Told of each write that was applied. */
  readonly heard?: (written: Written) => void;
}

/** The end of a connection: an answer, or none at all. */
export type Outcome = WireResponse | 'cut';

/**
 * One request through the sandbox, the same for every cloud:
 * credentials → faults that come before the write → budget → the write → faults that come after it → log.
 */
export async function exchange(shared: Shared, protocols: readonly Protocol[], request: WireRequest): Promise<Outcome> {
  const requestId = uuid(shared.random);
  const protocol = protocols.find((each) => each.accepts(request));
  if (!protocol)
    return {
      status: 404,
      headers: { 'content-type': 'text/plain' },
      body: 'No service of this sandbox speaks this request.\n',
    };
  const call = understood(protocol, request, requestId);
  if ('response' in call) {
    record(shared, protocol, { call: nobody, requestId, answer: call, applied: false });
    return call.response;
  }
  const effects = shared.faults.strike(call);
  for (const effect of effects) if (effect.kind === 'delay') await shared.clock.sleep(effect.ms);
  return settle(shared, protocol, { call: impersonated(call, effects), effects, requestId, request });
}

interface FaultedCall {
  readonly call: Call;
  readonly effects: readonly Effect[];
  readonly requestId: string;
}

interface FaultedRequest extends FaultedCall {
  readonly request: WireRequest;
}

async function settle(shared: Shared, protocol: Protocol, faulted: FaultedRequest): Promise<Outcome> {
  const { call, effects, request, requestId } = faulted;
  const early = before(shared, protocol, { call, effects, requestId });
  if (early) {
    record(shared, protocol, { call, requestId, answer: early, applied: false });
    return early === 'cut' ? early : early.response;
  }
  await edit(protocol, faulted);
  const answer = await protocol.answer(call, requestId, answerFaultsOf(effects, shared.spellings.next()));
  const applied = protocol.mutates(call) && answer.errorCode === undefined;
  const late = applied || !protocol.mutates(call) ? after(protocol, { call, effects, requestId }) : undefined;
  record(shared, protocol, { call, requestId, answer: late ?? answer, applied });
  if (applied) shared.heard?.({ time: shared.clock.now(), call, request, requestId, response: answer.response });
  return late === 'cut' ? late : (late ?? answer).response;
}

function understood(protocol: Protocol, request: WireRequest, requestId: string): Call | Answer {
  try {
    return protocol.read(request);
  } catch (error) {
    if (error instanceof Refused) return protocol.refuse(error.refusal, requestId);
    throw error;
  }
}

const nobody: Call = { service: '', account: '', region: '', action: '', params: {} };

function impersonated(call: Call, effects: readonly Effect[]): Call {
  const as = effects.find((effect) => effect.kind === 'as-account');
  return as ? { ...call, account: as.account } : call;
}

function before(
  shared: Shared,
  protocol: Protocol,
  { call, effects, requestId }: FaultedCall,
): Answer | 'cut' | undefined {
  for (const effect of effects) {
    if (effect.kind === 'reset-before') return 'cut';
    if (effect.kind === 'throttle') return protocol.refuse('throttled', requestId, call);
    if (effect.kind === 'access-denied') return protocol.refuse('denied', requestId, call);
    if (effect.kind === 'error')
      return protocol.refuse({ message: 'A fault was injected.', ...effect }, requestId, call);
  }
  return shared.budgets.take(protocol.charges(call)) === undefined
    ? undefined
    : protocol.refuse('throttled', requestId, call);
}

function after(protocol: Protocol, { call, effects, requestId }: FaultedCall): Answer | 'cut' | undefined {
  for (const effect of effects) {
    if (effect.kind === 'reset-after') return 'cut';
    if (effect.kind === 'error-after')
      return protocol.refuse({ message: 'A fault was injected.', ...effect }, requestId, call);
  }
  return undefined;
}

/** Runs the edits of colleagues while the request is on its way, one after another. */
async function edit(protocol: Protocol, { effects, request, requestId }: FaultedRequest): Promise<void> {
  const { 'if-match': _, 'if-none-match': __, ...headers } = request.headers;
  for (const effect of effects) {
    if (effect.kind !== 'edit') continue;
    const { method, path, body = '' } = effect;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await protocol.answer(protocol.read({ method, path, headers, body: text }), requestId, {
      atOnce: true,
    });
    if (answer.errorCode !== undefined)
      throw new Error(`the edit ${method} ${path} was refused: ${answer.response.body}`);
  }
}

function answerFaultsOf(effects: readonly Effect[], spelling: Spelling | undefined): AnswerFaults {
  const answerFaults: { -readonly [K in keyof AnswerFaults]: AnswerFaults[K] } =
    spelling === undefined ? {} : { spelling };
  for (const effect of effects) {
    if (effect.kind === 'unreachable') answerFaults.unreachable = [...(answerFaults.unreachable ?? []), effect.scope];
    if (effect.kind === 'operation-error') answerFaults.failure = { message: 'A fault was injected.', ...effect };
    if (effect.kind === 'capitals') answerFaults.capitals = true;
    if (effect.kind === 'short-page') answerFaults.items = effect.items;
    if (effect.kind === 'flicker') answerFaults.share = effect.share;
  }
  return answerFaults;
}

interface Done {
  readonly call: Call;
  readonly requestId: string;
  readonly answer: Answer | 'cut';
  readonly applied: boolean;
}

function record(shared: Shared, protocol: Protocol, { call, requestId, answer, applied }: Done): void {
  const cut = answer === 'cut';
  shared.log.add({
    time: shared.clock.now(),
    service: call.service,
    account: call.account,
    region: call.region,
    action: call.action,
    params: call.params,
    mutating: call.action !== '' && protocol.mutates(call),
    status: cut ? 0 : answer.response.status,
    errorCode: cut ? undefined : answer.errorCode,
    requestId,
    applied,
  });
}

function uuid(random: Random): string {
  const digits = hexDigits(random, 32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
}
