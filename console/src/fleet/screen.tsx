import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Fleet, QueuedReconcile, RateLimit, Scope, Worker } from '../api.d.ts';
import { Glyph, Notice, Panel, Table, Title, When } from '../components.tsx';
import * as queries from '../queries.ts';
import { Failure, QueryState } from '../query-state.tsx';
import { spanText } from '../time.ts';
import { byState, refillText, stateLooks, unitsText, waitText } from './words.ts';

export function FleetScreen() {
  const { estate } = useSearch({ from: '/fleet' });
  const fleet = useQuery(queries.fleet(estate));
  return (
    <>
      <div className="title-row">
        <Title>Fleet</Title>
        <p className="quiet">{fleet.data?.scopes === undefined ? '' : summaryText(fleet.data.scopes)}</p>
      </div>
      {fleet.data !== undefined && fleet.data.tasks === undefined ? (
        <p className="quiet partial">
          You see the scopes of which your grant covers a whole target. Tasks and sources are for people who see all of
          the estate.
        </p>
      ) : null}
      {fleet.data?.note === undefined ? null : (
        <Notice tone="attention" title="No scopes">
          <p>{fleet.data.note}</p>
        </Notice>
      )}
      <Scopes estate={estate} title="Work" states="waiting,running,held" nothing="No scope waits, runs or is held." />
      <QueryState query={fleet} subject="the fleet">
        {(found) => <FleetContent fleet={found} />}
      </QueryState>
      <Scopes estate={estate} title="Idle scopes" states="idle" nothing="No scope is idle." />
    </>
  );
}

/** `2 waiting, 1 running, 3 idle`. */
function summaryText(counts: NonNullable<Fleet['scopes']>): string {
  const states = (['waiting', 'running', 'held', 'idle'] as const).flatMap((state) =>
    counts[state] === 0 ? [] : [`${counts[state]} ${state}`],
  );
  return states.length === 0 ? 'No scope that you see' : `Scopes: ${states.join(', ')}`;
}

interface ScopesProps {
  readonly estate: string | undefined;
  readonly title: string;
  readonly states: string;
  readonly nothing: string;
}

