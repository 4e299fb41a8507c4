import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Notice } from '../components.tsx';
import * as queries from '../queries.ts';
import { QueryState } from '../query-state.tsx';
import { useReader } from '../reader.ts';
import { focusRow } from '../row-keys.ts';
import { apiFilter, type Filter, type Grouping, steadyOrder, valueText } from './filter.ts';
import { useResourceList } from './list.ts';
import { ResourceTable } from './table.tsx';

interface ResourceGroupsProps {
  readonly by: Grouping;
  readonly filter: Filter;
  sortBy(column: string): void;
}

/** One heading a value with its count, the largest first. The rows of a value load when somebody opens it. */
export function ResourceGroups({ by, filter, sortBy }: ResourceGroupsProps) {
  const asked = useMemo(() => apiFilter({ ...filter, sort: undefined }), [filter]);
  const counts = useQuery(queries.inventoryCounts(asked, by));
  const { inOrder, hold } = useSteadyOrder(counts.data?.items);
  return (
    <QueryState query={counts} subject={`the groups by ${by}`} lines={6}>
      {({ items, more }) => (
        <div
          className={counts.isPlaceholderData ? 'group-list is-stale' : 'group-list'}
          aria-busy={counts.isPlaceholderData}
          {...hold}
        >
          {inOrder(items).map(({ value, count }) => (
            <Group key={value} by={by} value={value} count={count} filter={filter} sortBy={sortBy} />
          ))}
          {more === 0 ? null : (
            <Notice title={`${more.toLocaleString('en')} smaller groups are not shown`}>
              <p>Narrow the filter to see them.</p>
            </Notice>
          )}
        </div>
      )}
    </QueryState>
  );
}

interface Counted {
  readonly value: string;
}

/** No group moves under the pointer or the keys: new ones come last until the reader leaves the list. */
function useSteadyOrder(items: readonly Counted[] | undefined) {
  const [order, setOrder] = useState<readonly string[]>([]);
  const { isHeld, hold } = useReader({ onLeave: () => setOrder(valuesOf(items)) });
  useLayoutEffect(() => {
    if (!isHeld()) setOrder(valuesOf(items));
  }, [items, isHeld]);
  return { inOrder: <T extends Counted>(all: readonly T[]) => steadyOrder(all, order), hold };
}

const valuesOf = (items: readonly Counted[] = []): readonly string[] => items.map(({ value }) => value);

interface GroupProps extends ResourceGroupsProps {
  readonly value: string;
  readonly count: number;
}

function Group({ by, value, count, filter, sortBy }: GroupProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const text = valueText(by, value);
  const open = (): void => {
    if (isOpen && rows.current !== null) focusRow(rows.current, 0);
    else setOpen(true);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => setOpen(false),
    ArrowRight: open,
    ArrowDown: () => nextToggle(toggle.current, 1)?.focus(),
    ArrowUp: () => nextToggle(toggle.current, -1)?.focus(),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  return (
    <div>
      <h2>
        <button
          ref={toggle}
          type="button"
          className="group-toggle"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
          onKeyDown={onKeyDown}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
          {text}
          <span className="count number">{count.toLocaleString('en')}</span>
        </button>
        {text === value || value === '' ? null : <span className="quiet detail">{value}</span>}
        {value === '' ? null : (
          <Link to="/inventory" search={{ ...filter, group: undefined, [by]: value }} className="detail">
            Only {text}
          </Link>
        )}
      </h2>
      {isOpen ? (
        <div id={id} ref={rows}>
          <GroupRows by={by} value={value} filter={filter} sortBy={sortBy} leave={() => toggle.current?.focus()} />
        </div>
      ) : null}
    </div>
  );
}

function nextToggle(from: HTMLElement | null, step: 1 | -1): HTMLElement | undefined {
  const all = [...(from?.closest('.group-list')?.querySelectorAll<HTMLElement>('.group-toggle') ?? [])];
  return all[all.indexOf(from ?? document.body) + step];
}

interface GroupRowsProps extends Omit<GroupProps, 'count'> {
  leave(): void;
}

function GroupRows({ by, value, filter, sortBy, leave }: GroupRowsProps) {
  const asked = useMemo(() => apiFilter({ ...filter, [by]: value }), [filter, by, value]);
  const list = useResourceList(asked);
  return (
    <QueryState query={list.pages} subject={`the resources of ${valueText(by, value)}`} lines={3}>
      {() => (
        <ResourceTable
          name={`Resources of ${valueText(by, value)}`}
          list={list}
          sort={filter.sort}
          sortBy={sortBy}
          leave={leave}
        />
      )}
    </QueryState>
  );
}
