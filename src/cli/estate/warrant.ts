import { randomUUID } from 'node:crypto';
import type { ScopeKey } from '../../core/resource.ts';
import type { Authority, Pass } from '../../ports/ledger.ts';
import type { Store } from '../../ports/store.ts';
import type { Estate } from '../../queries/estate-view.ts';
import type { Context } from '../context.ts';
import { accept } from './accept.ts';
import { approver, withLeases } from './leases.ts';

/** What a person does to the store itself, not to a cloud: under the lease of one scope, in the newest generation. */
export interface Deed {
  readonly estate: Estate;
  readonly store: Store;
  readonly scope: ScopeKey;
  readonly lockTimeoutMs: number;
}

/** Runs `work` with the right to write to the ledger in the name of whoever sits there. */
export function withPass<T>(
  { estate, store, scope, lockTimeoutMs }: Deed,
  context: Context,
  work: (pass: Pass) => Promise<T>,
): Promise<T> {
  const request = { estate: estate.name, store, scopes: [scope], timeoutMs: lockTimeoutMs };
  return withLeases(request, context, async (leases) => {
    const lease = leases.get(scope);
    if (lease === undefined) throw new Error(`${scope} is not leased`);
    const { number: generation, revision } = await accept(estate, store);
    const authority: Authority = { revision, generation, plan: 'none', approver: approver() };
    return work({
      estate: estate.name,
      scope,
      reconcileId: randomUUID(),
      authority,
      lease: { holder: lease.holder, epoch: lease.epoch },
    });
  });
}
