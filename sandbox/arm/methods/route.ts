import { readBody } from '../body.ts';
import { childMethods } from '../child-methods.ts';
import type { Method } from '../method.ts';
import type { Route, RouteTable } from '../records.ts';
import { checkRoutes, readRoute, routeBody, routeForm, routeTableKind } from '../route-table.ts';

/** https://learn.microsoft.com/rest/api/virtualnetwork/routes */
export const routeMethods: readonly Method[] = childMethods<RouteTable, Route>({
  parent: routeTableKind,
  name: 'routes',
  body: (_, table) => (route) => routeBody(table, route),
  read: (asked, table, name) => readRoute(table, name, readBody(asked.request.body, routeForm)),
  set: {
    of: ({ routes }) => routes,
    with: (table, routes) => ({ ...table, routes }),
    check: (_, __, after) => checkRoutes(after),
  },
});
