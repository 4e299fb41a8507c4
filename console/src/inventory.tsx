import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Inventory as InventoryPage, Resource } from './api.d.ts';
import { exportAddress } from './api-client.ts';
import { Notice, ResourceLink, Status, Title, When } from './components.tsx';
import { cleared, FilterBar, type FilterBarProps } from './filter-bar.tsx';
import { apiFilter, type Filter, nextSort } from './inventory-filter.ts';
import { useIsOutdated } from './live.ts';
import * as queries from './queries.ts';
import { Failure, QueryState } from './query-state.tsx';

export function Inventory() {
  const filter = useSearch({ from: '/inventory' });
  const navigate = useNavigate({ from: '/inventory' });
  const change = (changed: Filter): void => {
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  };
  const asked = useMemo(() => apiFilter(filter), [filter]);
  const options = queries.inventory(asked);
  const pages = useInfiniteQuery({ ...options, placeholderData: (before) => before });
  const isOutdated = useIsOutdated(options.queryKey);
  const [clearCount, setClearCount] = useState(0);
  const clear = (): void => {
    setClearCount((count) => count + 1);
    change(cleared);
  };
  const rows = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? none, [pages.data]);
  return (
    <>
      <div className="title-row">
        <Title>Inventory</Title>
        <p className="quiet">
          <span role="status">{pages.data === undefined ? '' : sizeText(rows.length, pages.hasNextPage)}</span>
          <ObservationText page={pages.data?.pages[0]} />
        </p>
        {isOutdated && !pages.isRefetching ? (
          <button type="button" className="button" onClick={() => void pages.refetch()}>
            Resources changed: show them
          </button>
        ) : null}
        <p className="exports">
          Export{' '}
          <a href={exportAddress(asked, 'csv')} download="inventory.csv">
            CSV
          </a>{' '}
          <a href={exportAddress(asked, 'ndjson')} download="inventory.ndjson">
            NDJSON
          </a>
        </p>
      </div>
      <FilterBar filter={filter} clearCount={clearCount} change={change} clear={clear} />
      <QueryState
        query={pages}
        subject="the inventory"
        lines={10}
        empty={() =>
          rows.length === 0 && !pages.hasNextPage ? <NoResources filter={filter} clear={clear} /> : undefined
        }
      >
        {() => (
          <ResourceTable
            rows={rows}
            sort={filter.sort}
            isStale={pages.isPlaceholderData}
            hasMore={pages.hasNextPage}
            isLoadingMore={pages.isFetchingNextPage}
            moreError={pages.isFetchNextPageError ? pages.error : undefined}
            more={() => void pages.fetchNextPage()}
            sortBy={(column) => change({ sort: nextSort(column, filter.sort) })}
          />
        )}
      </QueryState>
    </>
  );
}

const none: readonly Resource[] = [];

