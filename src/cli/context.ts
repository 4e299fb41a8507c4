import type { Clock } from '../ports/clock-and-log.ts';
import type { ExitCode } from './exit-code.ts';
import type { House } from './house.ts';
import type { Terminal } from './terminal.ts';

/** What every verb is given by the root. */
export interface Context {
  readonly terminal: Terminal;
  readonly house: House;
  readonly clock: Clock;
  /** Aborts on Ctrl-C; every wait ends with it. */
  readonly stop: AbortSignal;
  /** Says how the run ended; the last word counts. */
  finish(code: ExitCode): void;
}
