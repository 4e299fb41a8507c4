import { infiniteQueryOptions, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, ask, type InventoryFilter } from './api-client.ts';

/** Without a stream of events, answers are as old as this at most. */
const pollMs = 60_000;

/** An expired or withdrawn credential ends the session wherever it shows first. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey: [word] }) => {
      if (word !== 'whoami' && isSignedOut(error)) queries.setQueryData(['whoami'], null);
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

const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

const passing: ReadonlySet<number> = new Set([0, 429, 500, 502, 503, 504]);

const isPassing = (error: unknown): boolean => error instanceof ApiError && passing.has(error.status);

/** Null: nobody is signed in. */
export const whoami = queryOptions({
  queryKey: ['whoami'],
  queryFn: async (asking) => {
    try {
      return await ask.whoami(asking);
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
    queryFn: (asking) => ask.targets(estate, asking),
    refetchInterval: pollMs,
  });

export const slo = (estate: string | undefined) =>
  queryOptions({ queryKey: ['slo', estate], queryFn: (asking) => ask.slo(estate, asking), refetchInterval: pollMs });

export const approvals = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['approvals', estate],
    queryFn: (asking) => ask.approvals(estate, asking),
    refetchInterval: pollMs,
  });

export const pauses = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['pauses', estate],
    queryFn: (asking) => ask.pauses(estate, asking),
    refetchInterval: pollMs,
  });

/** Machines that the internet reaches. The API counts nothing: above the most that are asked for, there are more. */
export const mostExposed = 200;

export const exposed = (estate: string | undefined) =>
  queryOptions({
    queryKey: ['inventory', 'exposed', estate],
    queryFn: (asking) =>
      ask.inventory({ exposed: 'yes', limit: `${mostExposed}`, ...(estate === undefined ? {} : { estate }) }, asking),
    refetchInterval: pollMs,
  });

const pageSize = 200;

export const inventory = (filter: InventoryFilter) =>
  infiniteQueryOptions({
    queryKey: ['inventory', 'pages', filter],
    queryFn: ({ pageParam, signal }) =>
      ask.inventory(
        { ...filter, limit: `${pageSize}`, ...(pageParam === undefined ? {} : { after: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // why: events alone make it old; then the screen says so, if it is too long to be asked for again at once
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

export const resource = (estate: string | undefined, address: string) =>
  queryOptions({
    queryKey: ['resource', estate, address],
    queryFn: (asking) => ask.resource(estate, address, asking),
    refetchInterval: pollMs,
  });

export const explanation = (estate: string | undefined, address: string) =>
  queryOptions({
    queryKey: ['explanation', estate, address],
    queryFn: (asking) => ask.explanation(estate, address, asking),
  });

export const ledger = (estate: string | undefined, address: string) =>
  queryOptions({
    queryKey: ['ledger', estate, address],
    queryFn: (asking) => ask.ledger(estate, address, asking),
  });
