import { listOf, optional, scalar } from '../../json.ts';
import { fields, outputs, readBody, readOnly } from '../body.ts';
import { refused } from '../errors.ts';
import { checkWritable, identity, written } from '../lifecycle.ts';
import { placeOf } from '../location.ts';
import type { Asked, Method, Reply } from '../method.ts';
import type { RouteTable } from '../records.ts';
import { subnetsNaming } from '../references.ts';
import { checkedName, keyOf, nameOf, refuseTwins } from '../resource-id.ts';
import { checkRoutes, readRoute, routeForm, routeTableKind } from '../route-table.ts';
import { checkedTags, tagsField } from '../tags.ts';
import { trackedMethods } from '../tracked-methods.ts';

const form = fields({
  location: optional(scalar('string')),
  tags: tagsField,
  properties: optional(
    fields({
      routes: optional(listOf(routeForm)),
      disableBgpRoutePropagation: optional(scalar('boolean')),
      subnets: readOnly,
      resourceGuid: readOnly,
      provisioningState: readOnly,
    }),
  ),
  ...outputs,
});

/** https://learn.microsoft.com/rest/api/virtualnetwork/route-tables */
export const routeTableMethods: readonly Method[] = trackedMethods<RouteTable>({
  kind: routeTableKind,
  name: 'routeTables',
  pages: 'routeTables',
  put,
  refuseRemoval: ({ subscription }, { id, path }) => {
    if (subnetsNaming(subscription, 'routeTable', id).length > 0) throw inUse(path);
  },
});

/** Replaces the whole, routes too: those left out are deleted. */
function put(asked: Asked, path: string): Reply {
  const { subscription, request } = asked;
  checkedName(nameOf(path));
  const known = subscription.routeTables.get(keyOf(path));
  const { location, tags, properties } = readBody(request.body, form);
  const place = placeOf({ location, known, path });
  checkWritable(asked, known, path);
  const earlier = { path: known?.path ?? path, routes: known?.routes ?? [] };
  const table: RouteTable = {
    ...identity(asked, known, path),
    location: place,
    tags: checkedTags(tags),
    routes: (properties?.routes ?? []).map((route) => readRoute(earlier, route.name ?? '', route)),
    disableBgpRoutePropagation: properties?.disableBgpRoutePropagation ?? false,
  };
  refuseTwins(
    table.path,
    table.routes.map((route) => nameOf(route.path)),
  );
  checkRoutes(table.routes);
  return written(asked, routeTableKind, table);
}

/**
 * https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/error-codes/inuseroutetablecannotbedeleted-error; the sentence as
 * recorded in https://github.com/Azure/azure-xplat-cli/issues/2867
 */
function inUse(path: string): Error {
  return refused('InUseRouteTableCannotBeDeleted', `Route table ${nameOf(path)} is in use and cannot be deleted.`, {
    details: [],
  });
}
