import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { InventoryCounts, Resource } from '../api.d.ts';
import { api, type CountedBy, type InventoryFilter } from '../api-client.ts';
import { nameOf, statusLooks } from '../components.tsx';
import * as queries from '../queries.ts';
import { isForbidden, isNotFound } from '../query-state.tsx';
import { type LeftRow, leftBetween, rowKey, withLeft } from './left-rows.ts';

/** More at once are no single events that a person follows. */
const mostLeft = 20;
const leftMs = 10_000;

export type ResourceList = ReturnType<typeof useResourceList>;

/** The rows of a filter, and those that just left it. `left`: their texts, by `rowKey`. */
export function useResourceList(asked: InventoryFilter) {
  const pages = useInfiniteQuery(queries.inventory(asked));
  const { data, isPlaceholderData, hasNextPage } = pages;
  const found = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? none, [data]);
  const left = useLeftRows({ asked, rows: found, hasMore: hasNextPage, isSettled: !isPlaceholderData });
  const rows = useMemo(() => withLeft(found, left), [found, left]);
  const texts = useMemo(() => {
    if (left.length === 0) return noTexts;
    const kept = new Set(found.map(rowKey));
    return new Map(left.flatMap(({ row, text }) => (kept.has(rowKey(row)) ? [] : [[rowKey(row), text]])));
  }, [found, left]);
  return { pages, rows, left: texts as ReadonlyMap<string, string>, announcement: left.map(spoken).join('. ') };
}

interface Counts {
  /** Undefined: not known, or the grants have shrunk. */
  readonly counts: InventoryCounts | undefined;
  /** They are of the filter before, or the newest request failed. */
  readonly isStale: boolean;
}

export function useCounts(asked: InventoryFilter, by: CountedBy, enabled = true): Counts {
  const { data, error, isPlaceholderData } = useQuery({ ...queries.inventoryCounts(asked, by), enabled });
  return { counts: isForbidden(error) ? undefined : data, isStale: isPlaceholderData || error !== null };
}

const none: readonly Resource[] = [];
const noTexts: ReadonlyMap<string, string> = new Map();
const nothingLeft: readonly LeftRow[] = [];

const spoken = ({ row, text }: LeftRow): string => `${nameOf(row)} ${text}`;

interface Shown {
  readonly asked: InventoryFilter;
  readonly rows: readonly Resource[];
  readonly hasMore: boolean;
  /** The rows are of this filter, and not of the one before. */
  readonly isSettled: boolean;
}

/** In the order of addresses no row moves, so a missing one between two others is gone from the filter. */
const movesRows = ({ sort = 'address' }: InventoryFilter): boolean => !sort.endsWith('address');

function useLeftRows({ asked, rows, hasMore, isSettled }: Shown): readonly LeftRow[] {
  const before = useRef<Shown>({ asked, rows, hasMore, isSettled: false });
  const timers = useRef(new Set<number>());
  const [left, setLeft] = useState(nothingLeft);
  useLayoutEffect(() => {
    const last = before.current;
    before.current = { asked, rows, hasMore, isSettled };
    if (last.asked !== asked) setLeft(nothingLeft);
    if (last.asked !== asked || !last.isSettled || !isSettled || (hasMore && movesRows(asked))) return;
    const gone = leftBetween(last.rows, rows, hasMore).slice(0, mostLeft);
    if (gone.length === 0) return;
    const keys = new Set(gone.map(({ row }) => rowKey(row)));
    const isOther = ({ row }: LeftRow): boolean => !keys.has(rowKey(row));
    setLeft((others) => [...others.filter(isOther), ...gone]);
    for (const one of gone)
      void leavingText(one.row).then((text) =>
        setLeft((all) => all.map((other) => (other.row === one.row ? { ...other, text } : other))),
      );
    const timer = window.setTimeout(() => {
      timers.current.delete(timer);
      setLeft((all) => all.filter(isOther));
    }, leftMs);
    timers.current.add(timer);
  }, [rows, asked, hasMore, isSettled]);
  useEffect(() => {
    const running = timers.current;
    return () => {
      for (const timer of running) window.clearTimeout(timer);
    };
  }, []);
  return left;
}

async function leavingText(row: Resource): Promise<string> {
  try {
    const { status } = await api.resource(row.estate, row.address ?? row.id ?? '', {
      signal: AbortSignal.timeout(5_000),
    });
    return status === row.status ? 'left the filter' : `left the filter: now ${statusLooks[status].word}`;
  } catch (error) {
    return isNotFound(error) ? 'left the inventory: it is gone, or you may not see it' : 'left the filter';
  }
}
