import { type RouteDependencies, routesOn } from '../../../../src/http/api/routes/index.ts';

/** Whatever is asked of it, it is another such thing. */
const anything: unknown = new Proxy(() => anything, { get: () => anything });

/** Every route, for its declaration: it has no dependencies. */
// why: the declaration of a route does not use its dependencies
export const everyRoute = routesOn(anything as RouteDependencies);
