import type { Store } from '../../../src/ports/store.ts';

/** One database under test. */
export interface Harness {
  /** A new connection to it, as of another process. */
  connect(): Promise<Store>;
  /** The holder of this lease stopped renewing long ago. */
  lapse(estate: string, scope: string): Promise<void>;
  /** Time goes by. */
  later(ms: number): Promise<void>;
  /** The time that ends are compared with, ms since the epoch. */
  now(): number;
}

/** The estate of a law, and two processes' connections. */
export interface Bench extends Pick<Harness, 'lapse' | 'later' | 'now'> {
  readonly estate: string;
  readonly store: Store;
  readonly other: Store;
}

export type Laws = Readonly<Record<string, (bench: Bench) => Promise<void>>>;
