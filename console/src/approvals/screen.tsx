import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../actions/permissions.ts';
import type {
  Approval,
  PendingApprovals,
  PlannedAction,
  PolicyViolation,
  Refusal,
  RequiredApproval,
} from '../api.d.ts';
import type { ApprovalsQuery } from '../api-client.ts';
import { Notice, Panel, Table, Title, When } from '../components.tsx';
import { actionName } from '../drift/entries.ts';
import * as queries from '../queries.ts';
import { QueryState } from '../query-state.tsx';
import { ApproveDialog, RefuseDialog, WithdrawDialog } from './decisions.tsx';
import { Progress } from './progress.tsx';
import { changeLines, consequence, costText, effectLines, summaryText, verbs } from './words.ts';

export const approvalKeys = ['estate', 'address', 'breakGlass'] as const;

export function ApprovalsScreen() {
  const { estate, address, breakGlass } = useSearch({ from: '/approvals' });
  const query: ApprovalsQuery = {
    ...(estate === undefined ? {} : { estate }),
    ...(address === undefined ? {} : { address }),
    ...(breakGlass === 'true' ? { breakGlass } : {}),
  };
  const pending = useQuery(queries.approvals(query));
  return (
    <>
      <div className="title-row">
        <Title>Approvals</Title>
        <p className="quiet">{pending.data === undefined ? '' : verdictText(pending.data)}</p>
      </div>
      {address === undefined ? null : (
        <p className="partial">
          Only actions at <span className="address">{address}</span>.{' '}
          <Link to="/approvals" search={{ estate, breakGlass }}>
            Show all
          </Link>
        </p>
      )}
      <QueryState query={pending} subject="the pending approvals" lines={8}>
        {(found) => <Pending key={`${address} ${breakGlass}`} pending={found} query={query} />}
      </QueryState>
    </>
  );
}

/** `3 actions wait in generation 8: 2 to change, 1 to delete` */
function verdictText(pending: PendingApprovals): string {
  const { actions, generation } = pending;
  if (actions.length === 0) return `No action waits in generation ${generation}`;
  const wait = actions.length === 1 ? '1 action waits' : `${actions.length} actions wait`;
  return `${wait} in generation ${generation}: ${summaryText(pending)}`;
}

interface PendingProps {
  readonly pending: PendingApprovals;
  readonly query: ApprovalsQuery;
}

function Pending({ pending, query }: PendingProps) {
  const { estate, actions, scopes, cost, effect, policies = [], refusals, approvals, looserGuards = [] } = pending;
  const digests = actions.map(({ digest }) => digest);
  const [known, setKnown] = useState(digests);
  const fresh = new Set(digests.filter((digest) => !known.includes(digest)));
  return (
    <div className="approvals">
      <Decision pending={pending} query={query} isHidden={fresh.size > 0} />
      {fresh.size === 0 ? null : (
        <Notice tone="attention" title={`${count(fresh.size, 'action')} came while you were here`}>
          <p>They are marked as new below.</p>
          <button type="button" className="button" onClick={() => setKnown(digests)}>
            I have read them
          </button>
        </Notice>
      )}
      {refusals.map((refusal) => (
        <Notice key={`${refusal.scope} ${refusal.actor} ${refusal.at}`} tone="attention" title={refusalTitle(refusal)}>
          <p>
            <When at={refusal.at} />
            {refusal.seq === undefined ? '' : `, entry ${refusal.seq} of the ledger`}. It forbids nothing.
          </p>
        </Notice>
      ))}
      {looserGuards.length === 0 ? null : (
        <Notice tone="attention" title="Looser guards">
          <p>{looserGuards.join('; ')}. They still hold in this generation.</p>
        </Notice>
      )}
      {effect === undefined || actions.length === 0 ? null : <EffectPanel effect={effect} />}
      {actions.length === 0 ? null : (
        <Panel title="Actions" aside={callsText(scopes)}>
          {scopes.map(({ scope }) => (
            <ScopeActions key={scope} scope={scope} pending={pending} fresh={fresh} />
          ))}
        </Panel>
      )}
      {policies.length === 0 ? null : <Policies policies={policies} />}
      {cost === undefined ? null : (
        <Panel title="Cost">
          <p>{costText(cost)}</p>
          {cost.unpriced.map(({ what, count: some }) => (
            <p key={what} className="quiet small">
              {some} without a price: {what}
            </p>
          ))}
        </Panel>
      )}
      {approvals.length === 0 ? null : <Given approvals={approvals} />}
      <Progress estate={estate} scopes={scopes.map(({ scope }) => scope)} />
    </div>
  );
}

