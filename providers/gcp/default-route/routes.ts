import type { Result } from '../../../src/core/failure.ts';
import type { Mark, Part } from '../../../src/core/observed.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { idOf } from '../cloud-id.ts';
import { lastOf, pathOf } from '../links.ts';
import { readDescription } from '../marks/description.ts';
import { isSameOwner } from '../marks.ts';
import type { Route } from '../messages.ts';
import { answered } from '../pages.ts';
import type { Scope } from '../scope.ts';

/** The part of a network that leads to the internet: https://cloud.google.com/vpc/docs/routes#routingpacketsinternet */
export const routePart = 'default-route';

/** The existing parts of a network's way to the internet. */
export interface DefaultRoute {
  readonly internet: boolean | 'partial';
  readonly parts: readonly Part[];
  readonly missing: readonly string[];
}

/**
 *   default routes of the network           | internet
 *   ----------------------------------------+----------
 *   one that is active                      | true, regardless of its creator
 *   only ones that the cloud still makes    | 'partial'
 *   none                                    | false
 *
 * Its part is the route that the cloud made with the network, or ours: the routes that Setpoint may delete.
 */
export function defaultRouteOf(network: string, mark: Mark | undefined, routes: readonly Route[]): DefaultRoute {
  const leading = routes.filter((route) => isDefaultRoute(route) && pathOf(route.network ?? '') === network);
  const own = leading.filter((route) => isCreatedByCloud(route) || isOurs(route, mark));
  const parts = own.flatMap((route) => {
    const id = idOf(route);
    return id === undefined ? [] : [{ part: routePart, id }];
  });
  if (leading.length === 0) return { internet: false, parts, missing: [] };
  if (leading.every(({ routeStatus }) => routeStatus === 'PENDING'))
    return { internet: 'partial', parts, missing: [routePart] };
  return { internet: true, parts, missing: [] };
}

/** A tagged route serves only the machines with its tags. */
export const isDefaultRoute = ({ destRange, nextHopGateway, tags }: Route): boolean =>
  destRange === '0.0.0.0/0' && lastOf(nextHopGateway ?? '') === 'default-internet-gateway' && (tags ?? []).length === 0;

/** "Default route to the Internet.", `default-route-896c4dea71047e56`: made with every network, and by nobody else so. */
export const isCreatedByCloud = ({ name, description }: Route): boolean =>
  /^default-route-(?:r-)?[0-9a-f]+$/.test(name ?? '') && /^default route to the internet/i.test(description ?? '');

export function isOurs({ description }: Route, mark: Mark | undefined): boolean {
  const read = readDescription(description);
  return read.part === routePart && isSameOwner(mark, read.mark);
}

/** Lists the routes anew: Setpoint must not delete a route because of an older listing. */
export async function routesOf(path: string, { listings }: Scope, call: Call): Promise<Result<readonly Route[]>> {
  const routes = await answered(listings.routes('network', call));
  return routes.ok ? { ok: true, value: routes.value.filter(({ network }) => pathOf(network ?? '') === path) } : routes;
}
