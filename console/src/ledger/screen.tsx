import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { LedgerPage, SignatureReach } from '../api.d.ts';
import { ApiError, ledgerExportAddress } from '../api-client.ts';
import { Glyph, Notice, Title, When } from '../components.tsx';
import * as queries from '../queries.ts';
import { Failure, QueryState } from '../query-state.tsx';
import { useHeldList, useIsOutdated } from '../renewal.ts';
import { stickyHeight, useRowKeys } from '../row-keys.ts';
import { absoluteTime } from '../time.ts';
import { type EntryCall, type LedgerFilter, type LedgerRow, ledgerRows, verbText } from './entries.ts';
import { LedgerFilterBar } from './filter-bar.tsx';

export function Ledger() {
  const filter = useSearch({ from: '/ledger' });
  const navigate = useNavigate({ from: '/ledger' });
  const change = (changed: LedgerFilter): void => {
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  };
  const options = queries.ledgerEntries(filter);
  const pages = useInfiniteQuery(options);
  const isOutdated = useIsOutdated(options.queryKey);
  const rows = useMemo(() => ledgerRows(pages.data?.pages.flatMap(({ items }) => items) ?? []), [pages.data]);
  return (
    <>
      <div className="title-row">
        <Title>Ledger</Title>
        <p className="quiet">
          <span role="status">
            {pages.data === undefined || pages.isPlaceholderData ? '' : sizeText(rows.length, pages.hasNextPage)}
          </span>
        </p>
        {isOutdated ? (
          <button type="button" className="button" onClick={() => void pages.refetch()}>
            New entries: show them
          </button>
        ) : null}
      </div>
      <Signatures estate={filter.estate} />
      <LedgerFilterBar filter={filter} change={change} />
      <QueryState
        query={pages}
        subject="the ledger"
        lines={10}
        empty={() => (rows.length === 0 && !pages.hasNextPage ? <NoEntries filter={filter} /> : undefined)}
      >
        {() => <Entries rows={rows} queryKey={options.queryKey} pages={pages} />}
      </QueryState>
    </>
  );
}

