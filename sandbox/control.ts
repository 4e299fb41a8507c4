import type { Budgets } from './budgets.ts';
import type { Clock } from './clock.ts';
import type { World } from './ec2/world.ts';
import type { Faults } from './faults.ts';
import type { Lag } from './lag.ts';
import type { RequestLog } from './request-log.ts';

/** The strings behind the stage. In the same process they are pulled directly, from another over HTTP (`control-http.ts`). */
export interface Control {
  readonly clock: Clock;
  readonly lag: Pick<Lag, 'set'>;
  readonly budgets: Budgets;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly world: World;
}
