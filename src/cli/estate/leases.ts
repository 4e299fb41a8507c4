import { hostname, userInfo } from 'node:os';
import type { ScopeKey } from '../../core/resource.ts';
import type { Lease } from '../../ports/leases.ts';
import type { Store } from '../../ports/store.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { formatDuration } from '../output/duration.ts';
import { progressOn } from '../progress/progress.ts';

/** How often a lease that somebody else holds is asked for again. */
const askEveryMs = 500;

export interface LeaseRequest {
  readonly estate: string;
  readonly scopes: readonly ScopeKey[];
  readonly store: Store;
  readonly timeoutMs: number;
}

/** Who we are to others who wait for us, and to readers of the ledger. */
export const approver = (): string => userInfo().username;
const holder = (): string => `${approver()}@${hostname()} (process ${process.pid})`;

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
  try {
    for (const scope of request.scopes.toSorted()) {
      leases.set(
        scope,
        await acquire(request, scope, deadline, { ...context, say: (text) => progress.show(scope, text) }),
      );
    }
    progress.end();
    return await work(leases);
  } finally {
    progress.end();
    await Promise.all([...leases.values()].map((lease) => lease.release()));
  }
}

type Waiting = Context & { readonly say: (text: string) => void };

async function acquire(
  { estate, store }: LeaseRequest,
  scope: ScopeKey,
  deadline: number,
  { clock, stop, say }: Waiting,
): Promise<Lease> {
  for (;;) {
    const acquired = await store.leases.acquire(estate, scope, holder());
    if (acquired.ok) return acquired.lease;
    const now = clock.now();
    const since = `since ${new Date(acquired.since).toISOString()} (${formatDuration(now - acquired.since)})`;
    if (now >= deadline) {
      throw new Complaint(`${scope} is being changed by somebody else.`, {
        why: `${acquired.heldBy} holds its lease ${since}.`,
        next: 'Wait for it with --lock-timeout 5m, or see what that process does. A lease whose holder died ends by itself.',
        code: exitCodes.refused,
      });
    }
    say(`waiting for ${acquired.heldBy}, who holds the lease ${since}`);
    await clock.sleep(askEveryMs, stop);
  }
}
