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
import { actionName, unknownPlaces } from '../drift/entries.ts';
import * as queries from '../queries.ts';
import { QueryState } from '../query-state.tsx';
import { ApproveDialog, RefuseDialog, WithdrawDialog } from './decisions.tsx';
import { Progress } from './progress.tsx';
import { changeLines, consequence, costText, effectLines, summaryText, verbs } from './words.ts';

/** `digest`: of the actions that a message links to. It selects nothing and permits nothing. */
export const approvalKeys = ['estate', 'address', 'breakGlass', 'digest'] as const;

export function ApprovalsScreen() {
  const { estate, address, breakGlass, digest } = useSearch({ from: '/approvals' });
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
        <p className="quiet">{pending.data === undefined ? '' : <Verdict pending={pending.data} />}</p>
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
        {(found) => (
          <>
            {digest === undefined || digest === found.digest ? null : (
              <Notice tone="attention" title="The link is of other actions">
                <p>Somebody decided them, or they changed since. The actions below wait now.</p>
              </Notice>
            )}
            <Pending key={`${address} ${breakGlass}`} pending={found} query={query} />
          </>
        )}
      </QueryState>
    </>
  );
}

/** `3 actions wait in generation 8: 2 to change, 1 to delete · observed 12 s ago` */
function Verdict({ pending }: { readonly pending: PendingApprovals }) {
  const { at } = pending.observed;
  return (
    <>
      {verdictText(pending, useIsApprover(pending))}
      {at === undefined ? null : (
        <>
          {' '}
          · observed <When at={at} />
        </>
      )}
    </>
  );
}

/** Setpoint lists for approvers the actions that they may approve, and for others those that they see. */
function verdictText(pending: PendingApprovals, isApprover: boolean): string {
  const { actions, generation } = pending;
  const where = unknownPlaces(pending).length > 0 ? ', as far as Setpoint could observe' : '';
  if (actions.length === 0)
    return `No action that you ${isApprover ? 'may approve' : 'see'} waits in generation ${generation}${where}`;
  const wait = actions.length === 1 ? '1 action waits' : `${actions.length} actions wait`;
  return `${wait} in generation ${generation}: ${summaryText(pending)}`;
}

// why: the server gives those who approve what they may approve
function useIsApprover({ estate, scopes }: PendingApprovals): boolean {
  const may = useMay();
  const targets = scopes.flatMap((scope) => scope.targets);
  return may('approve', { estate, targets: targets.length === 0 ? 'any' : targets, owners: 'any' });
}

interface PendingProps {
  readonly pending: PendingApprovals;
  readonly query: ApprovalsQuery;
}

function Pending({ pending, query }: PendingProps) {
  const { estate, actions, scopes, cost, effect, policies = [], refusals, approvals, looserGuards = [] } = pending;
  const digests = actions.map(({ digest }) => digest);
  const [known, setKnown] = useState(digests);
  const [shownCount, setShownCount] = useState(mostShown);
  const fresh = new Set(digests.filter((digest) => !known.includes(digest)));
  return (
    <div className="approvals">
      <Decision
        pending={pending}
        query={query}
        isHidden={fresh.size > 0}
        unseen={Math.max(0, actions.length - shownCount)}
      />
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
          {[...Map.groupBy(actions.slice(0, shownCount), ({ scope }) => scope)].map(([scope, here]) => (
            <ScopeActions key={scope} scope={scope} actions={here} pending={pending} fresh={fresh} />
          ))}
          {actions.length > shownCount ? (
            <button type="button" className="button" onClick={() => setShownCount(shownCount + mostShown)}>
              Show {Math.min(mostShown, actions.length - shownCount)} more of {actions.length - shownCount}
            </button>
          ) : null}
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

const mostShown = 200;

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;

function callsText(scopes: PendingApprovals['scopes']): string {
  const calls = scopes.reduce((sum, { calls: { predicted } }) => sum + predicted, 0);
  return `about ${count(calls, 'call')}`;
}

const mostUnknown = 5;

interface DecisionProps extends PendingProps {
  readonly isHidden: boolean;
  /** The number of actions that the page does not show yet. */
  readonly unseen: number;
}

/** The buttons, or the reason that there are none. */
function Decision({ pending, query, isHidden, unseen }: DecisionProps) {
  const { estate, actions, authors } = pending;
  const { address, breakGlass } = query;
  const isApprover = useIsApprover(pending);
  const unknown = unknownPlaces(pending);
  return (
    <div className="decision">
      {actions.length === 0 ? null : <CopyLink query={query} digest={pending.digest} />}
      {unknown.length === 0 ? null : (
        <Notice tone="attention" title={`Setpoint could not observe ${count(unknown.length, 'place')} completely`}>
          <p>Further actions may wait there. Nobody can approve before it has.</p>
          <ul>
            {unknown.slice(0, mostUnknown).map(({ scope, reason }) => (
              <li key={`${scope} ${reason}`}>
                {scope}: {reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {authors.denialReason === undefined || actions.length === 0 ? null : (
        <Notice tone="attention" title="You may not approve these actions">
          <p>{authors.denialReason}</p>
        </Notice>
      )}
      {isApprover && actions.length > 0 ? (
        <fieldset className="actions" aria-label="Decision">
          {authors.denialReason === undefined ? (
            <ApproveDialog pending={pending} query={query} isHidden={isHidden || unknown.length > 0} unseen={unseen} />
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

/** The page of exactly these actions, for a message to a colleague. It carries no authority: the colleague signs in. */
function CopyLink({ query, digest }: { readonly query: ApprovalsQuery; readonly digest: string }) {
  const [state, setState] = useState<'none' | 'copied' | 'refused'>('none');
  const address = `${location.origin}/approvals?${new URLSearchParams({ ...query, digest })}`;
  // why: a page without TLS has no clipboard, and a browser may refuse
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(address);
      setState('copied');
    } catch {
      setState('refused');
    }
  };
  return (
    <p>
      <button type="button" className="button" onClick={() => void copy()}>
        Copy a link to these actions
      </button>{' '}
      <span role="status" className="quiet">
        {state === 'copied' ? 'Copied.' : ''}
        {state === 'refused' ? `The browser did not copy it: ${address}` : ''}
      </span>
    </p>
  );
}

function EffectPanel({ effect }: { readonly effect: NonNullable<PendingApprovals['effect']> }) {
  const lines = effectLines(effect);
  return (
    <Panel title="Effect on traffic">
      {lines.length === 0 ? <p className="quiet empty">No traffic changes.</p> : null}
      <ul className="drift-effect">
        {lines.map(({ scope, change, text, reasons, exposure }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines of a scope can be equal, and none has a state
          <li key={`${scope} ${text} ${at}`} className={change === 'opens' ? 'tone-wrong' : 'tone-attention'}>
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
  readonly actions: readonly PlannedAction[];
  readonly pending: PendingApprovals;
  /** The digests of actions that the person has not seen yet. */
  readonly fresh: ReadonlySet<string>;
}

function ScopeActions({ scope, actions, pending: { estate, required }, fresh }: ScopeActionsProps) {
  return (
    <section aria-label={scope}>
      <h3 className="address">{scope}</h3>
      <ul className="planned">
        {actions.map((action) => (
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

function Given({ approvals }: { readonly approvals: readonly Approval[] }) {
  const may = useMay();
  const { data: me } = useQuery(queries.whoami);
  return (
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
              {approval.actor === me?.actor ||
              may('approve', { estate: approval.estate, targets: 'any', owners: 'any' }) ? (
                <WithdrawDialog approval={approval} />
              ) : null}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