const sizeText = (count: number, hasMore: boolean): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'action or decision' : 'actions and decisions'}${hasMore ? ' so far; more as you scroll' : ''}`;

function NoEntries({ filter: { estate: _, ...narrowing } }: { readonly filter: LedgerFilter }) {
  const given = Object.entries(narrowing);
  if (given.length === 0)
    return (
      <Notice title="The ledger is empty">
        <p>Setpoint has made no change, and nobody has decided anything, as far as your grant shows it.</p>
      </Notice>
    );
  return (
    <Notice title="No entry matches">
      <p>The filters are: {given.map(([key, value]) => `${key} ${value}`).join(', ')}.</p>
    </Notice>
  );
}

/** The proof of the ledger belongs to those who see all of the estate: for others the API has none. */
function Signatures({ estate }: { readonly estate: string | undefined }) {
  const reach = useQuery(queries.signatures(estate));
  if (reach.error instanceof ApiError && reach.error.status === 404)
    return (
      <p className="signatures quiet">
        The entries that your grant covers. Signatures and the export are for people who see all of the estate.
      </p>
    );
  return (
    <QueryState query={reach} subject="the signatures" lines={1}>
      {(found) => (
        <p className="signatures">
          <ReachText reach={found} />
          <span className="exports">
            <a href="/docs#verifyLedger">About signatures</a>
            <a href={ledgerExportAddress(found.estate)} download="ledger.jsonl">
              Export the whole ledger
            </a>
          </span>
        </p>
      )}
    </QueryState>
  );
}

function ReachText({
  reach: { head, signedUpTo, checkpoint, unsigned, lostCheckpoint },
}: {
  readonly reach: SignatureReach;
}) {
  if (lostCheckpoint !== undefined)
    return (
      <span className="tone-wrong ink">
        The database lost entries: checkpoint {lostCheckpoint} was signed. Run{' '}
        <code className="code">setpoint ledger accept-loss</code>
      </span>
    );
  return (
    <span>
      {signedUpTo === 0 ? (
        noneText(head)
      ) : (
        <>
          Signed up to entry <strong className="number">{signedUpTo}</strong>
        </>
      )}
      {checkpoint === undefined ? null : (
        <>
          {' '}
          <span className="quiet">
            (<When at={checkpoint.at} />)
          </span>
        </>
      )}
      {unsigned === undefined ? null : (
        <>
          , <strong className="number">{unsigned.entries}</strong> unsigned, the oldest from <When at={unsigned.at} />
        </>
      )}
      <span className="quiet"> · not verified here: </span>
      <code className="code">setpoint ledger verify --witness</code>
      <span className="quiet"> also asks the witness</span>
    </span>
  );
}

const noneText = (head: number): string => (head === 0 ? 'No entry yet' : 'No entry is signed');

interface EntriesProps {
  readonly rows: readonly LedgerRow[];
  readonly queryKey: QueryKey;
  readonly pages: UseInfiniteQueryResult<InfiniteData<LedgerPage>>;
}

/** Rows fetched before they come into view. */
const ahead = 40;

/** The page itself scrolls. Rows are as high as their text, so each is measured. */
function Entries({ rows, queryKey, pages }: EntriesProps) {
  const { hasNextPage: hasMore, isPlaceholderData: isStale, isFetchingNextPage: isLoadingMore, fetchNextPage } = pages;
  // why: after a refusal a person asks for the next page again
  const moreError = pages.isFetchNextPageError ? pages.error : undefined;
  const estate = pages.data?.pages[0]?.estate;
  const list = useRef<HTMLOListElement>(null);
  const hold = useHeldList(queryKey);
  const rowKeys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const [scrollMargin, setMargin] = useState(0);
  // why: filters above the list wrap, and notices come and go
  useLayoutEffect(() => {
    const { top = 0 } = list.current?.getBoundingClientRect() ?? {};
    setMargin(Math.round(top + window.scrollY));
  });
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => 58,
    getItemKey: useCallback((index: number) => rowKeys[index] ?? index, [rowKeys]),
    overscan: 10,
    scrollMargin,
    scrollPaddingStart: stickyHeight(),
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  // why: a next page would cancel a request for all rows, and leave the first ones as they were
  const canLoadMore = hasMore && !pages.isFetching && moreError === undefined;
  useEffect(() => {
    if (canLoadMore && last >= rows.length - ahead) void fetchNextPage({ cancelRefetch: false });
  }, [canLoadMore, last, rows.length, fetchNextPage]);
  const keys = useRowKeys(rowKeys, (index) => virtual.scrollToIndex(index));
  const [copied, setCopied] = useState('');
  return (
    <div {...hold}>
      <ol
        ref={list}
        className={`entries${isStale ? ' is-stale' : ''}`}
        aria-label="Entries, newest first"
        aria-busy={isStale}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={keys.onKeyDown}
      >
        {items.map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-setsize={hasMore ? -1 : rows.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              <EntryLine
                row={row}
                estate={estate}
                index={index}
                isActive={index === keys.active}
                onFocus={() => keys.setActive(index)}
                onCopy={setCopied}
              />
            </li>
          );
        })}
      </ol>
      <p className="more" role="status">
        {isLoadingMore ? 'Loading more…' : ''}
      </p>
      <p className="hidden" role="status">
        {copied}
      </p>
      {moreError === undefined ? null : <Failure error={moreError} subject="more entries" retry={fetchNextPage} />}
    </div>
  );
}

const outcomeLooks: Readonly<Record<LedgerRow['outcome'], { word: string; tone: string; strokes: string }>> = {
  done: { word: 'done', tone: 'well', strokes: 'M3 8.5l3.4 3.4L13 4.8' },
  failed: { word: 'failed', tone: 'wrong', strokes: 'M4 4l8 8M12 4l-8 8' },
  uncertain: {
    word: 'uncertain',
    tone: 'attention',
    strokes: 'M5.5 6a2.5 2.5 0 1 1 3.8 2.1C8.4 8.7 8 9.2 8 10M8 12.4v.3',
  },
  open: {
    word: 'no outcome here',
    tone: 'busy',
    strokes: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3.2l2 1.6',
  },
  decision: { word: '', tone: 'quiet', strokes: 'M3 3.5h10v7H8l-3 2.5v-2.5H3z' },
};

interface EntryLineProps {
  readonly row: LedgerRow;
  readonly estate: string | undefined;
  readonly index: number;
  /** The row in the tab order. */
  readonly isActive: boolean;
  onFocus(): void;
  onCopy(text: string): void;
}

function EntryLine({ row, estate, index, isActive, onFocus, onCopy }: EntryLineProps) {
  const { tone, strokes, word } = outcomeLooks[row.outcome];
  const at = { 'data-row': index, tabIndex: isActive ? 0 : -1, onFocus };
  return (
    <article className="entry">
      <span className={`status tone-${tone}`}>
        <Glyph strokes={strokes} />
        {verbText(row)}
        {word === '' ? '' : `, ${word}`}
      </span>
      <span className="entry-subject">
        {row.address === '' ? (
          <Link to="/ledger" search={filterOfNote(row, estate)} {...at}>
            {row.subject || 'the estate'}
          </Link>
        ) : (
          <Link to="/resource" search={{ estate, of: row.address }} {...at}>
            {row.address}
          </Link>
        )}
      </span>
      <span className="entry-actor">{row.actor || 'Setpoint'}</span>
      <span className="entry-time quiet">
        <When at={row.at} />
      </span>
      {row.reason === '' ? null : <p className="entry-reason small">{row.reason}</p>}
      <EntryFacts row={row} estate={estate} isActive={isActive} onCopy={onCopy} />
    </article>
  );
}

/** A decision without a resource leads to the decisions of its person. */
const filterOfNote = ({ actor }: LedgerRow, estate: string | undefined): LedgerFilter => ({
  type: 'note',
  ...(actor === '' ? {} : { actor }),
  ...(estate === undefined ? {} : { estate }),
});

type EntryFactsProps = Pick<EntryLineProps, 'row' | 'estate' | 'isActive' | 'onCopy'>;

function EntryFacts({ row, estate, isActive, onCopy }: EntryFactsProps) {
  const { entries, generation, revision, durationMs, attempts, reconcileId, calls, at } = row;
  const tabIndex = isActive ? 0 : -1;
  const [isOpen, setOpen] = useState(false);
  return (
    <p className="entry-facts quiet small">
      <span title={absoluteTime(at)}>
        {entries.length === 1 ? 'entry' : 'entries'} {entries.join(', ')}
      </span>
      {generation === '' ? null : <span>generation {generation}</span>}
      {revision === '' ? null : (
        <span className="code" title={revision}>
          {shortRevision(revision)}
        </span>
      )}
      {durationMs === undefined ? null : <span>took {durationText(durationMs)}</span>}
      {attempts < 2 ? null : <span>attempt {attempts}</span>}
      {reconcileId === '' ? null : (
        <Link to="/ledger" search={{ reconcileId, ...(estate === undefined ? {} : { estate }) }} tabIndex={tabIndex}>
          reconcile {reconcileId.slice(0, 8)}
        </Link>
      )}
      {(isOpen ? calls : calls.slice(0, mostCalls)).map((call) => (
        <CallText key={`${call.action} ${call.requestId}`} call={call} tabIndex={tabIndex} onCopy={onCopy} />
      ))}
      {isOpen || calls.length <= mostCalls ? null : (
        <button type="button" className="copy" tabIndex={tabIndex} onClick={() => setOpen(true)}>
          {calls.length - mostCalls} more calls
        </button>
      )}
    </p>
  );
}

/** A launch may take dozens: they would hide the other entries. */
const mostCalls = 4;

interface CallTextProps {
  readonly call: EntryCall;
  readonly tabIndex: number;
  onCopy(text: string): void;
}

/** Without the clipboard, as on plain HTTP, the id is selected for the keys of the browser. */
function CallText({ call: { action, requestId, code }, tabIndex, onCopy }: CallTextProps) {
  const id = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(requestId);
      onCopy(`Copied ${requestId}`);
    } catch {
      if (id.current !== null) getSelection()?.selectAllChildren(id.current);
      onCopy('The request id is selected: copy it by keys');
    }
  };
  return (
    <span className="call">
      {action}
      {code === '' ? '' : ` ${code}`}
      {requestId === '' ? null : (
        <>
          {' '}
          <code ref={id} className="code">
            {requestId}
          </code>{' '}
          <button type="button" className="copy" tabIndex={tabIndex} onClick={() => void copy()}>
            Copy<span className="hidden"> the request id {requestId}</span>
          </button>
        </>
      )}
    </span>
  );
}

/** `git:1a2b3c4d`: enough to tell commits apart. */
const shortRevision = (revision: string): string => {
  const [kind = '', id = ''] = revision.split(':');
  return id === '' ? kind.slice(0, 12) : `${kind}:${id.slice(0, 8)}`;
};

const durationText = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
