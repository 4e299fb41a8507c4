import { type Failure, withWait } from '../../src/core/failure.ts';
import { boundedWait } from '../../src/core/retry-after.ts';
import { type ActionName, reads } from './cloud/calls.ts';
import { Refusal, type RefusalCode } from './cloud/refusal.ts';

/** The failure class of each refused write. `ConnectionReset`: it was sent and no answer came. `InternalError`: the object may exist all the same. */
export const meanings: Readonly<Record<RefusalCode, Failure['kind']>> = {
  Throttled: 'throttled',
  ServiceUnavailable: 'retryable',
  InternalError: 'retryable',
  ConnectionReset: 'ambiguous',
  Denied: 'terminal',
  InvalidValue: 'terminal',
  QuotaExceeded: 'terminal',
  ConcurrentChange: 'conflict',
  WrongState: 'conflict',
  InUse: 'conflict',
  NotFound: 'not-found',
  DuplicateName: 'conflict',
  DuplicateRule: 'conflict',
  BlockTaken: 'conflict',
  TokenReused: 'ambiguous',
};

/** Sent twice they make two. */
const makesTwins: ReadonlySet<ActionName> = new Set<ActionName>(['CreateNetwork', 'CreateGateway']);

/** Anything that is no refusal is a fault of this program and is thrown on. */
export function toFailure(error: unknown, action: ActionName): Failure {
  if (!(error instanceof Refusal)) throw error;
  const { code, message, retryAfterMs, requestId } = error;
  const failure = { kind: kindOf(code, action), code, message, ...(requestId !== undefined && { requestId }) };
  return withWait(failure, retryAfterMs === undefined ? undefined : boundedWait(retryAfterMs));
}

/** A read that was not answered can simply be sent again; what would make a twin cannot. */
function kindOf(code: RefusalCode, action: ActionName): Failure['kind'] {
  if (code === 'ConnectionReset' && reads(action)) return 'retryable';
  return code === 'InternalError' && makesTwins.has(action) ? 'ambiguous' : meanings[code];
}

const ofOneItem: ReadonlySet<string> = new Set<RefusalCode>([
  'InvalidValue',
  'QuotaExceeded',
  'WrongState',
  'NotFound',
  'DuplicateRule',
]);

/** True if one bad item may have failed a whole batch with no effect, so that the others are worth sending singly. */
export const sinksBatch = ({ code }: Failure): boolean => ofOneItem.has(code);
