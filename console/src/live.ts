import {
  type InfiniteData,
  type Query,
  type QueryCache,
  type QueryClient,
  type QueryKey,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';

/** The connection to /v1/events. `since`: when it was lost, or opened. */
export interface Live {
  readonly state: 'connecting' | 'live' | 'lost';
  readonly since: number;
}

/** The queries that each type of event makes old, by the first word of their keys. */
const outdated: Readonly<Record<string, readonly string[]>> = {
  resource: ['inventory', 'inventory-counts', 'drift', 'resource', 'explanation', 'targets', 'slo'],
  reconcile: ['targets', 'drift', 'fleet', 'ledger', 'map', 'reach'],
  generation: [
    ...['targets', 'fleet', 'approvals', 'drift', 'inventory', 'inventory-counts'],
    ...['resource', 'explanation', 'slo', 'map'],
  ],
  audit: ['approvals', 'pauses', 'targets', 'drift', 'fleet', 'ledger'],
  fight: ['explanation', 'drift'],
};

/**
 * Setpoint plans for these, or reads every row of a filter: the console asks at most so often, and never gives up a request for a
 * newer event.
 */
const costly: ReadonlySet<string> = new Set(['drift', 'inventory-counts']);
const costlyMs = 3_000;

/** A burst of events asks once. */
const gatherMs = 400;
/** A stream ends once an hour, and a browser comes back to it after 2 s: nobody needs to hear of that. */
const graceMs = 3_500;
const [firstRetryMs, lastRetryMs] = [1_000, 15_000];

let current: Live = { state: 'connecting', since: Date.now() };
const listeners = new Set<() => void>();

function setState(state: Live['state']): void {
  if (current.state === state) return;
  current = { state, since: Date.now() };
  for (const notify of listeners) notify();
}

const subscribe = (notify: () => void): (() => void) => {
  listeners.add(notify);
  return () => void listeners.delete(notify);
};

export const useLive = (): Live => useSyncExternalStore(subscribe, () => current);

/** A list of more pages is not asked for again with every event: it is marked as old, and the person decides. */
const mostPages = 5;

/** The long lists with rows of an earlier time. A next page makes a list valid again for the cache, and not its first rows. */
const outdatedLists = new WeakSet<Query>();

/** Keeps `outdatedLists`, from the first to the last moment of the console. */
export function watchLists(cache: QueryCache): void {
  cache.subscribe((event) => {
    if (event.type !== 'updated' || !isPaged(event.query.state.data)) return;
    const { query, action } = event;
    if (action.type === 'invalidate' && !isShort(query)) outdatedLists.add(query);
    if (action.type === 'success' && query.state.fetchMeta?.fetchMore === undefined) outdatedLists.delete(query);
  });
}

/** Resources changed since the console loaded the first rows of this list. */
export function useIsOutdated(queryKey: QueryKey): boolean {
  const cache = useQueryClient().getQueryCache();
  const subscribeToCache = useCallback((notify: () => void) => cache.subscribe(notify), [cache]);
  return useSyncExternalStore(subscribeToCache, () => {
    const query = cache.find({ queryKey });
    return query !== undefined && outdatedLists.has(query);
  });
}

/** Asks again for the answers on the screen whose keys begin so. */
export async function renew(queryClient: QueryClient, queryKey: readonly string[]): Promise<void> {
  await queryClient.invalidateQueries({ queryKey, refetchType: 'none' });
  await queryClient.refetchQueries({ queryKey, type: 'active', predicate: isShort });
}

const isShort = ({ state: { data } }: Query): boolean => !isPaged(data) || data.pages.length <= mostPages;

const isPaged = (data: unknown): data is InfiniteData<unknown> =>
  typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages);

/** Follows the events of Setpoint until the returned function is called; the answers that they make old are asked for again. */
export function follow(queryClient: QueryClient): () => void {
  const stale = new Set<string>();
  const timers: { gather?: number; costly?: number; lost?: number; retry?: number } = {};
  let [last, retryMs, wasLost]: [string, number, boolean] = ['', firstRetryMs, false];
  let source: EventSource | undefined;

  const refresh = (): void => {
    timers.gather = undefined;
    const words = [...stale];
    stale.clear();
    for (const word of words) void renew(queryClient, [word]);
  };
  const refreshCostly = (): void => {
    timers.costly = undefined;
    for (const word of costly) {
      if (queryClient.isFetching({ queryKey: [word] }) === 0) void renew(queryClient, [word]);
      else timers.costly ??= window.setTimeout(refreshCostly, costlyMs);
    }
  };
  const outdate = (words: readonly string[]): void => {
    for (const word of words) if (!costly.has(word)) stale.add(word);
    if (words.some((word) => costly.has(word))) timers.costly ??= window.setTimeout(refreshCostly, costlyMs);
    timers.gather ??= window.setTimeout(refresh, gatherMs);
  };
  const everything = (): void => void renew(queryClient, []);

  const onOpen = (): void => {
    window.clearTimeout(timers.lost);
    timers.lost = undefined;
    retryMs = firstRetryMs;
    setState('live');
    if (wasLost) everything();
    wasLost = false;
  };
  const onError = (): void => {
    timers.lost ??= window.setTimeout(() => {
      wasLost = true;
      setState('lost');
    }, graceMs);
    if (source?.readyState !== EventSource.CLOSED) return;
    // why: the browser tells no status. A 401 ends the session, and a request says so.
    void queryClient.invalidateQueries({ queryKey: ['whoami'] });
    // why: a browser gives up on an answer that is no stream, such as a 503 of a server that stops
    window.clearTimeout(timers.retry);
    timers.retry = window.setTimeout(open, retryMs);
    retryMs = Math.min(lastRetryMs, retryMs * 2);
  };
  const open = (): void => {
    // why: else a retry would close the stream that this opens
    window.clearTimeout(timers.retry);
    source?.close();
    source = new EventSource(last === '' ? '/v1/events' : `/v1/events?after=${encodeURIComponent(last)}`);
    source.onopen = onOpen;
    source.onerror = onError;
    source.addEventListener('reset', everything);
    for (const [type, words] of Object.entries(outdated))
      source.addEventListener(type, ({ lastEventId }) => {
        last = lastEventId;
        outdate(words);
      });
  };
  const again = (): void => {
    if (current.state !== 'live') open();
  };

  open();
  window.addEventListener('online', again);
  return () => {
    window.removeEventListener('online', again);
    for (const timer of Object.values(timers)) window.clearTimeout(timer);
    source?.close();
    setState('connecting');
  };
}
