import type { Sent } from '../core/batches.ts';
import type { Failure } from '../core/failure.ts';
import type { Lease } from '../ports/leases.ts';
import type { CallRecord, Reconcile } from '../ports/ledger.ts';
import type { Limiter, Need, Rank, Request } from '../ports/limiter.ts';
import type { Answer, Call, KeptOperation, KeptOperations, Operations, StoreTime } from '../ports/provider.ts';
import { type Cancellation, Cancelled, type ReconcileControl } from './control.ts';
import type { EnginePorts, Site } from './ports.ts';

/** A reconcile's way to its cloud: makes the `Call`s that spend budgets, check the lease, and remember what was sent. */
export interface Calls {
  /** For reading; a write over it is refused. */
  reading(log?: CallLog): Call;
  /** For sending this. `before`: awaited once the budget is there, right before each mutating request. */
  writing(log: CallLog, sent: Sent, before?: () => Promise<void>): Call;
  readonly calls: { reads: number; writes: number };
}

/** The result of one use of the calls. `sent`: mutating requests that were sent, answered or not. */
export interface CallLog {
  readonly records: CallRecord[];
  sent: number;
  failure: Failure | undefined;
}

export const callLog = (): CallLog => ({ records: [], sent: 0, failure: undefined });

interface CallsInput {
  readonly site: Site;
  readonly ports: Pick<EnginePorts, 'limiter' | 'clock'>;
  readonly cancellation: Cancellation;
  readonly notify: ReconcileControl['notify'];
  /** Absent: this reconcile only observes. */
  readonly lease?: Lease;
  /** Absent: there is no store to keep them. */
  readonly operations?: Operations;
  /** Absent: there is no store, or this reconcile only observes. */
  readonly storeTime?: () => StoreTime;
}

/** `estate`: whose share of the budgets it spends. */
export function callsOf(estate: string, input: CallsInput): Calls {
  const calls = { reads: 0, writes: 0 };
  const admittedAt = new WeakMap<Request, number>();
  const call = (log: CallLog, rank: Rank, admitWrite: (request: Request) => Promise<void>): Call => ({
    signal: input.cancellation.requests,
    secret: input.site.secret,
    ...(input.site.settings === undefined ? {} : { settings: input.site.settings }),
    ...(input.operations === undefined ? {} : { operations: input.operations }),
    ...(input.storeTime === undefined ? {} : { storeTime: input.storeTime }),
    admit: async (request) => {
      admittedAt.set(request, await budgetFor(request, { rank, share: estate }, input));
      if (request.mutating) await admitWrite(request);
      input.cancellation.waits.throwIfAborted();
      if (request.mutating) log.sent += 1;
    },
    report: (request, answer) => {
      calls[request.mutating ? 'writes' : 'reads'] += 1;
      const record = recordOf(request, answer);
      log.failure = answer.failure;
      log.records.push(record);
      input.notify?.({ at: 'called', ...record, mutating: request.mutating, lanes: rateLimitsOf(request) });
      reportToLimiter(input.ports.limiter, request, answer, admittedAt.get(request) ?? 0);
    },
  });
  return {
    calls,
    reading: (log = callLog()) =>
      call(log, 'reads', ({ action }) => Promise.reject(new Error(`${action} writes, and this is a look`))),
    writing: (log, sent, before) =>
      call(log, sent === 'delete' ? 'frees' : 'writes', async () => {
        await before?.();
        if (input.lease && input.lease.remainingMs() > 0) return;
        input.cancellation.stop('the lease ran out');
        throw new Cancelled('the lease ran out');
      }),
  };
}

function reportToLimiter(limiter: Limiter, { costs }: Request, { failure, remaining }: Answer, sentAt: number): void {
  for (const { rateLimit, amount } of remaining ?? []) limiter.learn(rateLimit, amount);
  if (failure?.kind !== 'throttled') return;
  const retryAfterMs = failure.retryAfterMs ?? 0;
  for (const { rateLimit, amount } of costs) limiter.slow(rateLimit.key, { sentAt, retryAfterMs, amount });
}

const recordOf = ({ action }: Request, { requestId, durationMs, failure }: Answer): CallRecord => ({
  action,
  durationMs,
  ...(requestId === undefined ? {} : { requestId }),
  ...(failure === undefined ? {} : { code: failure.code }),
});

const rateLimitsOf = ({ costs }: Request): readonly string[] => costs.map(({ rateLimit }) => rateLimit.key);

/** The wait for a rate limit after which people are notified. */
const notifyAfterMs = 1000;
/** Less is no wait: budgets that are shared are asked for over a network. */
const leastWaitMs = 20;

type BudgetClaim = Pick<Need, 'rank' | 'share'>;

async function budgetFor({ action, costs }: Request, claim: BudgetClaim, input: CallsInput): Promise<number> {
  const { ports, cancellation, notify } = input;
  const taken = ports.limiter.take({ costs, ...claim }, cancellation.waits);
  if (!notify) return taken;
  const from = ports.clock.now();
  const timer = new AbortController();
  ports.clock.sleep(notifyAfterMs, timer.signal).then(
    () => notify({ at: 'waiting', why: 'budget', detail: action }),
    () => undefined,
  );
  return taken.finally(() => {
    timer.abort();
    const forMs = ports.clock.now() - from;
    if (forMs >= leastWaitMs) notify({ at: 'waited', why: 'budget', detail: action, forMs });
  });
}

/** The long-running operations of one estate and scope. */
export interface OperationStore extends Operations {
  list(): Promise<readonly KeptOperation[]>;
}

export const operationStoreOf = (
  operations: KeptOperations,
  { estate, scope }: Pick<Reconcile, 'estate' | 'scope'>,
): OperationStore => ({
  list: () => operations.list(estate, scope),
  keep: (id, state) => operations.keep(estate, scope, { id, state }),
  drop: (id) => operations.drop(estate, scope, id),
});
