import type { Budgets } from './budgets.ts';
import type { Clock } from './clock.ts';
import type { Shared } from './exchange.ts';
import type { Faults } from './faults.ts';
import type { Lag } from './lag.ts';
import type { RequestLog } from './request-log.ts';

/** The strings behind the stage, for whoever runs the sandbox in the same process. */
export interface Control {
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly lag: Pick<Lag, 'set'>;
}

export function makeControl({ clock, budgets, faults, log }: Shared, lag: Lag): Control {
  return { clock, budgets, faults, log, lag };
}