const refusalTitle = ({ actor, reason, actions }: Refusal): string =>
  `${actor} refused ${count(actions.length, 'action')}${reason === undefined ? '' : `: ${reason}`}`;

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;

function callsText(scopes: PendingApprovals['scopes']): string {
  const calls = scopes.reduce((sum, { calls: { predicted } }) => sum + predicted, 0);
  return `about ${count(calls, 'call')}`;
}

/** The buttons, or the reason that there are none. */
function Decision({ pending, query, isHidden }: PendingProps & { readonly isHidden: boolean }) {
  const may = useMay();
  const { estate, actions, scopes, authors } = pending;
  const { address, breakGlass } = query;
  const targets = scopes.flatMap((scope) => scope.targets);
  // why: the server gives those who approve what they may approve
  const isApprover = may('approve', { estate, targets: targets.length === 0 ? 'any' : targets, owners: 'any' });
  return (
    <div className="decision">
      {authors.denialReason === undefined || actions.length === 0 ? null : (
        <Notice tone="attention" title="You may not approve these actions">
          <p>{authors.denialReason}</p>
        </Notice>
      )}
      {isApprover && actions.length > 0 ? (
        <fieldset className="actions" aria-label="Decision">
          {authors.denialReason === undefined ? (
            <ApproveDialog pending={pending} query={query} isHidden={isHidden} />
          ) : null}
          <RefuseDialog pending={pending} query={query} isHidden={isHidden} />
        </fieldset>
      ) : null}
      {!isApprover && actions.length > 0 ? (
        <p className="quiet">Your grants do not permit approvals: somebody else decides.</p>
      ) : null}
      <p className="quiet small">
        {breakGlass === 'true' ? (
          <>
            These include actions that change windows and freezes hold.{' '}
            <Link to="/approvals" search={{ estate, address }}>
              Leave these out
            </Link>
          </>
        ) : (
          <Link to="/approvals" search={{ estate, address, breakGlass: 'true' }}>
            In an emergency: also actions that change windows and freezes hold
          </Link>
        )}
        . Destructive drift appears only by its address: open it in the{' '}
        <Link to="/drift" search={{ estate }}>
          drift
        </Link>
        .
      </p>
    </div>
  );
}

function EffectPanel({ effect }: { readonly effect: NonNullable<PendingApprovals['effect']> }) {
  const lines = effectLines(effect);
  return (
    <Panel title="Effect on traffic">
      {lines.length === 0 ? <p className="quiet empty">No traffic changes.</p> : null}
      <ul className="drift-effect">
        {lines.map(({ change, text, reasons, exposure }) => (
          <li key={text} className={change === 'opens' ? 'tone-wrong' : 'tone-attention'}>
            <span className="ink">{text}</span>
            <span className="quiet"> {[exposure, ...reasons].filter(Boolean).join(' · ')}</span>
          </li>
        ))}
      </ul>
      {effect.gaps.map((gap) => (
        <p key={gap} className="quiet small">
          {gap}
        </p>
      ))}
    </Panel>
  );
}

interface ScopeActionsProps {
  readonly scope: string;
  readonly pending: PendingApprovals;
  /** The digests of actions that the person has not seen yet. */
  readonly fresh: ReadonlySet<string>;
}

function ScopeActions({ scope, pending: { estate, actions, required }, fresh }: ScopeActionsProps) {
  const here = actions.filter((action) => action.scope === scope);
  if (here.length === 0) return null;
  return (
    <section aria-label={scope}>
      <h3 className="address">{scope}</h3>
      <ul className="planned">
        {here.map((action) => (
          <ActionLine
            key={action.digest}
            action={action}
            estate={estate}
            isNew={fresh.has(action.digest)}
            required={required.filter(({ digest }) => digest === action.digest)}
          />
        ))}
      </ul>
    </section>
  );
}

interface ActionLineProps {
  readonly action: PlannedAction;
  readonly estate: string;
  readonly isNew: boolean;
  readonly required: readonly RequiredApproval[];
}

