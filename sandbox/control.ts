import type { World as ArmWorld } from './arm/world.ts';
import type { Budgets } from './budgets.ts';
import type { Clock } from './clock.ts';
import type { World as ComputeWorld } from './compute/world.ts';
import type { World } from './ec2/world.ts';
import type { Events } from './events/events.ts';
import type { Faults } from './faults.ts';
import type { Lag } from './lag.ts';
import type { RequestLog } from './request-log.ts';
import type { Shelf } from './secrets/shelf.ts';
import type { Spellings } from './spelling.ts';

/** The strings behind the stage. In the same process they are pulled directly, from another over HTTP (`control-http.ts`). */
export type Control = Strings & Worlds;

interface Strings {
  readonly clock: Clock;
  readonly lag: Pick<Lag, 'set'>;
  readonly budgets: Budgets;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly spellings: Pick<Spellings, 'set'>;
  /** The clouds' audit services. Edits through the control interface are no requests, so they cause no event. */
  readonly events: Pick<Events, 'subscribe' | 'keys' | 'states'>;
}

/** The contents of each cloud. */
interface Worlds {
  readonly ec2: World;
  readonly compute: ComputeWorld;
  readonly arm: ArmWorld;
  /** The secret stores of all three clouds. */
  readonly secrets: Shelf;
}
