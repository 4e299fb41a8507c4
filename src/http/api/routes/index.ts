import type { Route } from '../route.ts';
import { type HealthDesk, healthRoutes } from './health.ts';

/** What the routes ask at, handed in by a root: one member a noun, of at most six in a group. */
export type Desks = Keeping;

/** The process itself. */
interface Keeping {
  readonly health: HealthDesk;
}

/** Every route of the API: one line a noun. */
export const routesOn = (desks: Desks): readonly Route[] => [...healthRoutes(desks.health)];