function ActionLine({ action, estate, isNew, required }: ActionLineProps) {
  const { verb, kind, address, documents, lastModifiedBy, withheld } = action;
  const { symbol, word, tone } = verbs[verb];
  const harm = consequence(action);
  const owners = [...new Set(documents.flatMap(({ owner }) => owner ?? []))];
  return (
    <li className={`planned-action tone-${tone}`}>
      <span className="planned-symbol ink" aria-hidden="true">
        {symbol}
      </span>
      <div>
        <p>
          <span className="ink">{word}</span> <span className="quiet">{kind}</span>{' '}
          <Link to="/resource" search={{ estate, of: address }}>
            {actionName(action)}
          </Link>{' '}
          {isNew ? <span className="tag tone-attention">new</span> : null}{' '}
          {harm === '' ? null : <strong className="tone-wrong ink">{harm}</strong>}
        </p>
        <ChangeLines lines={changeLines(action)} />
        {lastModifiedBy === undefined ? null : (
          <p className="small">
            Undoes the work of {lastModifiedBy.actor}: {lastModifiedBy.action} <When at={lastModifiedBy.at} />
          </p>
        )}
        {withheld === undefined ? null : (
          <p className="quiet small">
            <span className="code">{withheld.code}</span> {withheld.reason}
          </p>
        )}
        {required.map(({ people, role, reason, approvals }) => (
          <p key={`${role} ${reason}`} className="small">
            Needs {people === 1 ? 'one person' : `${people} people`}
            {role === undefined ? '' : ` in the role ${role}`}: {reason}. So far:{' '}
            {approvals.length === 0 ? 'nobody' : approvals.map(({ actor }) => actor).join(', ')}.
          </p>
        ))}
        <p className="quiet small">
          {[...owners, ...documents.map(({ file, line }) => `${file}:${line}`)].join(' · ')}
        </p>
      </div>
    </li>
  );
}

const mostLines = 6;

/** The first changes; the rest on request. */
function ChangeLines({ lines }: { readonly lines: readonly string[] }) {
  const rest = lines.slice(mostLines);
  const list = (some: readonly string[]) => (
    <ul className="planned-changes code">
      {some.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
  return (
    <>
      {list(lines.slice(0, mostLines))}
      {rest.length === 0 ? null : (
        <details>
          <summary>{rest.length} more</summary>
          {list(rest)}
        </details>
      )}
    </>
  );
}

const policyEffects = { deny: 'Denied', approval: 'Needs an approval', warn: 'Warning' } as const;

const Policies = ({ policies }: { readonly policies: readonly PolicyViolation[] }) => (
  <Panel title="Policies">
    <Table name="Policies" columns={['Policy', 'Result', 'Resource', 'Message']}>
      {policies.map(({ policy, rule, effect, mode, message, address, document: { file, line } }) => (
        <tr key={`${policy} ${rule} ${address}`}>
          <th scope="row">
            {policy}
            <div className="quiet small">{rule}</div>
          </th>
          <td>
            <span className={effect === 'deny' && mode === 'enforce' ? 'tone-wrong ink' : 'tone-attention ink'}>
              {policyEffects[effect]}
            </span>
            {mode === 'audit' ? <div className="quiet small">audit: holds nothing</div> : null}
          </td>
          <td className="address">{address}</td>
          <td>
            {message}
            <div className="quiet small">
              {file}:{line}
            </div>
          </td>
        </tr>
      ))}
    </Table>
  </Panel>
);

const Given = ({ approvals }: { readonly approvals: readonly Approval[] }) => (
  <Panel title="Active approvals">
    <Table name="Active approvals" columns={['Approved by', 'Scope', 'Carried out', 'Ends', 'Withdraw']}>
      {approvals.map((approval) => (
        <tr key={approval.seq}>
          <th scope="row">
            {approval.actor}
            <div className="quiet small">{approval.reason}</div>
          </th>
          <td>{approval.scope}</td>
          <td className="number">
            {approval.executed} of {approval.actions.length}
          </td>
          <td>
            <When at={approval.until} />
          </td>
          <td>
            <WithdrawDialog approval={approval} />
          </td>
        </tr>
      ))}
    </Table>
  </Panel>
);