/** The API lists scopes by name; those of a page that wait come first. */
function Scopes({ estate, title, states, nothing }: ScopesProps) {
  const pages = useInfiniteQuery(queries.scopes(estate, states));
  const scopes = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  const moreError = pages.isFetchNextPageError ? pages.error : undefined;
  return (
    <Panel title={title} aside={countText(scopes.length, pages.hasNextPage)}>
      <QueryState
        query={pages}
        subject={`scopes: ${title.toLowerCase()}`}
        lines={2}
        empty={() => (scopes.length === 0 ? <p className="quiet empty">{nothing}</p> : undefined)}
      >
        {() => (
          <Table
            name={title}
            className="fleet-scopes"
            columns={['Scope', 'State', 'Waits for', 'Lease', 'Last reconcile']}
          >
            {scopes.toSorted(byState).map((scope) => (
              <ScopeRow key={scope.scope} scope={scope} estate={estate} />
            ))}
          </Table>
        )}
      </QueryState>
      {pages.hasNextPage && moreError === undefined ? (
        <button
          type="button"
          className="button"
          disabled={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more scopes
        </button>
      ) : null}
      {moreError === undefined ? null : (
        <Failure error={moreError} subject="more scopes" retry={() => void pages.fetchNextPage()} />
      )}
    </Panel>
  );
}

const countText = (count: number, hasMore: boolean): string =>
  count === 0 ? '' : `${count}${hasMore ? ' or more' : ''}`;

function ScopeRow({ scope: one, estate }: { readonly scope: Scope; readonly estate: string | undefined }) {
  const { scope, targets, criticality, everySeconds, state, lease, runningReconcile, lastReconcile, waitsFor } = one;
  const { word, tone, strokes } = stateLooks[state];
  return (
    <tr>
      <th scope="row">
        {scope}
        <div className="quiet small">
          {targets.map((target) => (
            <span key={target}>
              <Link to="/inventory" search={{ target, estate }}>
                {target}
              </Link>{' '}
            </span>
          ))}
          · {criticality} · every {spanText(everySeconds)}
        </div>
      </th>
      <td>
        <span className={`status tone-${tone}`}>
          <Glyph strokes={strokes} />
          {word}
        </span>
      </td>
      <td>
        {waitsFor.length === 0 ? <span className="quiet">{state === 'idle' ? 'Not known' : 'Nothing'}</span> : null}
        <ul className="waits">
          {waitsFor.map((wait) => (
            <WaitLine key={JSON.stringify(wait)} wait={wait} />
          ))}
        </ul>
      </td>
      <td>
        {lease === undefined ? (
          <span className="quiet">Nobody</span>
        ) : (
          <>
            {lease.worker}
            <div className="quiet small">
              since <When at={runningReconcile?.startedAt ?? lease.since} />
              {runningReconcile === undefined ? ', not a reconcile' : ''}
            </div>
          </>
        )}
      </td>
      <td>
        {lastReconcile === undefined ? (
          <span className="quiet">None yet</span>
        ) : (
          <>
            {lastReconcile.outcome ?? lastReconcile.state}{' '}
            <span className="quiet small">
              <When at={lastReconcile.endedAt ?? lastReconcile.startedAt} />
            </span>
            {lastReconcile.message === undefined ? null : <div className="quiet small">{lastReconcile.message}</div>}
          </>
        )}
      </td>
    </tr>
  );
}

function WaitLine({ wait }: { readonly wait: Scope['waitsFor'][number] }) {
  const { text, reason, next } = waitText(wait);
  const since = 'since' in wait ? wait.since : undefined;
  const until = 'until' in wait ? wait.until : undefined;
  return (
    <li>
      {text}
      {since === undefined ? null : (
        <span className="quiet">
          , since <When at={since} />
        </span>
      )}
      {until === undefined ? null : (
        <span className="quiet">
          , ends <When at={until} />
        </span>
      )}
      {reason === '' ? null : <div className="quiet small">{reason}</div>}
      {next === '' ? null : <code className="command">{next}</code>}
    </li>
  );
}

const FleetContent = ({ fleet }: { readonly fleet: Fleet }) => (
  <>
    <RateLimits rateLimits={fleet.rateLimits} />
    <Queue queue={fleet.queue} />
    <Workers workers={fleet.workers} tasks={fleet.tasks} />
    <Sources fleet={fleet} />
  </>
);

/** A list that this process does not know is unknown, and never empty. */
const Unknown = ({ note }: { readonly note: string | undefined }) => (
  <Notice title="Not known here">
    <p>{note}</p>
  </Notice>
);

function RateLimits({ rateLimits: { known, note, truncated, items } }: Pick<Fleet, 'rateLimits'>) {
  const isFull = ({ remaining, slowedUntil, waiting }: RateLimit): boolean =>
    remaining >= 0.995 && slowedUntil === undefined && waiting === undefined;
  const spent = items.filter((one) => !isFull(one));
  const full = items.filter(isFull);
  return (
    <Panel title="Rate limits" aside="As the answering process used them">
      {known ? null : <Unknown note={note} />}
      {spent.length === 0 ? null : <RateLimitTable name="Rate limits in use" rateLimits={spent} />}
      {!known || items.length > 0 ? null : (
        <p className="quiet empty">This process has used none of these scopes yet.</p>
      )}
      {full.length === 0 ? null : (
        <details>
          <summary>
            {full.length} {full.length === 1 ? 'is' : 'are'} full
          </summary>
          <RateLimitTable name="Full rate limits" rateLimits={full} />
        </details>
      )}
      {truncated ? <p className="quiet small">There are more. These have the least left.</p> : null}
    </Panel>
  );
}

interface RateLimitTableProps {
  readonly name: string;
  readonly rateLimits: readonly RateLimit[];
}

const RateLimitTable = ({ name, rateLimits }: RateLimitTableProps) => (
  <Table name={name} className="fleet-limits" columns={['Rate limit', 'Left', 'Refill', 'Waiting requests']}>
    {rateLimits.map((one) => (
      <tr key={one.key}>
        <th scope="row">{one.key}</th>
        <td>
          <div className="meter" aria-hidden="true">
            <span style={{ width: `${Math.round(Math.max(0, Math.min(1, one.remaining)) * 100)}%` }} />
          </div>
          {unitsText(one)}
          {one.slowedUntil === undefined ? null : (
            <div className="small tone-attention ink">
              Throttled by the cloud; full speed <When at={one.slowedUntil} />
            </div>
          )}
        </td>
        <td>{refillText(one)}</td>
        <td>
          {one.waiting === undefined ? (
            <span className="quiet">None here</span>
          ) : (
            <>
              for <span className="number">{one.waiting.units}</span> units, since <When at={one.waiting.since} />
            </>
          )}
        </td>
      </tr>
    ))}
  </Table>
);

function Queue({ queue: { known, note, truncated, items } }: Pick<Fleet, 'queue'>) {
  return (
    <Panel title="Queue" aside={known ? countText(items.length, truncated === true) : ''}>
      {known ? null : <Unknown note={note} />}
      {known && items.length === 0 ? <p className="quiet empty">No reconcile of these scopes is queued.</p> : null}
      {items.length === 0 ? null : (
        <Table name="Queue" columns={['Scope', 'State', 'Criticality', 'Reason', 'Queued']}>
          {items.map((one) => (
            <QueueRow key={`${one.scope} ${one.state} ${one.queuedAt}`} queued={one} />
          ))}
        </Table>
      )}
    </Panel>
  );
}

const urgencyWords = { requested: 'Requested', periodic: 'Periodic' } as const;

const QueueRow = ({
  queued: { scope, state, criticality, urgency, queuedAt, failures },
}: {
  readonly queued: QueuedReconcile;
}) => (
  <tr>
    <th scope="row">{scope}</th>
    <td>
      {state}
      {failures === 0 ? '' : `, failed ${failures} times in a row`}
    </td>
    <td>{criticality}</td>
    <td>{urgency === undefined ? 'Waited long' : urgencyWords[urgency]}</td>
    <td>
      <When at={queuedAt} />
    </td>
  </tr>
);

const taskWords = {
  scheduler: 'Scheduler: queues periodic and requested reconciles',
  signer: 'Signer: signs the ledger',
  sources: 'Sources: follows the specs of this estate',
} as const;

function Workers({ workers: { known, note, items }, tasks = [] }: Pick<Fleet, 'workers' | 'tasks'>) {
  return (
    <Panel title="Workers" aside="Holders of leases now, and of reconciles within an hour">
      {known ? null : <Unknown note={note} />}
      {known && items.length === 0 ? (
        <p className="quiet empty">No worker was seen at these scopes within an hour. An idle one leaves no sign.</p>
      ) : null}
      {items.length === 0 ? null : (
        <Table name="Workers" columns={['Worker', 'Seen', 'Works on']}>
          {items.map((worker) => (
            <WorkerRow key={worker.worker} worker={worker} />
          ))}
        </Table>
      )}
      {tasks.length === 0 ? null : (
        <Table name="Tasks of one process" columns={['Task', 'Done by', 'Since']}>
          {tasks.map(({ task, worker, since }) => (
            <tr key={task}>
              <th scope="row">{taskWords[task]}</th>
              <td>{worker ?? <span className="tone-wrong ink">Nobody now</span>}</td>
              <td>{since === undefined ? <span className="quiet">–</span> : <When at={since} />}</td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

const WorkerRow = ({ worker: { worker, state, lastSeenAt, scopes } }: { readonly worker: Worker }) => (
  <tr>
    <th scope="row">{worker}</th>
    <td>{state === 'working' ? 'Now' : <When at={lastSeenAt} />}</td>
    <td>
      {scopes.length === 0 ? <span className="quiet">Nothing now</span> : null}
      <ul className="waits">
        {scopes.map(({ scope, since, runningReconcile }) => (
          <li key={scope}>
            {scope}
            <span className="quiet">
              , {runningReconcile === undefined ? 'not a reconcile' : 'reconcile'} since{' '}
              <When at={runningReconcile?.startedAt ?? since} />
            </span>
          </li>
        ))}
      </ul>
    </td>
  </tr>
);

const sourceTones: Readonly<Record<NonNullable<Fleet['sources']>[number]['state'], string>> = {
  followed: 'well',
  pinned: 'attention',
  broken: 'wrong',
  unsigned: 'wrong',
  rewritten: 'wrong',
  unavailable: 'wrong',
};

function Sources({ fleet: { sources, pin } }: { readonly fleet: Fleet }): ReactNode {
  if (sources === undefined) return null;
  return (
    <Panel title="Sources of specs">
      {pin === undefined ? null : (
        <Notice tone="attention" title={`Pinned at ${pin.revision} by ${pin.actor}`}>
          <p>
            {pin.reason}, <When at={pin.at} />. <code className="code">setpoint unpin</code> ends it.
          </p>
        </Notice>
      )}
      {sources.length === 0 ? (
        <p className="quiet empty">No worker follows a source of this estate: setpoint apply brings its specs.</p>
      ) : (
        <Table name="Sources" columns={['Source', 'State', 'Head', 'Since']}>
          {sources.map(({ source, state, head, reason, since }) => (
            <tr key={source}>
              <th scope="row">{source}</th>
              <td>
                <span className={`tone-${sourceTones[state]} ink`}>{state}</span>
                {reason === undefined ? null : <div className="quiet small">{reason}</div>}
              </td>
              <td>
                {head === undefined ? <span className="quiet">None yet</span> : <code className="code">{head}</code>}
              </td>
              <td>
                <When at={since} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}
