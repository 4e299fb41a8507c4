import type { Cloud } from '../../core/resource.ts';
import type { Clock, Log } from '../../ports/clock-and-log.ts';
import type { Delivery } from '../senders/sender.ts';
import { type Collector, collector } from './collector.ts';
import type { Hooks } from './hook.ts';

/** What was taken, on its way to those whom it concerns: repositories, or one cloud. By estate. */
export interface Lanes {
  of(cloud: Cloud | undefined): Collector<Delivery>;
  close(): Promise<void>;
}

export interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
}

export function lanesTo(hooks: Hooks, { clock, log }: Surroundings): Lanes {
  const lanes = new Map<Cloud | undefined, Collector<Delivery>>();
  const open = (cloud: Cloud | undefined): Collector<Delivery> =>
    collector<Delivery>({
      clock,
      deliver: async (estate, deliveries) => {
        if (cloud === undefined) return hooks.ring(estate);
        const events = deliveries.map(({ event }) => event);
        return hooks.touched(estate, cloud, events);
      },
      lost: (estate, count, error) => {
        const why = error instanceof Error ? error.message : String(error);
        const of = cloud ?? 'repositories';
        log.error('what hooks told could not be passed on: the next periodic look finds it', {
          estate,
          of,
          count,
          why,
        });
      },
    });
  return {
    of: (cloud) => {
      const lane = lanes.get(cloud) ?? open(cloud);
      lanes.set(cloud, lane);
      return lane;
    },
    close: async () => {
      await Promise.all([...lanes.values()].map((lane) => lane.close()));
    },
  };
}
