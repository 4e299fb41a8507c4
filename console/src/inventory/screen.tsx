import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Inventory as InventoryPage } from '../api.d.ts';
import { exportAddress, type InventoryFilter } from '../api-client.ts';
import { Notice, Title, When } from '../components.tsx';
import * as queries from '../queries.ts';
import { QueryState } from '../query-state.tsx';
import { useIsOutdated } from '../renewal.ts';
import { apiFilter, type Filter, groupingOf, listed, nextSort } from './filter.ts';
import { cleared, FilterBar, type FilterBarProps } from './filter-bar.tsx';
import { ResourceGroups } from './groups.tsx';
import { type ResourceList, useCounts, useResourceList } from './list.ts';
import { SavedViews } from './saved-views.tsx';
import { ResourceTable } from './table.tsx';

export function Inventory() {
  const filter = useSearch({ from: '/inventory' });
  const navigate = useNavigate({ from: '/inventory' });
  const change = (changed: Filter): void => {
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  };
  const asked = useMemo(() => apiFilter(filter), [filter]);
  const list = useResourceList(asked);
  const { pages, rows } = list;
  const isOutdated = useIsOutdated(queries.inventory(asked).queryKey);
  const total = useTotal(filter);
  // why: else the rows are of the filter before
  const isKnown = pages.data !== undefined && !pages.isPlaceholderData;
  const [clearCount, setClearCount] = useState(0);
  const clear = (): void => {
    setClearCount((count) => count + 1);
    change(cleared);
  };
  const by = groupingOf(filter.group);
  const sortBy = (column: string): void => change({ sort: nextSort(column, filter.sort) });
  return (
    <>
      <div className="title-row">
        <Title>Inventory</Title>
        <p className="quiet">
          <span role="status">{isKnown ? sizeText(list, total, by !== undefined) : ''}</span>
          {isKnown ? <ObservationText page={pages.data?.pages[0]} /> : null}
        </p>
        {isOutdated ? (
          <button type="button" className="button" onClick={() => void pages.refetch()}>
            Resources changed: show them
          </button>
        ) : null}
        <Exports asked={asked} />
      </div>
      <SavedViews filter={filter} show={(search) => void navigate({ search, replace: true })} />
      <FilterBar filter={filter} clearCount={clearCount} change={change} clear={clear} />
      <QueryState
        query={pages}
        subject="the inventory"
        lines={10}
        empty={() =>
          rows.length === 0 && !pages.hasNextPage ? <NoResources filter={filter} clear={clear} /> : undefined
        }
      >
        {() =>
          by === undefined ? (
            <ResourceTable name="Resources" list={list} sort={filter.sort} sortBy={sortBy} />
          ) : (
            <ResourceGroups key={by} by={by} filter={filter} sortBy={sortBy} />
          )
        }
      </QueryState>
    </>
  );
}

/** All resources of the filter: a resource has one status. */
function useTotal({ status, ...filter }: Filter): number | undefined {
  const { counts, isStale } = useCounts(apiFilter(filter), 'status');
  if (isStale) return undefined;
  if (counts === undefined || status === undefined) return counts?.total;
  const chosen = listed(status);
  return counts.items.reduce((sum, { value, count }) => (chosen.includes(value) ? sum + count : sum), 0);
}

const Exports = ({ asked }: { readonly asked: InventoryFilter }) => (
  <p className="exports">
    Export{' '}
    <a href={exportAddress(asked, 'csv')} download="inventory.csv">
      CSV
    </a>{' '}
    <a href={exportAddress(asked, 'ndjson')} download="inventory.ndjson">
      NDJSON
    </a>
  </p>
);

/** The rows that are loaded, and all of the filter where there are more of them. Groups have their own counts: all of the filter. */
function sizeText({ rows, left, pages }: ResourceList, total: number | undefined, isGrouped: boolean): string {
  const loaded = rows.length - left.size;
  if (!pages.hasNextPage) return resourcesText(loaded);
  if (isGrouped) return total === undefined ? '' : resourcesText(total);
  const all = total === undefined ? '' : ` of ${total.toLocaleString('en')}`;
  return `${resourcesText(loaded)} so far${all}; more as you scroll`;
}

const resourcesText = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'resource' : 'resources'}`;

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
  const { sort: _, estate: __, group: ___, ...narrowing } = filter;
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