const sizeText = (count: number, hasMore: boolean): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'resource' : 'resources'}${hasMore ? ' so far; more as you scroll' : ''}`;

function ObservationText({ page }: { readonly page: InventoryPage | undefined }) {
  if (page === undefined) return null;
  const { at, complete, gaps } = page.observed;
  return (
    <>
      {at === undefined ? ' · not observed yet' : ' · observed '}
      {at === undefined ? null : <When at={at} />}
      {complete || at === undefined ? null : (
        <span className="tone-wrong ink">
          {' '}
          · incomplete: {gaps.map(({ scope, kind }) => `${kind} of ${scope}`).join(', ')}
        </span>
      )}
    </>
  );
}

function NoResources({ filter, clear }: Pick<FilterBarProps, 'filter' | 'clear'>) {
  const { sort: _, estate: __, ...narrowing } = filter;
  if (Object.keys(narrowing).length === 0)
    return (
      <Notice title="The inventory is empty">
        <p>Setpoint has observed no resource that you may see. A first observation takes a minute after a start.</p>
      </Notice>
    );
  return (
    <Notice title="No resource matches">
      <p>
        The filters are:{' '}
        {Object.entries(narrowing)
          .map(([key, value]) => `${key} ${value}`)
          .join(', ')}
        .
      </p>
      <button type="button" className="button" onClick={clear}>
        Clear the filters
      </button>
    </Notice>
  );
}

const features = tableFeatures({});
const helper = createColumnHelper<typeof features, Resource>();

const dash = <span className="quiet">–</span>;

const columns = helper.columns([
  helper.accessor('status', { header: 'Status', cell: ({ getValue }) => <Status status={getValue()} /> }),
  helper.accessor('name', { header: 'Name', cell: ({ row }) => row.original.name }),
  helper.accessor('kind', { header: 'Kind' }),
  helper.accessor('targets', {
    header: 'Target',
    cell: ({ row: { original: one } }) => one.targets.join(', ') || one.cloud,
  }),
  helper.accessor('owner', { header: 'Owner', cell: ({ row }) => row.original.owner ?? dash }),
  helper.accessor('origin', { header: 'Origin', cell: ({ row: { original } }) => originOf(original) }),
  helper.accessor('exposed', { header: 'Exposed', cell: ({ row: { original } }) => exposedOf(original) }),
  helper.accessor('violations', { header: 'Violations', cell: ({ row: { original } }) => violationsOf(original) }),
  helper.accessor('reason', { header: 'Reason' }),
  helper.accessor('since', { header: 'Since', cell: ({ getValue }) => <When at={getValue()} /> }),
]);

function originOf({ origin, claim }: Resource) {
  if (origin !== undefined) return <span title={origin.detail}>{origin.maker ?? origin.reason}</span>;
  return claim;
}

function exposedOf({ exposed, kind }: Resource) {
  if (exposed === undefined) return kind === 'instance' ? 'unknown' : dash;
  return <span title={exposed.reason}>{exposed.answer}</span>;
}

const violationsOf = ({ violations = [] }: Resource) =>
  violations.length === 0 ? (
    dash
  ) : (
    <span title={violations.map(({ policy, rule }) => `${policy}: ${rule}`).join('\n')}>
      <span className="number">{violations.length}</span> {violations[0]?.policy}
    </span>
  );

const sortable: ReadonlySet<string> = new Set(['status', 'name', 'since']);

interface ResourceTableProps {
  readonly rows: readonly Resource[];
  readonly sort: string | undefined;
  readonly isStale: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** The refusal of the next page; then a person asks for it again. */
  readonly moreError: unknown;
  more(): void;
  sortBy(column: string): void;
}

/** Rows fetched before they come into view. */
const ahead = 40;

function ResourceTable({ rows, sort, isStale, hasMore, isLoadingMore, moreError, more, sortBy }: ResourceTableProps) {
  const table = useTable({ features, columns, data: rows, getRowId: rowKey });
  const models = table.getRowModel().rows;
  const { body, virtual, items } = useVirtualRows(rows);
  const last = items.at(-1)?.index ?? 0;
  const canLoadMore = hasMore && !isLoadingMore && moreError === undefined;
  useEffect(() => {
    if (canLoadMore && last >= rows.length - ahead) more();
  }, [canLoadMore, last, rows.length, more]);
  const keys = useRowKeys(rows.length, (index) => virtual.scrollToIndex(index));
  return (
    <>
      <table
        className={`rows${isStale ? ' is-stale' : ''}`}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-busy={isStale}
      >
        <caption className="hidden">Resources</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} className="line">
              {group.headers.map((header) => (
                <th
                  key={header.id}
                  scope="col"
                  className={`cell-${header.column.id}`}
                  aria-sort={ariaSort(header.column.id, sort)}
                >
                  {sortable.has(header.column.id) ? (
                    <button type="button" onClick={() => sortBy(header.column.id)}>
                      <table.FlexRender header={header} />
                      <span aria-hidden="true">{arrowOf(header.column.id, sort)}</span>
                    </button>
                  ) : (
                    <table.FlexRender header={header} />
                  )}
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody ref={body} style={{ height: virtual.getTotalSize() }} onKeyDown={keys.onKeyDown}>
          {items.map(({ index, start }) => {
            const row = models[index];
            if (row === undefined) return null;
            const { original } = row;
            return (
              <tr
                key={row.id}
                className="line"
                aria-rowindex={index + 2}
                style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
              >
                {row.getAllCells().map((cell) => (
                  <td key={cell.id} className={`cell-${cell.column.id}`} title={titleOf(cell.column.id, original)}>
                    {cell.column.id === 'name' ? (
                      <ResourceLink
                        estate={original.estate}
                        resource={original}
                        data-row={index}
                        tabIndex={index === keys.active ? 0 : -1}
                        onFocus={() => keys.setActive(index)}
                      />
                    ) : (
                      <table.FlexRender cell={cell} />
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="more" role="status">
        {isLoadingMore ? 'Loading more…' : ''}
      </p>
      {moreError === undefined ? null : <Failure error={moreError} subject="more resources" retry={more} />}
    </>
  );
}

const rowKey = ({ estate, scope, address, id = '' }: Resource): string => `${estate} ${scope} ${address ?? ''} ${id}`;

/** The whole text of cells that are cut. */
function titleOf(column: string, { name, reason, address, id }: Resource): string | undefined {
  if (column === 'name') return [name, address, id].filter((one) => one !== undefined).join('\n');
  return column === 'reason' ? reason : undefined;
}

function ariaSort(column: string, sort: string | undefined) {
  if (sort === column) return 'ascending';
  return sort === `-${column}` ? 'descending' : undefined;
}

function arrowOf(column: string, sort: string | undefined): string {
  if (sort === column) return ' ▲';
  return sort === `-${column}` ? ' ▼' : '';
}

const [wideRow, narrowRow] = [32, 76];
const narrow = window.matchMedia('(max-width: 800px)');

/** The page itself scrolls, so that zoom, phones and the keys of the browser work as on any page. */
function useVirtualRows(rows: readonly Resource[]) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setMargin] = useState(0);
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const onChange = (): void => setNarrow(narrow.matches);
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, []);
  // why: filters above the table wrap, and error notices come and go
  useLayoutEffect(() => {
    const { top = 0 } = body.current?.getBoundingClientRect() ?? {};
    setMargin(Math.round(top + window.scrollY));
  });
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isNarrow ? narrowRow : wideRow),
    overscan: 12,
    scrollMargin,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes are of the other form now
  useEffect(() => virtual.measure(), [isNarrow]);
  return { body, virtual, items: virtual.getVirtualItems() };
}

/** One row is in the tab order; the arrows, j and k, Home, End and the page keys move it. */
function useRowKeys(count: number, reveal: (index: number) => void) {
  const [active, setActive] = useState(0);
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = targetOf(event.key, active, count);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setActive(to);
    reveal(to);
    focusRow(to);
  };
  return { active: Math.min(active, Math.max(0, count - 1)), setActive, onKeyDown };
}

const page = 20;

function targetOf(key: string, from: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    j: from + 1,
    ArrowUp: from - 1,
    k: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}

/** A row far away is drawn a frame or two after the scroll. */
function focusRow(index: number, tries = 10): void {
  const link = document.querySelector<HTMLElement>(`[data-row="${index}"]`);
  if (link !== null) link.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusRow(index, tries - 1));
}
