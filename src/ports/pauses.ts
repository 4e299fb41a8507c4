import type { Held, PauseDraft } from '../core/pause.ts';
import type { By } from './by.ts';

/** Holding still. Both verbs write a note into the ledger, in the same transaction; where nothing ends, nothing is written. */
export interface Pauses {
  begin(estate: string, pause: PauseDraft): Promise<Pause>;
  /** Ends all that hold exactly this still; returns those that ended. */
  end(estate: string, held: Held, by: By): Promise<readonly Pause[]>;
  /** Those that have neither ended nor run out, oldest first. */
  inForce(estate: string): Promise<readonly Pause[]>;
}

export interface Pause extends PauseDraft {
  readonly id: number;
  readonly at: number;
}
