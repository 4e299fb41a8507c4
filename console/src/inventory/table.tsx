import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Resource } from '../api.d.ts';
import { ResourceLink, Status, When } from '../components.tsx';
import { Failure } from '../query-state.tsx';
import { stickyHeight, useRowKeys } from '../row-keys.ts';
import { rowKey } from './left-rows.ts';
import type { ResourceList } from './list.ts';

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
  /** The caption, for screen readers. */
  readonly name: string;
  readonly list: ResourceList;
  readonly sort: string | undefined;
  sortBy(column: string): void;
  /** ArrowLeft on a row. */
  leave?(): void;
}

/** Rows fetched before they come into view. */
const ahead = 40;

export function ResourceTable({ name, list, sort, sortBy, leave }: ResourceTableProps) {
  const { rows, pages, left } = list;
  const { hasNextPage: hasMore, isFetchingNextPage: isLoadingMore, isPlaceholderData: isStale } = pages;
  // why: after a refusal a person asks for the next page again
  const moreError = pages.isFetchNextPageError ? pages.error : undefined;
  const { fetchNextPage } = pages;
  const rowKeys = useMemo(() => rows.map(rowKey), [rows]);
  const { body, virtual, items } = useVirtualRows(rowKeys);
  // why: a table of all rows would make each of them anew with each page
  const visible = useMemo(() => items.flatMap(({ index }) => rows[index] ?? []), [items, rows]);
  const table = useTable({ features, columns, data: visible, getRowId: rowKey });
  const models = table.getRowModel().rows;
  const last = items.at(-1)?.index ?? 0;
  // why: a next page would cancel a request for all rows, and leave the first ones as they were
  const canLoadMore = hasMore && !pages.isFetching && moreError === undefined;
  useEffect(() => {
    if (canLoadMore && last >= rows.length - ahead) void fetchNextPage({ cancelRefetch: false });
  }, [canLoadMore, last, rows.length, fetchNextPage]);
  const keys = useRowKeys(rowKeys, (index) => virtual.scrollToIndex(index));
  return (
    <>
      <table
        className={`rows${isStale ? ' is-stale' : ''}`}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-busy={isStale}
      >
        <caption className="hidden">{name}</caption>
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
        <tbody
          ref={body}
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowLeft' && leave !== undefined) leave();
            else keys.onKeyDown(event);
          }}
        >
          {items.map(({ index, start }, at) => {
            const row = models[at];
            if (row === undefined) return null;
            const { original } = row;
            const leaving = left.get(row.id);
            return (
              <tr
                key={row.id}
                className={leaving === undefined ? 'line' : 'line is-left'}
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
                      <CellText cell={<table.FlexRender cell={cell} />} column={cell.column.id} leaving={leaving} />
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="hidden" role="status">
        {list.announcement}
      </p>
      <p className="more" role="status">
        {isLoadingMore ? 'Loading more…' : ''}
      </p>
      {moreError === undefined ? null : <Failure error={moreError} subject="more resources" retry={fetchNextPage} />}
    </>
  );
}

interface CellTextProps {
  readonly cell: ReactNode;
  readonly column: string;
  readonly leaving: string | undefined;
}

/** Of a row that left the filter the reason says so. */
const CellText = ({ cell, column, leaving }: CellTextProps) =>
  column === 'reason' && leaving !== undefined ? <span className="left-mark">{leaving}</span> : cell;

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
function useVirtualRows(rowKeys: readonly string[]) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setMargin] = useState(0);
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const onChange = (): void => setNarrow(narrow.matches);
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, []);
  // why: filters above the table wrap, and error notices come and go. A look at each scroll would lay out the page once more.
  useLayoutEffect(() => {
    const look = (): void => {
      const { top = 0 } = body.current?.getBoundingClientRect() ?? {};
      setMargin(Math.round(top + window.scrollY));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const virtual = useWindowVirtualizer({
    count: rowKeys.length,
    estimateSize: () => (isNarrow ? narrowRow : wideRow),
    getItemKey: useCallback((index: number) => rowKeys[index] ?? index, [rowKeys]),
    overscan: 12,
    scrollMargin,
    scrollPaddingStart: stickyHeight(),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes are of the other form now
  useEffect(() => virtual.measure(), [isNarrow]);
  return { body, virtual, items: virtual.getVirtualItems() };
}
