import type { Charge } from './budgets.ts';
import type { Spelling } from './spelling.ts';

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The address that the connection came from. */
  readonly from?: string | undefined;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A parsed request. The request log shows `params`. */
export interface Call {
  readonly service: string;
  readonly account: string;
  readonly region: string;
  readonly action: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Faults that the cloud applies while it makes the answer. */
export interface AnswerFaults {
  /** The most items a page may hold. */
  readonly items?: number;
  /** The chance of each item to be left out unsaid. */
  readonly share?: number;
  /** Scopes that a listing over many cannot reach. */
  readonly unreachable?: readonly string[];
  /** The operation that the request starts fails with it. */
  readonly failure?: Refusal;
  /** The operation that the request starts ends before the answer. */
  readonly atOnce?: boolean;
  /** The spelling of the answer; default: the sandbox's own. */
  readonly spelling?: Spelling;
  /** Names of resource groups are written in capitals. */
  readonly capitals?: boolean;
}

export interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

export interface Answer {
  readonly response: WireResponse;
  readonly errorCode?: string;
}

/** One cloud's protocol. All clouds share the pipeline in `exchange.ts`. */
export interface Protocol<C extends Call = Call> {
  accepts(request: WireRequest): boolean;
  /** Throws a `Refused` when the request cannot be told or its credentials are not known. */
  read(request: WireRequest): C;
  mutates(call: C): boolean;
  charges(call: C): readonly Charge[];
  /**
   * It makes every change before it first waits, so writes come one after another. Only a call that waits for an
   * operation's end answers with a promise.
   */
  answer(call: C, requestId: string, answerFaults: AnswerFaults): Answer | Promise<Answer>;
  refuse(reason: Refusal | 'throttled' | 'denied', requestId: string, call?: C): Answer;
}

/** Thrown by protocols; becomes an answer in their own protocol. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(`${refusal.code}: ${refusal.message}`, options);
    this.refusal = refusal;
  }
}

interface JsonAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
  readonly errorCode?: string;
}

export const jsonAnswer = ({ status = 200, headers = {}, body, errorCode }: JsonAnswer): Answer => ({
  response: { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
  ...(errorCode === undefined ? {} : { errorCode }),
});
