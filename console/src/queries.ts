import {
  type InfiniteData,
  infiniteQueryOptions,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import {
  ApiError,
  type ApprovalsQuery,
  api,
  type CountedBy,
  type InventoryFilter,
  type LedgerQuery,
  type MapFilter,
  type ReachQuestion,
} from './api-client.ts';
import type { LedgerFilter } from './ledger/entries.ts';
import { watchAnswers } from './renewal.ts';

/** Without a stream of events, answers are as old as this at most. */
const pollMs = 60_000;

/** An expired or withdrawn credential ends the session wherever it shows first. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey: [word] }) => {
      if (word !== 'whoami' && isSignedOut(error)) queryClient.setQueryData(['whoami'], null);
    },
  }),
  mutationCache: new MutationCache({
    onError: (error) => {
      // why: a proxy before the server may refuse one change with 401, and a sign-out that failed is no sign-out
      if (isSignedOut(error)) void queryClient.invalidateQueries({ queryKey: ['whoami'] });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      retry: (count, error) => count < 2 && isPassing(error),
      retryDelay: (count) => 500 * 2 ** count,
      networkMode: 'always',
    },
  },
});

watchAnswers(queryClient);

const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

const passing: ReadonlySet<number> = new Set([0, 429, 500, 502, 503, 504]);

const isPassing = (error: unknown): boolean => error instanceof ApiError && passing.has(error.status);

/** Null: nobody is signed in. */
export const whoami = queryOptions({
  queryKey: ['whoami'],
  queryFn: async (options) => {
    try {
      return await api.whoami(options);
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
  staleTime: 300_000,
});

export const targets = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['targets', estate],
    queryFn: (options) => api.targets(estate, options),
    refetchInterval: pollMs,
  });

export const slo = (estate: string | undefined) =>
  queryOptions({ queryKey: ['slo', estate], queryFn: (options) => api.slo(estate, options), refetchInterval: pollMs });

/** Its parts are hours long: it is asked again no more often than every minute. */
export const sloHistory = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['slo-history', estate],
    queryFn: (options) => api.sloHistory(estate, options),
    refetchInterval: 60_000,
  });

/** `address` and `breakGlass` are those of the API. */
export const approvals = (query: ApprovalsQuery) =>
  queryOptions({
    queryKey: ['approvals', query],
    queryFn: (options) => api.approvals(query, options),
    refetchInterval: pollMs,
  });

export const patches = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['patches', estate],
    queryFn: (options) => api.patches(estate, options),
    refetchInterval: pollMs,
  });

export const pauses = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['pauses', estate],
    queryFn: (options) => api.pauses(estate, options),
    refetchInterval: pollMs,
  });

/** Setpoint plans for the answer, so the console asks rarely: see `costly` in renewal.ts. */
export const drift = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['drift', estate],
    queryFn: (options) => api.drift(estate, options),
    refetchInterval: 5 * pollMs,
  });

/** The number of resources that drifted, whatever their status. */
export const driftCount = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['drift-count', estate],
    queryFn: (options) =>
      api.inventoryCounts({ drift: 'yes', by: 'status', ...(estate === undefined ? {} : { estate }) }, options),
    select: ({ total }) => total,
    refetchInterval: pollMs,
  });

/** Machines that the internet reaches. The API counts nothing: above the most that are asked for, there are more. */
const mostExposed = 200;

export const exposed = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['inventory', 'exposed', estate],
    queryFn: (options) =>
      api.inventory({ exposed: 'yes', limit: `${mostExposed}`, ...(estate === undefined ? {} : { estate }) }, options),
    refetchInterval: pollMs,
  });

const pageSize = 200;

/** Rows of the filter before stand in, dimmed, until those of the next arrive. An empty answer stands in for nothing. */
const hasRows = (before: InfiniteData<{ readonly items: readonly unknown[] }> | undefined): boolean =>
  before?.pages.some(({ items }) => items.length > 0) === true;

export const inventory = (filter: InventoryFilter) =>
  infiniteQueryOptions({
    queryKey: ['inventory', 'pages', filter],
    queryFn: ({ pageParam, signal }) =>
      api.inventory(
        { ...filter, limit: `${pageSize}`, ...(pageParam === undefined ? {} : { after: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => (hasRows(before) ? before : undefined),
    // why: events alone make it old; then the screen says so, if it is too long to be asked for again at once
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

/** By one property. The filter of that very property is left out by the caller where all its values are shown. */
export const inventoryCounts = (filter: InventoryFilter, by: CountedBy) =>
  queryOptions({
    queryKey: ['inventory-counts', by, filter],
    queryFn: (options) => api.inventoryCounts({ ...filter, by }, options),
    placeholderData: (before, query) => (query?.queryKey[1] === by ? before : undefined),
    refetchInterval: pollMs,
  });

export const resource = (estate: string | undefined, address: string) =>
  queryOptions({
    queryKey: ['resource', estate, address],
    queryFn: (options) => api.resource(estate, address, options),
    refetchInterval: pollMs,
  });

export const explanation = (estate: string | undefined, address: string) =>
  queryOptions({
    queryKey: ['explanation', estate, address],
    queryFn: (options) => api.explanation(estate, address, options),
  });

export const ledger = (estate: string | undefined, address: string) =>
  queryOptions({
    queryKey: ['ledger', estate, address],
    queryFn: (options) => api.ledger(estate, address, options),
  });

export const map = (filter: MapFilter) =>
  queryOptions({
    queryKey: ['map', filter],
    queryFn: (options) => api.map(filter, options),
    refetchInterval: pollMs,
  });

export const reach = (question: ReachQuestion) =>
  queryOptions({
    queryKey: ['reach', question],
    queryFn: (options) => api.reach(question, options),
  });

export const ledgerEntries = (filter: LedgerFilter) =>
  infiniteQueryOptions({
    queryKey: ['ledger', 'pages', filter],
    queryFn: ({ pageParam, signal }) =>
      api.ledgerEntries(
        // why: the API refuses a value that it has not, with the places of the error
        { ...filter, limit: `${pageSize}`, ...(pageParam === undefined ? {} : { after: pageParam }) } as LedgerQuery,
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => (hasRows(before) ? before : undefined),
    // why: as of the inventory
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

export const signatures = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['ledger', 'signatures', estate],
    queryFn: (options) => api.signatures(estate, options),
    refetchInterval: signaturePollMs,
  });

/** No event tells of a signature. */
const signaturePollMs = 10_000;

/** Queues and rate limits change without an event. */
const fleetPollMs = 5_000;

export const fleet = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['fleet', estate],
    queryFn: (options) => api.fleet(estate, options),
    refetchInterval: fleetPollMs,
  });

/** `states`: separated by commas. */
export const scopes = (estate: string | undefined, states: string) =>
  infiniteQueryOptions({
    queryKey: ['fleet', 'scopes', estate, states],
    queryFn: ({ pageParam, signal }) =>
      api.scopes(
        {
          ...{ state: states, limit: `${pageSize}` },
          ...(estate === undefined ? {} : { estate }),
          ...(pageParam === undefined ? {} : { after: pageParam }),
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // why: each page costs the server a look at all targets
    refetchInterval: ({ state: { data } }) =>
      states === 'idle' || (data?.pages.length ?? 0) > 3 ? pollMs : 2 * fleetPollMs,
  });
