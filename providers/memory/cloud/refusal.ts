/** The cloud's own word for what it refuses. `errors.ts` says what each means to us. */
export type RefusalCode =
  | 'Throttled'
  | 'ServiceUnavailable'
  | 'InternalError'
  | 'ConnectionReset'
  | 'Denied'
  | 'InvalidValue'
  | 'QuotaExceeded'
  | 'ConcurrentChange'
  | 'WrongState'
  | 'InUse'
  | 'NotFound'
  | 'DuplicateName'
  | 'DuplicateRule'
  | 'BlockTaken'
  | 'TokenReused';

/** Thrown by the cloud instead of an answer. `ConnectionReset`: there was none, so the write may stand. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly retryAfterMs: number | undefined;
  readonly requestId: string | undefined;
  constructor(code: RefusalCode, message: string, details: RefusalDetails = {}) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.retryAfterMs = details.retryAfterMs;
    this.requestId = details.requestId;
  }
}

interface RefusalDetails {
  readonly retryAfterMs?: number | undefined;
  readonly requestId?: string | undefined;
}
