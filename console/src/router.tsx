import { createRootRoute, createRoute, createRouter, Link } from '@tanstack/react-router';
import { Inventory } from './inventory.tsx';
import { filterKeys } from './inventory-filter.ts';
import { Overview } from './overview.tsx';
import { Failure, Notice } from './parts.tsx';
import { ResourceScreen } from './resource.tsx';
import { parseSearch, pick, stringifySearch } from './search.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <>
      <h1>No such page</h1>
      <Notice title="The console has no page at this address">
        <p>
          Begin at the <Link to="/">overview</Link>.
        </p>
      </Notice>
    </>
  ),
  errorComponent: ({ error }) => (
    <main className="page">
      <h1>The console failed</h1>
      <Failure error={error} what="this page" again={() => location.reload()} />
    </main>
  ),
});

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Overview,
  validateSearch: (search: Record<string, unknown>) => pick(search, ['estate']),
});

const inventory = createRoute({
  getParentRoute: () => root,
  path: '/inventory',
  component: Inventory,
  validateSearch: (search: Record<string, unknown>) => pick(search, filterKeys),
});

// why: an id of a cloud can hold any sign, so it is no part of the path
const resource = createRoute({
  getParentRoute: () => root,
  path: '/resource',
  component: ResourceScreen,
  validateSearch: (search: Record<string, unknown>) => pick(search, ['estate', 'of']),
});

export const router = createRouter({
  routeTree: root.addChildren([overview, inventory, resource]),
  parseSearch,
  stringifySearch,
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
