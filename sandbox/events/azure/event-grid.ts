import { freshGuid } from '../../arm/guid.ts';
import type { Operation } from '../../arm/subscription.ts';
import type { World } from '../../arm/world.ts';
import type { Clock } from '../../clock.ts';
import type { Random } from '../../random.ts';
import type { Source, Written } from '../written.ts';
import { resourceEvent } from './resource-event.ts';

export interface EventGridParts {
  readonly clock: Clock;
  readonly world: World;
  readonly random: Random;
}

/** The system topic of a subscription, which tells of a write when it has succeeded or failed: https://learn.microsoft.com/azure/event-grid/event-schema-subscriptions */
export function eventGrid({ clock, world, random }: EventGridParts): Source {
  return async function* (written) {
    const id = freshGuid(random);
    const operation = await ended(clock, world, written);
    const status = operation?.outcome.status === 'Failed' ? 'Failed' : 'Succeeded';
    yield resourceEvent(written, { id, status, at: operation?.time.due ?? written.time });
  };
}

/** The operation that the answer says to follow, when it is done; undefined where the write was done with its answer. */
async function ended(clock: Clock, world: World, { call, response }: Written): Promise<Operation | undefined> {
  const { 'azure-asyncoperation': followed, location } = response.headers;
  const id = /\/(?:operations|operationResults)\/([^/?]+)/.exec(followed ?? location ?? '')?.[1] ?? '';
  const known = (): Operation | undefined => world.subscription(call.account).operations.get(id);
  for (let now = known(); now; now = known()) {
    if (now.outcome.status !== 'InProgress') return now;
    await clock.sleep(Math.max(1, now.time.due - clock.now()));
  }
  return undefined;
}
