import type { Result } from '../../../src/core/failure.ts';
import type { Mark } from '../../../src/core/observed.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import type { Route } from '../messages.ts';
import { settle } from '../operations.ts';
import type { Scope } from '../scope.ts';
import { isCreatedByCloud, isDefaultRoute, isOurs, routesOf } from './routes.ts';

/** Deletes the default route that the cloud made with the network, or ours; a foreign route prevents this. */
export async function closeDefaultRoute(
  { path, mark }: { readonly path: string; readonly mark: Mark | undefined },
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  const routes = await routesOf(path, scope, call);
  if (!routes.ok) return routes;
  const leading = routes.value.filter(isDefaultRoute);
  const foreign = leading.find((route) => !isCreatedByCloud(route) && !isOurs(route, mark));
  if (foreign) {
    const message = `route ${foreign.name} leads from ${path} to the internet and does not carry its mark; delete it by hand, or write internet: true`;
    return failed('terminal', 'ForeignRoute', message);
  }
  return removeRoutes(leading, scope, call);
}

/** Routes that keep a network from being deleted: those that go with it, being its own or the cloud's, are not among `others`. */
export interface Routes {
  readonly own: readonly Route[];
  readonly others: readonly Route[];
}

export async function routesIn(
  { path, mark }: { readonly path: string; readonly mark: Mark | undefined },
  scope: Scope,
  call: Call,
): Promise<Result<Routes>> {
  const routes = await routesOf(path, scope, call);
  if (!routes.ok) return routes;
  const [own = [], rest = []] = [true, false].map((ours) => routes.value.filter((one) => isOurs(one, mark) === ours));
  const others = rest.filter((route) => !isCreatedByCloud(route) && !route.nextHopNetwork && !route.nextHopPeering);
  return { ok: true, value: { own, others } };
}

export async function removeRoutes(routes: readonly Route[], scope: Scope, call: Call): Promise<Result<void>> {
  for (const { name } of routes) {
    const begun = await scope.client.write('routes.delete', call, (sdk, options) =>
      sdk.routes().delete({ project: scope.project, route: name ?? '' }, options),
    );
    const [ended = begun] = await settle([begun], scope, call);
    if (!ended.ok && ended.failure.kind !== 'not-found') return ended;
  }
  return done;
}
