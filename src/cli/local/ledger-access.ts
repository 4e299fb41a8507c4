import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { ScopeKey } from '../../core/resource.ts';
import type { Estate } from '../../estate/load.ts';
import type { Lease } from '../../ports/leases.ts';
import type { Authority, Reconcile } from '../../ports/ledger.ts';
import type { Store } from '../../ports/store.ts';
import type { Context } from '../context.ts';
import { exitCodes, UserError } from '../errors.ts';
import { formatDuration } from '../output/format.ts';
import { progressOn } from '../output/progress.ts';
import { acceptFolder } from './accept.ts';

/** Interval of asking again for a lease that somebody else holds. */
const askEveryMs = 500;

export interface LeaseRequest {
  readonly estate: string;
  readonly scopes: readonly ScopeKey[];
  readonly store: Store;
  readonly timeoutMs: number;
}

/** Our name for others who wait for us, and for readers of the ledger. */
export const localUser = (): string => userInfo().username;
const holder = (): string => `${localUser()}@${hostname()} (process ${process.pid})`;

/**
 * Takes the lease of every scope, in one order for all, and lets go of them however the work ends. One that somebody
 * else holds is waited for until the timeout; then it is a refusal that says who holds it and since when.
 */
export async function withLeases<T>(
  request: LeaseRequest,
  context: Context,
  work: (leases: ReadonlyMap<ScopeKey, Lease>) => Promise<T>,
): Promise<T> {
  const leases = new Map<ScopeKey, Lease>();
  const progress = progressOn(context.terminal.err, context.clock);
  const deadline = context.clock.now() + request.timeoutMs;
  const acquire = async (scope: ScopeKey): Promise<Lease> => {
    for (;;) {
      const acquired = await request.store.leases.acquire(request.estate, scope, holder());
      if (acquired.ok) return acquired.lease;
      const now = context.clock.now();
      const since = `since ${new Date(acquired.since).toISOString()} (${formatDuration(now - acquired.since)})`;
      if (now >= deadline) throw leasedByAnother(scope, acquired.heldBy, since);
      progress.show(scope, `waiting for ${acquired.heldBy}, who holds the lease ${since}`);
      await context.clock.sleep(askEveryMs, context.signal);
    }
  };
  try {
    for (const scope of request.scopes.toSorted()) {
      leases.set(scope, await acquire(scope));
    }
    progress.end();
    return await work(leases);
  } finally {
    progress.end();
    await Promise.all([...leases.values()].map((lease) => lease.release()));
  }
}

const leasedByAnother = (scope: ScopeKey, heldBy: string, since: string): UserError =>
  new UserError(`${scope} is locked by another process.`, {
    why: `${heldBy} holds its lease ${since}.`,
    next: 'Wait for it with --lock-timeout 5m, or check that process. The lease of a dead process expires by itself.',
    code: exitCodes.refused,
  });

/** A change of the store itself, not of a cloud: under the lease of one scope, in the newest generation. */
interface LedgerWork {
  readonly estate: Estate;
  readonly store: Store;
  readonly scope: ScopeKey;
  readonly lockTimeoutMs: number;
}

/** Runs `work` with the right to write to the ledger in the name of the local user. */
export function withLedgerAccess<T>(
  { estate, store, scope, lockTimeoutMs }: LedgerWork,
  context: Context,
  work: (reconcile: Reconcile) => Promise<T>,
): Promise<T> {
  const request = { estate: estate.name, store, scopes: [scope], timeoutMs: lockTimeoutMs };
  return withLeases(request, context, async (leases) => {
    const lease = leases.get(scope);
    if (lease === undefined) throw new Error(`${scope} is not leased`);
    const { number: generation, revision } = await acceptFolder(estate, store, context);
    const authority: Authority = { revision, generation, plan: 'none', approver: localUser() };
    return work({
      estate: estate.name,
      scope,
      reconcileId: randomUUID(),
      authority,
      lease: { holder: lease.holder, epoch: lease.epoch },
    });
  });
}
