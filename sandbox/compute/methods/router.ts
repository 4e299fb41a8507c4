import { invalid, required } from '../errors.ts';
import { aggregatedList, type Listing, list, SCOPES, seenIn } from '../listing.ts';
import {
  type Asked,
  aggregatedList as aggregated,
  type Context,
  get,
  list as listMethod,
  type Method,
  write,
} from '../method.ts';
import { begin } from '../operation.ts';
import { nameIn } from '../place.ts';
import type { Operation, Router, Scope } from '../records.ts';
import { checkedDescription, referenced, seen, target } from '../resource.ts';
import { bgpOf, mustNatAlone, natsOf, newRouter, routerJson, routerMessage } from '../router.ts';

const scopeOf = ({ at }: Asked): Scope => `regions/${at['region']}`;

const idOf = (asked: Asked): string => `${scopeOf(asked)}/routers/${asked.at['router']}`;

const ONE = 'regions/{region}/routers/{router}';

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/routers */
export const routerMethods: readonly Method[] = [
  get({
    id: 'compute.routers.get',
    path: ONE,
    run: ({ project }, asked) => routerJson(project, seen(project, project.routers, idOf(asked))),
  }),
  listMethod({
    id: 'compute.routers.list',
    path: 'regions/{region}/routers',
    run: (context, asked) => list(context, asked, scopeOf(asked), listing(context, 'List', scopeOf(asked))),
  }),
  aggregated({
    id: 'compute.routers.aggregatedList',
    path: 'aggregated/routers',
    run: (context, asked) => aggregatedList(context, asked, SCOPES.regions, listing(context, 'AggregatedList')),
  }),
  write({ id: 'compute.routers.insert', verb: 'POST', path: 'regions/{region}/routers', run: insert }),
  write({
    id: 'compute.routers.patch',
    verb: 'PATCH',
    path: ONE,
    run: (context, asked) => {
      const { project } = context;
      const after = patched(context, target(project, project.routers, idOf(asked)), asked.body);
      return begin(context, {
        type: 'patch',
        target: after,
        ms: project.durations.network,
        finish: () => void project.routers.put(after),
      });
    },
  }),
  write({
    id: 'compute.routers.delete',
    verb: 'DELETE',
    path: ONE,
    run: (context, asked) => {
      const { project } = context;
      const router = target(project, project.routers, idOf(asked));
      return begin(context, {
        type: 'delete',
        target: router,
        ms: project.durations.network,
        finish: () => project.routers.remove(router.id),
      });
    },
  }),
];

function listing({ project }: Context, kind: string, scope?: Scope): Listing<Router> {
  return {
    collection: 'routers',
    kind: `compute#router${kind}`,
    records: seenIn(project.routers, scope),
    render: (router) => routerJson(project, router),
  };
}

function insert(context: Context, asked: Asked): Operation {
  const { project, now } = context;
  const scope = scopeOf(asked);
  const given = routerMessage(asked.body, 'resource');
  if (given.region && nameIn(given.region) !== nameIn(scope))
    throw invalid('resource.region', given.region, `The request is for ${nameIn(scope)}.`);
  if (!given.network) throw required('resource.network');
  const field = { value: given.network, field: 'resource.network' };
  const network = referenced(project, { table: project.networks, collection: 'networks' }, field);
  const router = newRouter(project, given, { scope, network: network.id, createdAt: now });
  return begin(context, {
    type: 'insert',
    target: router,
    ms: project.durations.network,
    finish: () => void project.routers.put(router),
  });
}

/** A JSON merge patch: a list is replaced whole, and an absent field stays. Its network and its name are fixed. */
function patched({ project }: Context, before: Router, body: unknown): Router {
  const patch = routerMessage(body, 'resource');
  const known = routerMessage(routerJson(project, before), 'resource');
  for (const key of ['name', 'network', 'region'] as const)
    if (key in patch && nameIn(patch[key] ?? '') !== nameIn(known[key] ?? ''))
      throw invalid(`resource.${key}`, patch[key], 'This field of a router cannot be changed.');
  const after: Router = {
    ...before,
    ...('description' in patch ? { description: checkedDescription(patch.description) } : {}),
    ...('bgp' in patch ? { bgp: bgpOf(patch) } : {}),
    ...('nats' in patch ? { nats: natsOf(project, patch) } : {}),
  };
  mustNatAlone(project, after);
  return after;
}
