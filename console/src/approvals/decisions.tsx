import { useState } from 'react';
import { useCommand } from '../actions/command.ts';
import { ActionDialog, Choice } from '../actions/dialog.tsx';
import { say } from '../actions/toasts.tsx';
import type { Approval, PendingApprovals } from '../api.d.ts';
import { type ApprovalsQuery, type ApproveBody, commands, type RefuseBody, type WithdrawBody } from '../api-client.ts';
import { summaryText } from './words.ts';

const outdates = ['approvals', 'targets', 'drift', 'fleet', 'inventory', 'ledger', 'explanation'];

const hourSeconds = 3_600;

const lengths = [
  ['1', '1 hour'],
  ['24', '24 hours'],
  ['168', '7 days'],
] as const;

interface DecisionProps extends Decided {
  /** The person has not read all of the pending actions. */
  readonly isHidden: boolean;
}

interface Decided {
  readonly pending: PendingApprovals;
  /** The question that the pending actions answer: a decision covers exactly these. */
  readonly query: ApprovalsQuery;
}

const bodyOf = ({ pending: { estate, digest }, query: { address, breakGlass } }: Decided) => ({
  ...{ estate, digest },
  ...(address === undefined ? {} : { address }),
  ...(breakGlass === 'true' ? { breakGlass: true } : {}),
});

/** The pending actions as they were when the dialog opened: a decision covers these, and Setpoint refuses it if others wait by then. */
function useShown({ pending, query }: Decided) {
  const [shown, setShown] = useState<Decided>();
  return {
    shown: shown ?? { pending, query },
    isOpen: shown !== undefined,
    setOpen: (isOpen: boolean): void => setShown(isOpen ? { pending, query } : undefined),
  };
}

export function ApproveDialog(props: DecisionProps & { readonly unseen: number }) {
  const { shown, isOpen, setOpen } = useShown(props);
  const { pending, query } = shown;
  const [hours, setHours] = useState('24');
  const { actions, generation, summary } = pending;
  const isBreakGlass = query.breakGlass === 'true';
  const attempt = useCommand({
    bodyOf: (body: ApproveBody) => body,
    send: commands.approve,
    outdates,
    onDone: ({ missing }) => {
      setOpen(false);
      say(
        'Approved',
        missing.length === 0
          ? 'Workers carry it out within seconds, as far as windows and pauses permit.'
          : `${missing.length} ${missing.length === 1 ? 'action needs' : 'actions need'} further approvals.`,
      );
    },
  });
  const number = `${actions.length} ${actions.length === 1 ? 'action' : 'actions'}`;
  return (
    <ActionDialog
      title={isBreakGlass ? 'Approve by break-glass' : 'Approve'}
      label={`Approve ${number}`}
      about={
        <>
          Exactly these actions of generation {generation}: {summaryText(pending)}. If another change comes first,
          Setpoint refuses the approval.
          {props.unseen === 0 ? '' : ` The page does not show ${props.unseen} of them yet.`}
          {isBreakGlass ? ' They pass change windows and freezes, and the ledger has an entry of its own.' : ''}
        </>
      }
      verb="Approve"
      attempt={attempt}
      isHidden={props.isHidden}
      isDangerous={isBreakGlass || summary.delete + summary.replace > 0}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={(reason) => attempt.mutate({ ...bodyOf(shown), reason, expiresInSeconds: Number(hours) * hourSeconds })}
    >
      <Choice name="The approval ends after" options={lengths} value={hours} choose={setHours} />
    </ActionDialog>
  );
}

export function RefuseDialog(props: DecisionProps) {
  const { shown, isOpen, setOpen } = useShown(props);
  const attempt = useCommand({
    bodyOf: (body: RefuseBody) => body,
    send: commands.refuse,
    outdates,
    onDone: () => {
      setOpen(false);
      say('Refused', 'The next approver reads your reason.');
    },
  });
  return (
    <ActionDialog
      title="Refuse"
      label="Refuse these actions"
      about="They stay withheld. The next approver reads your reason before they decide. Nothing is deleted: change the specs to withdraw them."
      verb="Refuse"
      attempt={attempt}
      isHidden={props.isHidden}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={(reason) => attempt.mutate({ ...bodyOf(shown), reason })}
    />
  );
}

export function WithdrawDialog({ approval: { estate, seq, actor, reason } }: { readonly approval: Approval }) {
  const [isOpen, setOpen] = useState(false);
  const attempt = useCommand({
    bodyOf: (body: WithdrawBody) => body,
    send: commands.withdraw,
    outdates,
    onDone: ({ inFlight }) => {
      setOpen(false);
      const rest =
        inFlight === 0 ? '' : ` ${inFlight} ${inFlight === 1 ? 'call was' : 'calls were'} sent before the withdrawal.`;
      say('Withdrawn', `Setpoint sends no call that only this approval permits.${rest}`);
    },
  });
  return (
    <ActionDialog
      title="Withdraw"
      label={`Withdraw the approval ${seq}`}
      about={`${actor} approved it: ${reason}. Setpoint sends no further call that only this approval permits, retries included. You cannot restore it: approve again.`}
      verb="Withdraw"
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={(why) => attempt.mutate({ estate, seq, reason: why })}
    />
  );
}
