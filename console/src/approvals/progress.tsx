import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Fleet, Scope } from '../api.d.ts';
import { Glyph, Panel, Table, When } from '../components.tsx';
import { refillText, stateLooks, waitText } from '../fleet/words.ts';
import { type LedgerRow, ledgerRows } from '../ledger/entries.ts';
import * as queries from '../queries.ts';
import { QueryState } from '../query-state.tsx';

const recentMs = 15 * 60_000;
const mostRows = 50;
const mostCalls = 4;

interface ProgressProps {
  readonly estate: string;
  /** Of the pending actions; empty: all. */
  readonly scopes: readonly string[];
}

/** Each wait with its reason, and each call, while workers carry out what was approved. */
export function Progress({ estate, scopes }: ProgressProps) {
  const [since] = useState(() => new Date(Date.now() - recentMs).toISOString());
  const fleet = useQuery(queries.fleet(estate));
  const work = useInfiniteQuery(queries.scopes(estate, 'waiting,running,held'));
  const entries = useInfiniteQuery(queries.ledgerEntries({ estate, since }));
  const isMeant = (scope: string): boolean => scopes.length === 0 || scopes.includes(scope);
  const busy = work.data?.pages.flatMap(({ items }) => items).filter(({ scope }) => isMeant(scope)) ?? [];
  const rows = ledgerRows(entries.data?.pages.flatMap(({ items }) => items) ?? [])
    .filter(({ outcome, address }) => outcome !== 'decision' && isIn(address, scopes))
    .slice(0, mostRows);
  return (
    <Panel
      title="Progress"
      aside={
        <Link to="/fleet" search={{ estate }}>
          Fleet
        </Link>
      }
    >
      <QueryState query={work} subject="the work" lines={2}>
        {() => <Work busy={busy} limits={fleet.data?.rateLimits.items ?? []} hasMore={work.hasNextPage} />}
      </QueryState>
      <QueryState query={entries} subject="the ledger" lines={2}>
        {() => <Calls rows={rows} estate={estate} since={since} hasMore={entries.hasNextPage} />}
      </QueryState>
    </Panel>
  );
}

const isIn = (address: string, scopes: readonly string[]): boolean =>
  scopes.length === 0 || scopes.some((scope) => address.startsWith(`${scope}/`));

interface WorkProps {
  readonly busy: readonly Scope[];
  readonly limits: Fleet['rateLimits']['items'];
  /** Not all scopes are read. */
  readonly hasMore: boolean;
}

function Work({ busy, limits, hasMore }: WorkProps) {
  if (busy.length === 0)
    return (
      <p className="quiet empty">
        {hasMore
          ? 'None of the first 200 busy scopes is one of these. The fleet has all.'
          : 'No worker is at work there, and nothing waits.'}
      </p>
    );
  return (
    <ul className="lines">
      {busy.map(({ scope, state, waitsFor }) => {
        const { word, tone, strokes } = stateLooks[state];
        return (
          <li key={scope}>
            <span className={`status tone-${tone}`}>
              <Glyph strokes={strokes} />
              {word}
            </span>{' '}
            {scope}
            {waitsFor.map((wait) => {
              const { text, reason } = waitText(wait);
              const limit = wait.type === 'rate-limit' ? limits.find(({ key }) => key === wait.key) : undefined;
              return (
                <div key={JSON.stringify(wait)} className="quiet small">
                  {[text, reason, limit === undefined ? '' : refillText(limit)].filter(Boolean).join(' · ')}
                </div>
              );
            })}
          </li>
        );
      })}
    </ul>
  );
}

const outcomes: Readonly<Record<LedgerRow['outcome'], readonly [word: string, tone: string]>> = {
  done: ['Done', 'well'],
  failed: ['Failed', 'wrong'],
  uncertain: ['Uncertain', 'attention'],
  open: ['Sent', 'busy'],
  decision: ['Decision', 'quiet'],
};

interface CallsProps {
  readonly rows: readonly LedgerRow[];
  readonly estate: string;
  readonly since: string;
  /** Older entries since then are not read. */
  readonly hasMore: boolean;
}

function Calls({ rows, estate, since, hasMore }: CallsProps) {
  if (rows.length === 0)
    return (
      <p className="quiet empty">
        {hasMore ? 'No change among the newest entries since ' : 'No change since '}
        <When at={since} />.
      </p>
    );
  return (
    <Table name="Newest changes" columns={['Change', 'Outcome', 'Requests', 'When']}>
      {rows.map(({ key, verb, address, outcome, reason, calls, at }) => {
        const [word, tone] = outcomes[outcome];
        return (
          <tr key={key}>
            <th scope="row">
              {verb}{' '}
              <Link to="/resource" search={{ estate, of: address }} className="address">
                {address}
              </Link>
            </th>
            <td>
              <span className={`tone-${tone} ink`}>{word}</span>
              {reason === '' ? null : <div className="quiet small">{reason}</div>}
            </td>
            <td className="code small">
              {calls.slice(-mostCalls).map(({ action, requestId, code }) => (
                <div key={`${action} ${requestId}`}>
                  {action} {requestId} {code}
                </div>
              ))}
              {calls.length > mostCalls ? (
                <Link to="/ledger" search={{ estate, address }}>
                  {calls.length - mostCalls} before them
                </Link>
              ) : null}
            </td>
            <td>
              <When at={at} />
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
