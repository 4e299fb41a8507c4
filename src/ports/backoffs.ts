import type { Address } from '../core/resource.ts';
import type { Where } from './queue.ts';

/** Actions that a cloud refuses again and again, by their address: a wait that grows, which any worker keeps. */
export interface Backoffs {
  /** By address. */
  list(where: Where): Promise<readonly Backoff[]>;
  /** Takes the place of what was kept of the address. `forMs`: from now on, by the store's clock. */
  put(where: Where, refused: Refused, forMs: number): Promise<void>;
  /** Of this address; of all in the scope where none is named. */
  clear(where: Where, address?: Address): Promise<void>;
}

/** An action that was refused. `digest`: of the action; one that differs is another matter. */
export interface Refused {
  readonly address: Address;
  readonly digest: string;
  readonly generation: number;
  /** How often in a row. */
  readonly failures: number;
  /** In the words of the cloud. */
  readonly said: string;
}

/** `until`: ms since the epoch. `waits`: it is not over yet, by the store's clock. */
export interface Backoff extends Refused {
  readonly until: number;
  readonly waits: boolean;
}
