import type { CallOptions } from 'google-gax';
import type { Result } from '../../../src/core/failure.ts';
import type { Mark } from '../../../src/core/observed.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import { lastOf, pathOf } from '../links.ts';
import { describe } from '../marks/description.ts';
import type { Route } from '../messages.ts';
import { carryOut } from '../operations.ts';
import { answered } from '../pages.ts';
import type { Scope } from '../scope.ts';
import type { Sdk } from '../sdk.ts';
import { isDefaultRoute, routePart, routesOf } from './routes.ts';

/** The network, such as `projects/acme/global/networks/core`, and the mark that identifies its parts. */
export interface OpenRequest {
  readonly path: string;
  readonly mark: Mark;
}

/**
 * The network's own default route, made if it is absent. Its name follows from the network's, so it is made once: no request
 * id, by which the cloud would answer the making of one that is gone again.
 */
export async function openDefaultRoute({ path, mark }: OpenRequest, scope: Scope, call: Call): Promise<Result<void>> {
  const routes = await routesOf(path, scope, call);
  if (!routes.ok) return routes;
  if (routes.value.some(isDefaultRoute)) return done;
  const name = nameOf(path);
  const routeResource: Route = {
    name,
    network: path,
    description: describe('', mark, routePart),
    destRange: '0.0.0.0/0',
    nextHopGateway: `projects/${scope.project}/global/gateways/default-internet-gateway`,
    priority: 1000,
  };
  const insert = async (sdk: Sdk, options: CallOptions) =>
    sdk.routes().insert({ project: scope.project, routeResource }, options);
  const made = await carryOut('routes.insert', insert, scope, call);
  if (made.ok || made.failure.kind !== 'conflict') return made.ok ? done : made;
  return taken({ path, name }, scope, call);
}

/** The name is taken: by the route itself, by one that an earlier try is still making, or by somebody else's. */
async function taken(
  { path, name }: { readonly path: string; readonly name: string },
  { listings, project }: Scope,
  call: Call,
): Promise<Result<void>> {
  const routes = await answered(listings.routes('network', call));
  if (!routes.ok) return routes;
  const existing = routes.value.find((route) => route.name === name);
  if (!existing) return failed('retryable', 'StillMade', `route ${name} is being created, and is not there yet`);
  if (isDefaultRoute(existing) && pathOf(existing.network ?? '') === path) return done;
  const message = `${name} stands in ${project} and leads elsewhere; delete or rename it by hand: it has the name of the default route of ${path}`;
  return failed('terminal', 'alreadyExists', message);
}

/** `core-internet`, where there is room for it. */
const nameOf = (path: string): string => `${lastOf(path).slice(0, 63 - '-internet'.length)}-internet`;
