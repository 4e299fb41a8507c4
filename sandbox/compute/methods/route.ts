import { refused, required } from '../errors.ts';
import { globalList } from '../listing.ts';
import { type Asked, type Context, get, list, type Method, write } from '../method.ts';
import { begin } from '../operation.ts';
import { pathTo } from '../place.ts';
import { freshNumber } from '../project.ts';
import type { Operation, Route } from '../records.ts';
import { checkedName, mustBeFree, referenced, seen, target } from '../resource.ts';
import { routeContent, routeJson, routeMessage } from '../route.ts';

const idOf = ({ at }: Asked): string => `global/routes/${at['route']}`;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/routes */
export const routeMethods: readonly Method[] = [
  get({
    id: 'compute.routes.get',
    path: 'global/routes/{route}',
    run: ({ project }, asked) => routeJson(project, seen(project, project.routes, idOf(asked))),
  }),
  list({
    id: 'compute.routes.list',
    path: 'global/routes',
    run: globalList('route', ({ routes }) => routes, routeJson),
  }),
  write({ id: 'compute.routes.insert', verb: 'POST', path: 'global/routes', run: insert }),
  write({
    id: 'compute.routes.delete',
    verb: 'DELETE',
    path: 'global/routes/{route}',
    run: (context, asked) => {
      const { project } = context;
      const route = target(project, project.routes, idOf(asked));
      mustBeDeletable(context, route);
      return begin(context, {
        type: 'delete',
        target: route,
        ms: project.durations.network,
        finish: () => project.routes.remove(route.id),
      });
    },
  }),
];

function insert(context: Context, { body }: Asked): Operation {
  const { project, now } = context;
  const given = routeMessage(body, 'resource');
  const name = checkedName(given.name);
  const content = routeContent(project, given);
  if (!given.network) throw required('resource.network');
  const field = { value: given.network, field: 'resource.network' };
  const network = referenced(project, { table: project.networks, collection: 'networks' }, field);
  const id = `global/routes/${name}`;
  mustBeFree(project, project.routes, id);
  mustFit(context);
  const route: Route = {
    id,
    number: freshNumber(project),
    name,
    scope: 'global',
    createdAt: now,
    network: network.id,
    ...content,
  };
  return begin(context, {
    type: 'insert',
    target: route,
    ms: project.durations.network,
    finish: () => void project.routes.put(route),
  });
}

/** "You can't delete a subnet route": https://docs.cloud.google.com/vpc/docs/routes#subnet-routes; nor one of a peering */
function mustBeDeletable({ project }: Context, { id, next }: Route): void {
  if (next.kind === 'peering')
    throw refused(
      'invalid',
      `Invalid value for field 'route': '${pathTo(project, id)}'. The route of a peering cannot be deleted.`,
    );
  if (next.kind === 'subnetwork')
    throw refused(
      'invalid',
      `Invalid value for field 'route': '${pathTo(project, id)}'. The local route of a subnetwork cannot be deleted.`,
    );
}

/** Counts what people made: https://docs.cloud.google.com/vpc/docs/quota#per_project */
function mustFit({ project }: Context): void {
  const { routes } = project.quotas;
  const made = [...project.routes.values()].filter(
    ({ next }) => next.kind !== 'subnetwork' && next.kind !== 'peering',
  ).length;
  if (made >= routes) throw refused('quotaExceeded', `Quota 'ROUTES' exceeded.  Limit: ${routes.toFixed(1)} globally.`);
}
