import { createRootRoute, createRoute, createRouter, Link, lazyRouteComponent } from '@tanstack/react-router';
import { ApprovalsScreen, approvalKeys } from './approvals/screen.tsx';
import { Notice, Title } from './components.tsx';
import { DriftScreen, driftKeys } from './drift/screen.tsx';
import { FleetScreen } from './fleet/screen.tsx';
import { filterKeys } from './inventory/filter.ts';
import { Inventory } from './inventory/screen.tsx';
import { filterKeys as ledgerFilterKeys } from './ledger/entries.ts';
import { Ledger } from './ledger/screen.tsx';
import { mapKeys } from './map/address.ts';
import { Overview } from './overview/screen.tsx';
import { Failure, Loading } from './query-state.tsx';
import { ResourceScreen } from './resource/screen.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <>
      <Title>No such page</Title>
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
      <Failure error={error} subject="this page" retry={() => location.reload()} />
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

const drift = createRoute({
  getParentRoute: () => root,
  path: '/drift',
  component: DriftScreen,
  validateSearch: (search: Record<string, unknown>) => pick(search, driftKeys),
});

// why: an id of a cloud can hold any sign, so it is no part of the path
const resource = createRoute({
  getParentRoute: () => root,
  path: '/resource',
  component: ResourceScreen,
  validateSearch: (search: Record<string, unknown>) => pick(search, ['estate', 'of']),
});

// why: its libraries are larger than all else of the console
const map = createRoute({
  getParentRoute: () => root,
  path: '/map',
  component: lazyRouteComponent(() => import('./map/screen.tsx'), 'MapScreen'),
  pendingComponent: () => <Loading subject="the map" />,
  validateSearch: (search: Record<string, unknown>) => pick(search, mapKeys),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  component: ApprovalsScreen,
  validateSearch: (search: Record<string, unknown>) => pick(search, approvalKeys),
});

const ledger = createRoute({
  getParentRoute: () => root,
  path: '/ledger',
  component: Ledger,
  validateSearch: (search: Record<string, unknown>) => pick(search, ledgerFilterKeys),
});

const fleet = createRoute({
  getParentRoute: () => root,
  path: '/fleet',
  component: FleetScreen,
  validateSearch: (search: Record<string, unknown>) => pick(search, ['estate']),
});

export const router = createRouter({
  routeTree: root.addChildren([overview, inventory, drift, approvals, resource, map, ledger, fleet]),
  parseSearch,
  stringifySearch,
  scrollRestoration: false,
});

/** The state of a screen in its address: texts alone, without JSON, so that people can read and write them. */
function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** The named keys that are texts; others in the address mean nothing. */
function pick<K extends string>(
  search: Readonly<Record<string, unknown>>,
  keys: readonly K[],
): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const key of keys) {
    const value = search[key];
    if (typeof value === 'string' && value !== '') found[key] = value;
  }
  return found;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
