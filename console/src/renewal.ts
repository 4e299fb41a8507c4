import { type InfiniteData, type Query, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { useReader } from './reader.ts';

/** A burst of events asks once. */
const gatherMs = 400;

/** Setpoint plans, evaluates traffic, or reads many rows for these: the console asks rarely, however many events come. */
const costly: Readonly<Record<string, number>> = {
  drift: 3_000,
  approvals: 3_000,
  'drift-count': 3_000,
  'inventory-counts': 3_000,
  slo: 3_000,
  explanation: 3_000,
  map: 3_000,
  reach: 3_000,
};

/** The time from an event to the question that it leads to, by the first word of the key. */
export const restMs = (word: unknown): number => costly[String(word)] ?? gatherMs;

/** A list of more pages is not asked for again with every event: it is marked as old, and the person decides. */
const mostPages = 5;

/** The lists with rows of an earlier time. A next page makes a list valid again for the cache, and not its first rows. */
const outdatedLists = new WeakSet<Query>();

/** Something changed while their request ran: its answer may be of the time before. */
const overtaken = new WeakSet<Query>();

/** Their request has ended, and the next one begins in a moment. */
const resting = new WeakSet<Query>();

/** Whether a person reads the list at this moment: no new row moves the others then. */
const readers = new WeakMap<Query, () => boolean>();

/** Keeps these sets, from the first to the last moment of the console. */
export function watchAnswers(queryClient: QueryClient): void {
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || isRunning(event.query)) return;
    const { query, action } = event;
    if (overtaken.delete(query)) {
      resting.add(query);
      setTimeout(() => {
        resting.delete(query);
        renewOne(query);
      }, restMs(query.queryKey[0]));
    } else if (action.type === 'success' && query.state.fetchMeta?.fetchMore === undefined) outdatedLists.delete(query);
  });
}

/** Resources changed since the console loaded the first rows of this list, and it does not load them by itself. */
export function useIsOutdated(queryKey: QueryKey): boolean {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((notify: () => void) => cache.subscribe(notify), [cache]);
  return useSyncExternalStore(subscribe, () => {
    const query = cache.find({ queryKey });
    return query !== undefined && isOutdated(query);
  });
}

/** While a person reads this list, an event marks it as old, and loads it when they leave it. The element takes the props. */
export function useHeldList(queryKey: QueryKey) {
  const query = useQueryClient().getQueryCache().find({ queryKey });
  const { isHeld, hold } = useReader({
    onLeave: () => {
      if (query !== undefined && outdatedLists.has(query)) renewOne(query);
    },
  });
  useEffect(() => {
    if (query === undefined) return undefined;
    readers.set(query, isHeld);
    return () => void readers.delete(query);
  }, [query, isHeld]);
  return hold;
}

export function isOutdated(query: Query): boolean {
  if (!outdatedLists.has(query) || isReloading(query)) return false;
  return !(renewsItself(query) && (overtaken.has(query) || resting.has(query)));
}

/** Asks again for the answers on the screen whose keys begin so. A running request goes on, and is repeated after it. */
export function renew(queryClient: QueryClient, queryKey: readonly string[]): void {
  for (const query of queryClient.getQueryCache().findAll({ queryKey })) renewOne(query);
}

function renewOne(query: Query): void {
  if (isPaged(query.state.data)) outdatedLists.add(query);
  query.invalidate();
  if (resting.has(query)) return;
  if (isRunning(query)) overtaken.add(query);
  // why: the query itself keeps its error, and the screen shows it
  else if (query.isActive() && !query.isDisabled() && renewsItself(query)) void query.fetch().catch(() => undefined);
}

const isRunning = ({ state: { fetchStatus } }: Query): boolean => fetchStatus !== 'idle';

const isReloading = (query: Query): boolean => isRunning(query) && query.state.fetchMeta?.fetchMore === undefined;

function renewsItself(query: Query): boolean {
  const { data } = query.state;
  return !isPaged(data) || (data.pages.length <= mostPages && readers.get(query)?.() !== true);
}

const isPaged = (data: unknown): data is InfiniteData<unknown> =>
  typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages);
