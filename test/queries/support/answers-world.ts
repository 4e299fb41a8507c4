import { answersOf } from '../../../src/bootstrap/http-server.ts';
import type { Caller } from '../../../src/http/api/route.ts';
import { approvalsRoutes } from '../../../src/http/api/routes/approvals.ts';
import { driftRoutes } from '../../../src/http/api/routes/drift.ts';
import { explanationsRoutes } from '../../../src/http/api/routes/explanations.ts';
import { pausesRoutes } from '../../../src/http/api/routes/pauses.ts';
import { plansRoutes } from '../../../src/http/api/routes/plans.ts';
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
  const answers = answersOf(yard);
  const desk = { ...answers, estates: () => store.estates.list() };
  const routes = [driftRoutes, explanationsRoutes, approvalsRoutes, pausesRoutes, plansRoutes].flatMap((of) =>
    of(desk),
  );
  return {
    ...world,
    api: apiWorld({ routes, callers, clock }),
    meddle: (tier) => {
      const ids = cloud.inspect.live().flatMap(({ type, id }) => (type === 'instance' ? [id] : []));
      cloud.outside.do('TagObjects', { ids, tags: { tier } });
    },
  };
}
