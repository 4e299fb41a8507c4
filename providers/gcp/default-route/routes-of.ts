import type { Result } from '../../../src/core/failure.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { pathOf } from '../links.ts';
import type { Route } from '../messages.ts';
import { answered } from '../pages.ts';
import type { Scope } from '../scope.ts';

/** Lists the routes anew: Setpoint must not delete a route because of an older listing. */
export async function routesOf(path: string, { listings }: Scope, call: Call): Promise<Result<readonly Route[]>> {
  const routes = await answered(listings.routes('network', call));
  return routes.ok ? { ok: true, value: routes.value.filter(({ network }) => pathOf(network ?? '') === path) } : routes;
}
