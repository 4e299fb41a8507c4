import type { Clock, Log } from '../../ports/clock-and-log.ts';

/** One line for each hook and reason in so long, with how many there were: whoever floods us does not flood our log. */
const everyMs = 10_000;

export interface RejectionLog {
  /** `at`: a hook that exists; what a stranger has typed is never written. */
  record(reason: RejectReason, at?: { readonly estate: string; readonly webhook: string }): void;
  /** Logs the counts that are not logged yet. */
  close(): void;
}

export type RejectReason =
  | 'there is no such hook'
  | 'forged'
  | 'too old'
  | 'its proof is out of reach'
  | 'its secret cannot be had'
  | 'its keys are not allowed'
  | 'not as its sender sends it'
  | 'too many'
  | 'the store is out of reach';

interface RejectionCount {
  readonly fields: { readonly estate?: string; readonly webhook?: string; readonly reason: RejectReason };
  count: number;
  writtenAt: number;
}

export function rejectionLog(log: Log, clock: Clock): RejectionLog {
  const counts = new Map<string, RejectionCount>();
  const write = (each: RejectionCount): void => {
    if (each.count === 0) return;
    log.warn('rejected deliveries of a webhook', { ...each.fields, count: each.count });
    each.count = 0;
    each.writtenAt = clock.now();
  };
  return {
    record: (reason, at) => {
      const key = JSON.stringify([reason, at?.estate, at?.webhook]);
      const each = counts.get(key) ?? { fields: { ...at, reason }, count: 0, writtenAt: Number.NEGATIVE_INFINITY };
      counts.set(key, each);
      each.count += 1;
      if (clock.now() - each.writtenAt >= everyMs) write(each);
    },
    close: () => {
      for (const each of counts.values()) write(each);
    },
  };
}
