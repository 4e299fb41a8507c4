import type { WithholdCode } from '../core/action.ts';
import type { Failure } from '../core/failure.ts';
import type { Observed } from '../core/observed.ts';

/** What came of one action, as far as this pass knows. */
export type Outcome =
  | { readonly as: 'done'; readonly observed?: Observed }
  /** A person must act, or it failed too often. */
  | { readonly as: 'failed'; readonly failure: Failure }
  /** It did not happen: our view is stale. Look, and plan again. */
  | { readonly as: 'stale'; readonly failure: Failure }
  /** It may have happened: the intent stays open. */
  | { readonly as: 'open'; readonly failure: Failure }
  /** The pass ended first; nothing was sent. */
  | { readonly as: 'unsent' }
  /**
   * Nothing was sent. `limit`: the estate's count is full. `stale`: a newer generation is in force. `depends`: what it rests on did
   * not go well. Else: what people said since it was planned forbids it.
   */
  | { readonly as: 'withheld'; readonly code: WithholdCode; readonly why: string };

export const done: Outcome = { as: 'done' };
export const unsent: Outcome = { as: 'unsent' };
