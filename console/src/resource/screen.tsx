import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ResourceActions } from '../actions/resource-actions.tsx';
import { ResourceNotes } from '../actions/resource-notes.tsx';
import type { Explanation, LastModifiedBy, LedgerPage, Relation, ResourceDetails, ResourceVersion } from '../api.d.ts';
import { Notice, nameOf, Panel, ResourceLink, Status, Table, Title, When } from '../components.tsx';
import { type LedgerRow, ledgerRows, rowText } from '../ledger/entries.ts';
import * as queries from '../queries.ts';
import { isForbidden, isNotFound, type QueryLike, QueryState } from '../query-state.tsx';
import { spanText } from '../time.ts';
import { type FieldRow, fieldRows, lastApplied, valueText } from './fields.ts';

export function ResourceScreen() {
  const { estate, of } = useSearch({ from: '/resource' });
  if (of === undefined)
    return (
      <>
        <Title>Resource</Title>
        <Notice title="The address of this page names no resource">
          <p>
            Choose one in the{' '}
            <Link to="/inventory" search={{ estate }}>
              inventory
            </Link>
            .
          </p>
        </Notice>
      </>
    );
  return <ResourceByName key={`${estate} ${of}`} estate={estate} of={of} />;
}

interface ResourceByNameProps {
  readonly estate: string | undefined;
  readonly of: string;
}

function ResourceByName({ estate, of }: ResourceByNameProps) {
  const found = useQuery(queries.resource(estate, of));
  const { data, error } = found;
  if (data !== undefined && isNotFound(error))
    return (
      <>
        <Title>{nameOf(data)}</Title>
        <Notice tone="attention" title="This resource is no longer in the inventory">
          <p>
            It vanished from the cloud and from the specs, or your grants no longer cover it. The{' '}
            <Link to="/inventory" search={{ estate }}>
              inventory
            </Link>{' '}
            has the present resources.
          </p>
        </Notice>
      </>
    );
  return (
    <>
      {data === undefined || isForbidden(error) ? <Title className="address">{of}</Title> : null}
      <QueryState query={found} subject="this resource" lines={8}>
        {(details) => <Details details={details} of={of} />}
      </QueryState>
    </>
  );
}

interface DetailsProps {
  readonly details: ResourceDetails;
  readonly of: string;
}

function Details({ details, of }: DetailsProps) {
  const { kind, status, reason, since, estate, targets, owner, address, id, observed } = details;
  const explained = useQuery(queries.explanation(estate, of));
  const { next } = details;
  const isHealing = next?.cause === 'drift' && next.mode === 'enforce' && status !== 'Blocked' && status !== 'Paused';
  return (
    <article className="resource">
      <p className="crumbs">
        <Link to="/inventory" search={{ kind, estate }}>
          {kind}
        </Link>{' '}
        of{' '}
        {targets.map((target, at) => (
          <span key={target}>
            {at === 0 ? '' : ', '}
            <Link to="/inventory" search={{ target, estate }}>
              {target}
            </Link>
          </span>
        ))}
        {targets.length === 0 ? details.scope : null}
      </p>
      <Title className="address">{nameOf(details)}</Title>
      <div className="state">
        <Status status={status} />
        <span className="quiet">
          since <When at={since} />
        </span>
        <span className="quiet">
          observed <When at={observed.at} />
          {observed.complete ? '' : ', incomplete'}
        </span>
      </div>
      <p className="why">{reason}</p>
      {address === undefined ? null : (
        <ResourceNotes
          estate={estate}
          address={address}
          targets={targets}
          owners={owner === undefined ? [] : [owner]}
          assignment={details.assignee}
          comments={details.comments ?? []}
        />
      )}
      <ResourceActions
        estate={estate}
        scope={details.scope}
        address={address}
        owners={owner === undefined ? [] : [owner]}
        document={details.documents[0]?.address}
        isHealed={isHealing}
        isWithheld={next !== undefined && !isHealing}
      />
      {observed.complete ? null : (
        <Notice tone="attention" title={`The newest observation could not list ${kind}`}>
          <p>This is the state as Setpoint last saw it. It changes nothing that depends on the gap.</p>
        </Notice>
      )}
      <dl className="facts">
        <Fact name="Address" value={address} />
        <Fact name="Id" value={id} />
        <Fact name="Owner" value={owner} />
        <Fact name="Claim" value={details.claim} />
        <Fact name="Criticality" value={details.criticality} />
        <Fact name="Documents" value={details.documents.map(({ file, line }) => `${file}:${line}`).join(', ')} />
        <Fact name="Exposed" value={details.exposed && `${details.exposed.answer}: ${details.exposed.reason}`} />
        <Fact name="Origin" value={details.origin && `${details.origin.reason}: ${details.origin.detail}`} />
      </dl>
      <FieldComparison details={details} of={of} />
      <div className="pair">
        <NextAction details={details} explanation={explained.data} />
        <Reasons details={details} explained={explained} />
      </div>
      <div className="pair">
        <History versions={details.history} />
        <Ledger estate={estate} of={address ?? of} />
      </div>
      <Origins details={details} />
      <Relations details={details} />
    </article>
  );
}

