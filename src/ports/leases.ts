import type { ScopeKey } from '../core/resource.ts';

/** The leases of tasks that one process of all does. */
export const taskLeases = {
  scheduler: { estate: '-', scope: 'caretaker' },
  signer: { estate: '-', scope: 'signer' },
} as const;

/** The right to write to one scope of one estate, held by one process at a time. */
export interface Leases {
  /** The lease, or who holds it and since when (ms since the epoch). Never waits. */
  acquire(estate: string, scope: ScopeKey, holder: string): Promise<Acquired>;
  /** The leases that somebody holds now; of all estates where none is named. */
  held(estate?: string): Promise<readonly HeldLease[]>;
}

/** `since`: ms since the epoch. */
export interface HeldLease {
  readonly estate: string;
  readonly scope: ScopeKey;
  readonly holder: string;
  readonly epoch: number;
  readonly since: number;
}

export type Acquired =
  | { readonly ok: true; readonly lease: Lease }
  | { readonly ok: false; readonly heldBy: string; readonly since: number };

/** `epoch` rises with every holder. The deadline is monotonic: a process that was stopped finds its lease gone. */
export interface Lease {
  readonly epoch: number;
  readonly holder: string;
  /** Milliseconds left on our own monotonic clock; 0 or less: stop. Checked before every mutating call. */
  remainingMs(): number;
  /** Aborts when the lease is lost or cannot be renewed in time. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

/** Thrown by a write to the ledger whose lease is no longer the newest: nothing was written. */
export class LeaseLost extends Error {
  constructor(scope: ScopeKey, holder: string) {
    super(`${holder} no longer holds the lease of ${scope}: nothing was written`);
    this.name = 'LeaseLost';
  }
}
