import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { EndPatchDialog, patchText } from '../actions/patches.tsx';
import { ReleaseDialog, ResumeDialog, subjectOf, subjectText } from '../actions/pauses.tsx';
import { useMay } from '../actions/permissions.ts';
import type { Objective, Patch, Pause, PendingApprovals, Resource, Slo, Target } from '../api.d.ts';
import {
  everyStatus,
  Glyph,
  Notice,
  Panel,
  ResourceLink,
  Status,
  statusLooks,
  Table,
  Title,
  When,
} from '../components.tsx';
import * as queries from '../queries.ts';
import { type QueryLike, QueryState } from '../query-state.tsx';
import { spanText } from '../time.ts';
import { type Concern, type Verdict, verdictOf } from './verdict.ts';

export function Overview() {
  const { estate } = useSearch({ from: '/' });
  const targets = useQuery(queries.targets(estate));
  return (
    <>
      <Title className="hidden">Overview</Title>
      <QueryState query={targets} subject="the targets">
        {({ items }) => <OverviewContent estate={estate} targets={items} isCurrent={!targets.isError} />}
      </QueryState>
    </>
  );
}

interface OverviewContentProps {
  readonly estate: string | undefined;
  readonly targets: readonly Target[];
  /** False: these targets are of an earlier answer, and the newest request failed. */
  readonly isCurrent: boolean;
}

function OverviewContent({ estate, targets, isCurrent }: OverviewContentProps) {
  const approvals = useQuery(queries.approvals(estate === undefined ? {} : { estate }));
  const verdict = verdictOf(targets, approvals.data, isCurrent && !approvals.isError);
  return (
    <>
      <Headline verdict={verdict} estate={estate} />
      <TargetsPanel targets={targets} estate={estate} />
      <div className="pair">
        <PendingWork targets={targets} approvals={approvals} estate={estate} />
        <ExposedMachines estate={estate} />
      </div>
      <Convergence estate={estate} />
    </>
  );
}

const tones = {
  well: 'M3 8.5l3.4 3.4L13 4.8',
  wrong: 'M8 3v6M8 12v.8',
  attention: 'M8 3v6M8 12v.8',
  unknown: 'M3 8h10',
};

interface HeadlineProps {
  readonly verdict: Verdict;
  readonly estate: string | undefined;
}