const Fact = ({ name, value }: { readonly name: string; readonly value: string | undefined }) =>
  value === undefined || value === '' ? null : (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );

/** The three forms side by side. */
function FieldComparison({ details: { desired, observed, diff, estate, address }, of }: DetailsProps) {
  const entries = useQuery(queries.ledger(estate, address ?? of));
  const applied = lastApplied(entries.data?.items ?? []);
  const rows = fieldRows({
    desired: desired?.attributes,
    observed: observed.object?.attributes,
    applied: applied?.attributes,
    differing: diff.map(({ field }) => field),
  });
  if (rows.length === 0) return <Notice title="No field is known: neither the specs nor the cloud have one" />;
  return (
    <Panel title="Desired, observed, last applied" aside={differenceText(rows, desired, observed.object)}>
      <Table
        name="Fields"
        className="sides"
        columns={[
          'Field',
          `Desired${desired === undefined ? ' · no document' : ''}`,
          `Observed · ${observed.object?.state ?? 'no object'}`,
          `Last applied${applied === undefined ? '' : ` · entry ${applied.seq}`}`,
        ]}
      >
        {rows.map((row) => (
          <FieldComparisonRow key={row.field} row={row} />
        ))}
      </Table>
      {applied === undefined && entries.isSuccess ? (
        <p className="quiet small">The newest 20 entries of the ledger hold no applied state of it.</p>
      ) : null}
    </Panel>
  );
}

function differenceText(rows: readonly FieldRow[], desired: unknown, object: unknown): string {
  if (desired === undefined) return 'No document asks for it';
  if (object === undefined) return 'It does not exist on the cloud';
  const count = rows.filter(({ differs }) => differs).length;
  if (count === 0) return 'No field differs';
  return `${count} ${count === 1 ? 'field differs' : 'fields differ'}`;
}

const sideNames = ['Desired', 'Observed', 'Last applied'] as const;

const FieldComparisonRow = ({ row: { field, differs, desired, observed, applied } }: { readonly row: FieldRow }) => (
  <tr className={differs ? 'differs' : ''}>
    <th scope="row">
      {differs ? (
        <>
          <span aria-hidden="true">≠ </span>
          <span className="hidden">differs: </span>
        </>
      ) : null}
      {field}
    </th>
    {[desired, observed, applied].map((value, at) => (
      <td key={sideNames[at]} data-name={sideNames[at]}>
        {value === undefined ? <span className="quiet">–</span> : value}
      </td>
    ))}
  </tr>
);

interface NextActionProps {
  readonly details: ResourceDetails;
  readonly explanation: Explanation | undefined;
}

const causeWords = {
  drift: ', because it drifted',
  rollout: ', because the specs changed',
  unknown: ', and the cause is unknown',
} as const;

function NextAction({ details: { next, lastModifiedBy }, explanation }: NextActionProps) {
  const actions = explanation?.actions ?? [];
  return (
    <Panel title="Next action">
      {next.verb === undefined && actions.length === 0 ? <p>Setpoint plans no action on it.</p> : null}
      {next.verb === undefined ? null : (
        <p>
          <strong>{next.verb}</strong>
          {next.cause === undefined ? '' : causeWords[next.cause]}
        </p>
      )}
      {next.reason === undefined ? null : (
        <Notice tone="attention" title="Withheld">
          <p>{next.reason}</p>
        </Notice>
      )}
      <dl className="facts">
        <Fact name="Mode" value={next.mode} />
        {next.at === undefined ? null : (
          <div>
            <dt>Next reconcile</dt>
            <dd>
              <When at={next.at} />, at the latest
            </dd>
          </div>
        )}
        {lastModifiedBy === undefined ? null : <LastModified by={lastModifiedBy} />}
      </dl>
    </Panel>
  );
}

function LastModified({ by: { actor, action, from, at, requestId } }: { readonly by: LastModifiedBy }) {
  return (
    <div>
      <dt>Last modified by</dt>
      <dd>
        {actor}
        <div className="quiet small">
          {action}
          {from === undefined ? '' : ` from ${from}`} <When at={at} />
          {requestId === undefined ? '' : ` · request ${requestId}`}
        </div>
      </dd>
    </div>
  );
}

interface ReasonsProps {
  readonly details: ResourceDetails;
  readonly explained: QueryLike<Explanation>;
}

