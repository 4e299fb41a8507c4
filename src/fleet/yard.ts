import type { Cloud } from '../core/resource.ts';
import type { Progress } from '../engine/ports.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeptTree } from '../ports/fleet-state.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Provider } from '../ports/provider.ts';
import type { Queue } from '../ports/queue.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import type { Store } from '../ports/store.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/** What the passes of one worker stand on. */
export interface Yard {
  readonly store: Store;
  readonly queue: Queue;
  readonly limiter: Limiter;
  readonly outside: Outside;
  readonly clock: Clock;
  readonly telemetry: Telemetry<Progress>;
}

/** The ways to clouds, specs and secrets, wired by the root. */
export interface Outside {
  cloud(cloud: Cloud): Promise<Provider>;
  /** A tree that the store kept. */
  specs(kept: KeptTree, revision: string): SpecTree | Promise<SpecTree>;
  readonly secrets: Secrets;
  /** Whether targets may name an endpoint: an endpoint decides where credentials are sent. */
  readonly allowEndpoint: boolean;
  /** This worker, as others see it who wait for its leases. */
  readonly holder: string;
}
