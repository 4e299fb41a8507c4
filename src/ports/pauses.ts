/** Holding still. Both verbs write a note into the ledger, in the same transaction. */
export interface Pauses {
  begin(estate: string, pause: PauseDraft): Promise<Pause>;
  /** Ends all that hold exactly this still; returns those that ended. */
  end(estate: string, held: Held, by: { readonly person: string; readonly reason: string }): Promise<readonly Pause[]>;
  /** Those that have neither ended nor run out, oldest first. */
  inForce(estate: string): Promise<readonly Pause[]>;
}

/** `what`: healing (of drift) and rollout (of specs) are held apart. */
export interface Held {
  readonly what: 'healing' | 'rollout' | 'all';
  readonly of: PauseSubject;
}

/** `name`: an address (or a document's), an owner as in `metadata.owner`, a target's name. */
export type PauseSubject =
  | { readonly by: 'estate' }
  | { readonly by: 'address' | 'owner' | 'target'; readonly name: string };

/** `until`: ms since the epoch; a pause ends by itself. */
export interface PauseDraft extends Held {
  readonly reason: string;
  readonly person: string;
  readonly until: number;
}

export interface Pause extends PauseDraft {
  readonly id: number;
  readonly at: number;
}
