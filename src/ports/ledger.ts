import type { Failure } from '../core/failure.ts';
import type { KeptTerms } from '../core/knowledge.ts';
import type { Address, CloudId, Kind, ScopeKey } from '../core/resource.ts';

/**
 * The append-only record. An intent is committed before the cloud is called; exactly one settlement follows it.
 * Intending the same action (address, verb) again while its intent is open returns that intent with `attempt` + 1.
 */
export interface Ledger {
  /**
   * One transaction: all or, where one is refused, only that one refused. Same order as `drafts`. Refused is what a limit
   * forbids, and an address where a higher generation than the pass's was applied or removed.
   */
  intend(pass: Pass, drafts: readonly IntentDraft[]): Promise<readonly Intended[]>;
  /** One transaction: the entry, what we now claim or released, and what is now applied. */
  settle(pass: Pass, settlements: readonly Settlement[]): Promise<void>;
  /** Something that is neither: an approval, a takeover, a pause. Returns its sequence number. */
  note(estate: string, note: Readonly<Record<string, unknown>>): Promise<number>;
  entries(filter: LedgerFilter): AsyncIterable<LedgerEntry>;
}

/** Who and why: written into every entry. `scope` is leased by `epoch`. */
export interface Pass {
  readonly estate: string;
  readonly scope: ScopeKey;
  readonly reconcileId: string;
  readonly authority: Authority;
  readonly lease: { readonly holder: string; readonly epoch: number };
}

export interface Authority {
  readonly revision: string;
  readonly generation: number;
  readonly plan: string;
  readonly approver: string;
  readonly allowDeletes?: number;
}

export interface IntentDraft {
  readonly verb: 'create' | 'update' | 'delete' | 'adopt' | 'forget';
  readonly subject: Subject;
  /** Field changes, or the whole attributes of what is made or removed, so that it can be put back. No secrets: hashes only. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Takes a place in the estate's count: a delete, a replace, or an update that stops a machine. One for all rules of a `document`. */
  readonly counts?: {
    readonly as: 'delete' | 'replace';
    readonly by: 'generation' | 'healing';
    readonly document?: Address;
  };
}

export interface Subject {
  readonly kind: Kind;
  readonly address: Address;
  readonly id?: CloudId;
}

export type Intended =
  | { readonly ok: true; readonly intent: string; readonly attempt: number }
  | { readonly ok: false; readonly reason: 'limit' | 'generation'; readonly why: string };

export interface Settlement {
  readonly intent: string;
  readonly outcome: { readonly ok: true } | { readonly ok: false; readonly failure: Failure };
  /** False leaves the intent open: the call may have happened and is looked for later. */
  readonly closes: boolean;
  readonly effects: readonly Effect[];
  readonly calls: readonly CallRecord[];
}

/** What a settlement changes in what the store knows. What is applied never goes back to an intent of a lower generation. */
export type Effect =
  | {
      readonly do: 'claim';
      readonly subject: Subject;
      readonly terms: KeptTerms;
    }
  | { readonly do: 'release'; readonly id: CloudId }
  | {
      readonly do: 'apply';
      readonly address: Address;
      readonly attributes: unknown;
      readonly documents?: readonly Address[];
    }
  | { readonly do: 'unapply'; readonly address: Address };

/** One request to the cloud: the API's action, the cloud's request id, how long. */
export interface CallRecord {
  readonly action: string;
  readonly requestId?: string;
  readonly durationMs: number;
  readonly code?: string;
}

export interface LedgerFilter {
  readonly estate?: string;
  readonly address?: Address;
  readonly after?: number;
  readonly limit?: number;
}

export interface LedgerEntry {
  readonly seq: number;
  readonly at: number;
  readonly type: 'intent' | 'settlement' | 'note';
  readonly body: Readonly<Record<string, unknown>>;
  readonly chain: { readonly previous: string; readonly hash: string };
}
