import { type RouteDependencies, routesOn } from '../../../../src/http/api/routes/index.ts';

/** Whatever is asked of it, it is another such thing. */
const anything: unknown = new Proxy(() => anything, { get: () => anything });

/** Every route there is, for what it says of itself: nothing stands behind them. */
// why: what a route declares does not depend on its dependencies
export const everyRoute = routesOn(anything as RouteDependencies);
