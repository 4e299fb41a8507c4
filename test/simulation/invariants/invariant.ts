import type { Trace } from '../trace.ts';

/** Something that holds in every run. `broken`: where it did not, in words; empty: it held. */
export interface Invariant {
  readonly number: number;
  readonly name: string;
  broken(trace: Trace): readonly string[];
}

/** The same words are said once. */
export const unique = (words: readonly string[]): readonly string[] => [...new Set(words)];
