import type { Address } from './resource.ts';

/** `what`: healing (of drift) and rollout (of specs) are held apart. `incident`: the name of the incident that it is a part of. */
export interface Held {
  readonly what: 'healing' | 'rollout' | 'all';
  readonly of: PauseSubject;
  readonly incident?: string | undefined;
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
  /** Healing that only narrows traffic goes on. */
  readonly letsNarrow?: boolean | undefined;
}

/** The existing subjects, by each way to name them. */
export interface SubjectNames {
  readonly address: ReadonlySet<Address>;
  readonly owner: ReadonlySet<string>;
  readonly target: ReadonlySet<string>;
}
