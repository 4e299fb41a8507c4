/**
 * Why something is not done, or cannot be answered, as it was asked. `unknown`: there is no such thing that the asker may see;
 * `forbidden`: it is not theirs to do; `conflict`: something else has happened, or must happen first; `unsound`: what was sent is
 * wrong; `too-many`: too much of it is asked for at once; `away`: the database is not there, for a while.
 */
export type DeclineReason = 'unknown' | 'forbidden' | 'conflict' | 'unsound' | 'too-many' | 'away';

/** Thrown instead of an answer. The message is for people, says what to do next, and repeats nothing that was sent. */
export class Declined extends Error {
  readonly because: DeclineReason;
  /** For machines: data of ours, declared nowhere. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(because: DeclineReason, message: string, { cause, ...more }: Readonly<Record<string, unknown>> = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'Declined';
    this.because = because;
    this.more = more;
  }
}