function Reasons({ details: { violations = [] }, explained }: ReasonsProps) {
  return (
    <Panel title="Reasons">
      <QueryState query={explained} subject="the explanation">
        {(explanation) => <Explained explanation={explanation} />}
      </QueryState>
      {violations.length === 0 ? null : (
        <ul className="lines">
          {violations.map(({ policy, rule, message, mode }) => (
            <li key={`${policy} ${rule} ${message}`}>
              Breaks {policy}, rule {rule} ({mode})<div className="quiet small">{message}</div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Explained({
  explanation: { mode, cadence, objects, findings, remediation },
}: {
  readonly explanation: Explanation;
}) {
  return (
    <>
      <ul className="lines">
        {findings.map((finding) => (
          <li key={`${finding.type} ${finding.reason}`}>
            <span className="code">{finding.type}</span> {finding.reason}
          </li>
        ))}
        {remediation.map(({ category, value }) => (
          <li key={`${category} ${value}`}>
            Drift in {category}: people {value} it, and Setpoint does not heal it by itself
          </li>
        ))}
      </ul>
      <dl className="facts">
        <Fact name="Mode" value={mode && `${mode.mode}: ${mode.reason}`} />
        <Fact name="Criticality" value={cadence && `${cadence.criticality}: ${cadence.reason}`} />
        <Fact
          name="Observation"
          value={cadence && `every ${spanText(cadence.everyMs / 1000)}: ${cadence.everyReason}`}
        />
        {objects.map(({ observed, claim, reason }) => (
          <Fact key={observed.id} name="Object" value={`${observed.id} is ${claim}: ${reason}`} />
        ))}
      </dl>
    </>
  );
}

function History({ versions }: { readonly versions: readonly ResourceVersion[] }) {
  return (
    <Panel title="History">
      {versions.length === 0 ? <p className="quiet empty">No version of it is kept.</p> : null}
      <ol className="timeline">
        {versions.map(({ number, from, status, reason, changes, lastModifiedBy }) => (
          <li key={number}>
            <div className="state">
              <Status status={status} />
              <span className="quiet">
                <When at={from} />
              </span>
            </div>
            <ul className="changes">
              {changes
                .filter(({ field }) => field !== 'status')
                .map(({ field, from: before, to }) => (
                  <li key={field}>
                    <span className="code">{field}</span> {valueText(before)} → {valueText(to)}
                  </li>
                ))}
            </ul>
            {lastModifiedBy === undefined ? null : <div className="quiet small">By {lastModifiedBy.actor}</div>}
            <div className="quiet small">{reason}</div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Ledger({ estate, of }: ResourceByNameProps) {
  const entries = useQuery(queries.ledger(estate, of));
  return (
    <Panel title="Ledger" aside="Newest 20 entries">
      <QueryState query={entries} subject="the ledger" empty={noEntries}>
        {({ items }) => (
          <ol className="timeline">
            {items
              .flatMap((entry) => ledgerRows([entry]))
              .map((row) => (
                <LedgerLine key={row.seq} row={row} />
              ))}
          </ol>
        )}
      </QueryState>
    </Panel>
  );
}

/** The API filters page by page: without entries on this one, there can be some on the next. */
function noEntries({ items, next }: LedgerPage): ReactNode {
  if (items.length > 0) return undefined;
  const text =
    next === undefined
      ? 'No entry names it: Setpoint never wrote it.'
      : 'No entry of the newest page names it. Older entries can: read them with setpoint ledger.';
  return <p className="quiet empty">{text}</p>;
}

const LedgerLine = ({ row }: { readonly row: LedgerRow }) => (
  <li>
    <div className="state">
      <span>{rowText(row)}</span>
      <span className="quiet">
        <When at={row.at} />
      </span>
    </div>
    <div className="quiet small">
      entry {row.seq}
      {row.calls.map(({ action, requestId }) => (
        <span key={`${action} ${requestId}`}>
          {' '}
          · {action} {requestId}
        </span>
      ))}
    </div>
  </li>
);

function Origins({ details: { origins } }: { readonly details: ResourceDetails }) {
  if (origins.length === 0) return null;
  return (
    <Panel title="Origin of the desired fields">
      <Table name="Origins" columns={['Field', 'Value', 'From']}>
        {origins.map(({ document, field, value, layer, file, line, patch }) => (
          <tr key={`${document} ${field}`}>
            <th scope="row">{field}</th>
            <td>{valueText(value)}</td>
            <td>
              {file === undefined ? layer : `${file}:${line}`}
              {file === undefined || layer === 'base' ? null : <span className="quiet"> {layer}</span>}
              {patch === undefined ? null : (
                <div className="quiet small">
                  {patch.actor}: {patch.reason}, until <When at={patch.until} />
                </div>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

interface RelationGroup {
  readonly title: string;
  readonly items: readonly Relation[];
  /** Resources at one address have nothing but their ids to tell them apart. */
  readonly by?: 'id';
}

function Relations({ details: { relations, estate } }: { readonly details: ResourceDetails }) {
  const groups: readonly RelationGroup[] = [
    { title: 'Refers to', items: relations.refersTo },
    { title: 'Referred to by', items: relations.referredToBy },
    { title: 'At the same address', items: relations.sameAddress, by: 'id' },
  ];
  const shown = groups.filter(({ items }) => items.length > 0);
  if (shown.length === 0) return null;
  return (
    <Panel title="Relations">
      {shown.map(({ title, items, by }) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul className="relations">
            {items.map((relation) => (
              <li key={`${relation.address} ${relation.id}`}>
                <Status status={relation.status} />
                <ResourceLink estate={estate} resource={relation} by={by} />
                <span className="quiet">{relation.kind}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Panel>
  );
}
