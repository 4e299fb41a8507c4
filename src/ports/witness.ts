import type { SignedCheckpoint, WitnessedCheckpoint } from '../core/ledger/chain.ts';

/** A place outside the database and its folder that keeps signed checkpoints, so that nobody who rewrites the ledger rewrites them too. */
export interface Witness {
  /** For people; without secrets. */
  readonly name: string;
  /** Rejects where the witness did not take it. It may be sent again. */
  send(checkpoint: SignedCheckpoint): Promise<void>;
  /** Every checkpoint that it holds, of all ledgers. Rejects where it cannot be read. */
  read(): Promise<readonly WitnessedCheckpoint[]>;
}