/** One line; below it the rest of the reasons, each a link to its resources. */
function Headline({ verdict: { tone, text, concerns }, estate }: HeadlineProps) {
  const [first, ...others] = concerns;
  return (
    <section className={`headline tone-${tone}`} aria-label="Verdict">
      <Glyph strokes={tones[tone]} />
      <p className="headline-text">{first === undefined ? text : <ConcernLink concern={first} estate={estate} />}</p>
      {others.length === 0 ? null : (
        <p className="headline-rest">
          <span className="quiet">Then: </span>
          {others.map((concern, at) => (
            <span key={concern.text}>
              {at === 0 ? null : <span className="quiet"> · </span>}
              <ConcernLink concern={concern} estate={estate} />
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

function ConcernLink({ concern: { text, filter }, estate }: { readonly concern: Concern; readonly estate?: string }) {
  if (filter === undefined) return <a href="#waiting">{text}</a>;
  return (
    <Link to="/inventory" search={{ ...filter, estate }}>
      {text}
    </Link>
  );
}

interface TargetsPanelProps {
  readonly targets: readonly Target[];
  readonly estate: string | undefined;
}

function TargetsPanel({ targets, estate }: TargetsPanelProps) {
  if (targets.length === 0)
    return (
      <Panel title="Targets">
        <Notice title="No target yet">
          <p>The active specs name none that you may see. Commit a document of kind Target, or ask for a grant.</p>
        </Notice>
      </Panel>
    );
  return (
    <Panel title="Targets">
      <Table name="Targets" className="targets" columns={['Target', 'Resources', 'Observed', 'Last reconcile', 'Next']}>
        {targets.map((target) => (
          <TargetRow key={target.name} target={target} estate={estate} />
        ))}
      </Table>
    </Panel>
  );
}

function TargetRow({ target, estate }: { readonly target: Target; readonly estate: string | undefined }) {
  const { name, provider, account, region, mode, counts, observed, lastReconcile, runningReconcile } = target;
  return (
    <tr>
      <th scope="row">
        <Link to="/inventory" search={{ target: name, estate }}>
          {name}
        </Link>
        <div className="quiet small">
          {provider} · {region || 'global'} · {mode}
        </div>
        <div className="quiet small cut" title={account}>
          {account}
        </div>
      </th>
      <td>
        <Counts counts={counts} target={name} estate={estate} />
      </td>
      <td>
        {observed.at === undefined ? 'Not yet' : <When at={observed.at} />}
        <div className={observed.complete ? 'quiet small' : 'small tone-wrong ink'}>
          {observed.complete
            ? 'complete'
            : `incomplete: ${observed.gaps.map(({ kind }) => kind).join(', ') || 'no listing'}`}
        </div>
      </td>
      <td>
        {runningReconcile === undefined ? null : (
          <>
            Running since <When at={runningReconcile.startedAt} />
          </>
        )}
        {lastReconcile === undefined || runningReconcile !== undefined ? null : (
          <>
            {lastReconcile.outcome ?? lastReconcile.state}
            <div className="quiet small">
              <When at={lastReconcile.endedAt ?? lastReconcile.startedAt} />
            </div>
          </>
        )}
        {lastReconcile === undefined && runningReconcile === undefined ? (
          <span className="quiet">Not known</span>
        ) : null}
      </td>
      <td>
        {target.nextReconcileAt === undefined ? <span className="quiet">–</span> : <When at={target.nextReconcileAt} />}
      </td>
    </tr>
  );
}

interface CountsProps {
  readonly counts: Target['counts'];
  readonly target: string;
  readonly estate: string | undefined;
}

function Counts({ counts, target, estate }: CountsProps) {
  const found = everyStatus.flatMap((status) => {
    const count = counts[status] ?? 0;
    return count === 0 ? [] : [{ status, count }];
  });
  if (found.length === 0) return <span className="quiet">None</span>;
  return (
    <>
      <div className="share" aria-hidden="true">
        {found.map(({ status, count }) => (
          <span key={status} className={`tone-${statusLooks[status].tone}`} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul className="counts">
        {found.map(({ status, count }) => (
          <li key={status}>
            <Link to="/inventory" search={{ target, status, estate }}>
              <span className="number">{count}</span> <Status status={status} />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

interface PendingWorkProps {
  readonly targets: readonly Target[];
  readonly approvals: QueryLike<PendingApprovals>;
  readonly estate: string | undefined;
}

/** The work that waits, and the people or the events that it waits for. */
function PendingWork({ targets, approvals, estate }: PendingWorkProps) {
  const pauses = useQuery(queries.pauses(estate));
  const patches = useQuery(queries.patches(estate));
  const held = targets.flatMap((target) => heldLines(target, estate));
  const isNothing =
    held.length +
      (approvals.data?.actions.length ?? 1) +
      (pauses.data?.items.length ?? 1) +
      (patches.data?.items.length ?? 1) ===
    0;
  return (
    <Panel title="Pending work">
      <div id="waiting" />
      <QueryState query={approvals} subject="pending approvals" lines={2}>
        {(pending) => <Lines>{approvalLines(pending)}</Lines>}
      </QueryState>
      <Lines>{held}</Lines>
      <QueryState query={pauses} subject="pauses" lines={2}>
        {({ estate: of, items }) => (
          <Lines>
            {items.map((pause) => (
              <PauseLine key={`pause-${pause.id}`} pause={pause} estate={of} />
            ))}
          </Lines>
        )}
      </QueryState>
      <QueryState query={patches} subject="patches" lines={1}>
        {({ estate: of, items }) => (
          <Lines>
            {items.map((patch) => (
              <PatchLine key={`patch-${patch.id}`} patch={patch} estate={of} />
            ))}
          </Lines>
        )}
      </QueryState>
      {isNothing ? <p className="quiet empty">Nothing waits.</p> : null}
    </Panel>
  );
}

const Lines = ({ children }: { readonly children: readonly ReactNode[] }) =>
  children.length === 0 ? null : <ul className="lines">{children}</ul>;

function approvalLines(pending: PendingApprovals): readonly ReactNode[] {
  if (pending.actions.length === 0) return [];
  const { actions, generation, required, authors } = pending;
  const roles = [...new Set(required.flatMap(({ role }) => role ?? []))];
  const whom = roles.length === 0 ? 'an approver' : `approvers in the role ${roles.join(', ')}`;
  return [
    <li key="approvals">
      <strong className="number">{actions.length}</strong> {actions.length === 1 ? 'action waits' : 'actions wait'} for{' '}
      {whom}
      <div className="quiet small">
        Generation {generation} · {actionSummary(pending)}
        {authors.denialReason === undefined ? '' : ` · not by you: ${authors.denialReason}`}
      </div>
      <Link to="/approvals" search={{ estate: pending.estate }}>
        Review them
      </Link>
    </li>,
  ];
}

function actionSummary({ summary }: PendingApprovals): string {
  const verbs = ['create', 'update', 'replace', 'delete', 'adopt'] as const;
  const parts = verbs.flatMap((verb) => (summary[verb] === 0 ? [] : [`${verb} ${summary[verb]}`]));
  return parts.join(', ') || 'nothing changes';
}

function heldLines({ name, scope, held, estate: of }: Target, estate: string | undefined): readonly ReactNode[] {
  if (held === undefined) return [];
  const { withheldChanges, quarantine, stoppedRollouts, inGrace, halfReplaced } = held;
  return [
    ...withheldChanges.map(({ code, failed, count, resources: [first] }) => (
      <li key={`${name}-${code}-${failed}`}>
        <strong className="number">{count}</strong> {count === 1 ? 'change is' : 'changes are'}{' '}
        {failed ? 'refused by the cloud' : 'withheld'} on{' '}
        <Link
          to="/inventory"
          search={{ target: name, estate, status: 'Failed,Missing,Drifted,Blocked,Paused,Pending' }}
        >
          {name}
        </Link>
        : <span className="code">{code}</span>
        {first === undefined ? null : (
          <>
            <div className="quiet small">{first.reason}</div>
            <code className="command">{first.next}</code>
          </>
        )}
      </li>
    )),
    ...(quarantine === undefined
      ? []
      : [
          <li key={`${name}-quarantine`}>
            {name} is in quarantine since <When at={quarantine.since} />
            <div className="quiet small">{quarantine.reason ?? 'Its reconciles keep failing.'}</div>
            <ReleaseDialog
              estate={of}
              target={name}
              held={{ quarantined: scope }}
              about={quarantine.reason ?? 'Its reconciles keep failing.'}
            />
          </li>,
        ]),
    ...stoppedRollouts.map(({ document, reason, generation }) => (
      <li key={`${name}-${document}-${generation}`}>
        The rollout of {document} stopped in generation {generation}
        <div className="quiet small">{reason}</div>
        <ReleaseDialog estate={of} target={name} held={{ rolloutOf: document }} about={`It stopped: ${reason}`} />
      </li>
    )),
    ...inGrace.map(({ address, until }) => (
      <li key={`${name}-${address}`}>
        {address} runs on in its grace; workers delete it <When at={until} />
      </li>
    )),
    ...halfReplaced.map(({ address, waitsFor, since }) => (
      <li key={`${name}-${address}-surge`}>
        The replacement of {address} waits for {waitsFor}, since <When at={since} />
      </li>
    )),
  ];
}

const modeWords = { healing: 'Healing', rollout: 'Rollouts', all: 'All changes' } as const;

function PatchLine({ patch, estate }: { readonly patch: Patch; readonly estate: string }) {
  const { kind, name, actor, reason, until } = patch;
  const may = useMay();
  return (
    <li>
      {kind} {name} is patched by {actor}, ends <When at={until} />
      <div className="quiet small">
        {patchText(patch)}: {reason}
      </div>
      {may('operate', { estate, targets: 'any', owners: 'any' }) ? (
        <EndPatchDialog estate={estate} patch={patch} />
      ) : null}
    </li>
  );
}

function PauseLine({ pause, estate }: { readonly pause: Pause; readonly estate: string }) {
  const { mode, subject, reason, actor, until, incident } = pause;
  const may = useMay();
  return (
    <li>
      {modeWords[mode]} of {subjectText(subject)} {mode === 'healing' ? 'is' : 'are'} paused by {actor}, ends{' '}
      <When at={until} />
      <div className="quiet small">
        {incident === undefined ? '' : `Incident ${incident}: `}
        {reason}
      </div>
      {may('operate', subjectOf(subject, estate)) ? <ResumeDialog estate={estate} pause={pause} /> : null}
    </li>
  );
}

function ExposedMachines({ estate }: { readonly estate: string | undefined }) {
  const exposed = useQuery(queries.exposed(estate));
  return (
    <Panel title="Exposed to the internet">
      <QueryState query={exposed} subject="the exposed machines" lines={2}>
        {({ items, next }) => <ExposedList machines={items} hasMore={next !== undefined} estate={estate} />}
      </QueryState>
    </Panel>
  );
}

interface ExposedListProps {
  readonly machines: readonly Resource[];
  readonly hasMore: boolean;
  readonly estate: string | undefined;
}

const ExposedList = ({ machines, hasMore, estate }: ExposedListProps) => (
  <>
    <p className="figure">
      <Link to="/inventory" search={{ exposed: 'yes', estate }}>
        <span className="big number">
          {machines.length}
          {hasMore ? ' or more' : ''}
        </span>{' '}
        {machines.length === 1 ? 'machine' : 'machines'}
      </Link>
    </p>
    <ul className="lines">
      {machines.slice(0, 4).map((machine) => (
        <li key={`${machine.estate} ${machine.scope} ${machine.address} ${machine.id}`}>
          <ResourceLink estate={machine.estate} resource={machine} />
          <div className="quiet small clamp" title={machine.exposed?.reason}>
            {machine.exposed?.reason}
          </div>
        </li>
      ))}
    </ul>
  </>
);

// why: the charts come after the first paint
const Trends = lazy(async () => ({ default: (await import('./trends.tsx')).Trends }));

function Convergence({ estate }: { readonly estate: string | undefined }) {
  const slo = useQuery(queries.slo(estate));
  const history = useQuery(queries.sloHistory(estate));
  return (
    <Panel title="Drift and convergence" aside="Last 7 days, resources of documents">
      <QueryState query={slo} subject="the figures">
        {(figures) => <Figures slo={figures} />}
      </QueryState>
      <QueryState query={history} subject="the figures over time">
        {(parts) => (
          <Suspense fallback={null}>
            <Trends history={parts} />
          </Suspense>
        )}
      </QueryState>
    </Panel>
  );
}

function Figures({ slo: { items } }: { readonly slo: Slo }) {
  if (items.length === 0) return <p className="quiet empty">No resource of a document was known in this time.</p>;
  const moved = items.filter(({ inSync, drift, convergence }) => inSync < 1 || drift.count + convergence.open > 0);
  const still = items.length - moved.length;
  const stillText = `${still} of ${items.length} kinds on all targets were in sync the whole time.`;
  if (moved.length === 0) return <p className="quiet empty">{stillText}</p>;
  return (
    <>
      <FigureTable moved={moved.toSorted((a, b) => a.inSync - b.inSync)} />
      {still === 0 ? null : <p className="quiet small rest">{stillText}</p>}
    </>
  );
}

const figureColumns = [
  'Target',
  'Kind',
  { title: 'Resources', isNumber: true },
  { title: 'In sync', isNumber: true },
  { title: 'Drifted', isNumber: true },
  { title: 'Converged P50', isNumber: true },
  { title: 'P95', isNumber: true },
  'Open',
] as const;

function FigureTable({ moved }: { readonly moved: readonly Objective[] }) {
  return (
    <Table name="Drift and convergence" className="figures" columns={figureColumns}>
      {moved.map((objective) => (
        <FigureRow key={`${objective.target} ${objective.kind}`} objective={objective} />
      ))}
    </Table>
  );
}

/** Never rounded up to 100: a moment out of sync shows. */
const percent = (share: number): string =>
  share === 1 ? '100 %' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;

const FigureRow = ({ objective: { target, kind, resources, inSync, drift, convergence } }: FigureProps) => (
  <tr>
    <th scope="row">{target}</th>
    <td>{kind}</td>
    <td className="right number">{resources}</td>
    <td className="right number">{percent(inSync)}</td>
    <td className="right number">
      {drift.count === 0 ? <span className="quiet">0</span> : `${drift.count} ${drift.count === 1 ? 'time' : 'times'}`}
    </td>
    <td className="right number">{convergence.p50Seconds === undefined ? '–' : spanText(convergence.p50Seconds)}</td>
    <td className="right number">{convergence.p95Seconds === undefined ? '–' : spanText(convergence.p95Seconds)}</td>
    <td>
      {convergence.open === 0 ? <span className="quiet">none</span> : `${convergence.open}, oldest `}
      {convergence.openSince === undefined ? null : <When at={convergence.openSince} />}
    </td>
  </tr>
);

interface FigureProps {
  readonly objective: Objective;
}
