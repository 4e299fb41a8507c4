import { answersOn } from '../../../src/answers/answers-on.ts';
import { generationsOf } from '../../../src/fleet/generations.ts';
import type { Caller } from '../../../src/http/api/route.ts';
import { driftRoutes } from '../../../src/http/api/routes/drift.ts';
import { explanationsRoutes } from '../../../src/http/api/routes/explanations.ts';
import { type ApiWorld, apiWorld } from '../../http/api/support/api-world.ts';
import { machineIn } from '../../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld } from '../../support/fleet-world.ts';

/** A fleet in memory, and the API that answers out of its store. */
export interface AnswersWorld extends FleetWorld {
  readonly api: ApiWorld;
  /** Somebody changes the machines behind our back. */
  meddle(tier: string): void;
}

export const machine = machineIn({ image: 'img-1', size: 'small' });

export function answersWorld(callers: Readonly<Record<string, Caller>> = {}): AnswersWorld {
  const world = fleetWorld();
  const { store, yard, cloud, clock } = world;
  const answers = answersOn({ store, open: generationsOf(yard).open });
  const desk = { ...answers, estates: () => store.estates.list() };
  return {
    ...world,
    api: apiWorld({ routes: [...driftRoutes(desk), ...explanationsRoutes(desk)], callers, clock }),
    meddle: (tier) => {
      const ids = cloud.inspect.live().flatMap(({ type, id }) => (type === 'instance' ? [id] : []));
      cloud.outside.do('TagObjects', { ids, tags: { tier } });
    },
  };
}
