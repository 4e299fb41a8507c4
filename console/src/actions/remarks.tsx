import { useState } from 'react';
import type { Assignment, Comment } from '../api.d.ts';
import { commands } from '../api-client.ts';
import { When } from '../components.tsx';
import { useCommand } from './command.ts';
import { ActionDialog } from './dialog.tsx';
import { useMay } from './permissions.ts';
import { say } from './toasts.tsx';

const outdates = ['drift', 'resource', 'ledger'];

interface RemarksProps {
  readonly estate: string;
  readonly address: string;
  readonly targets: readonly string[] | 'any';
  readonly owners: readonly string[];
  readonly assignment: Assignment | undefined;
  /** Newest first. */
  readonly comments: readonly Comment[];
}

/** The person who takes care of a resource, and the comments of people. */
export function Remarks({ estate, address, targets, owners, assignment, comments }: RemarksProps) {
  const may = useMay();
  const mayRemark = may('plan', { estate, targets, owners });
  if (!mayRemark && assignment === undefined && comments.length === 0) return null;
  return (
    <section className="remarks" aria-label="Assignee and comments">
      {assignment === undefined ? null : (
        <p>
          <strong>{assignment.actor}</strong> takes care of it, since <When at={assignment.at} />
          {assignment.reason === undefined ? '' : `: ${assignment.reason}`}
        </p>
      )}
      {comments.length === 0 ? null : (
        <ul aria-label="Comments">
          {comments.map(({ actor, at, text }) => (
            <li key={`${at} ${text}`}>
              {text}{' '}
              <span className="quiet small">
                {actor} <When at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {mayRemark ? (
        <fieldset className="actions" aria-label="Assign and comment">
          <AssignDialog estate={estate} address={address} assignment={assignment} />
          {assignment === undefined ? null : <EndDialog estate={estate} address={address} />}
          <CommentDialog estate={estate} address={address} />
        </fieldset>
      ) : null}
    </section>
  );
}

interface RemarkProps {
  readonly estate: string;
  readonly address: string;
}

function AssignDialog({ estate, address, assignment }: RemarkProps & Pick<RemarksProps, 'assignment'>) {
  const [isOpen, setOpen] = useState(false);
  const attempt = useCommand({
    bodyOf: (reason: string) => ({ estate, address, reason }),
    send: commands.assign,
    outdates,
    onDone: ({ replaced }) => {
      setOpen(false);
      say('Assigned to you', replaced === undefined ? undefined : `${replaced.actor} had it before.`);
    },
  });
  const before = assignment === undefined ? '' : ` ${assignment.actor} takes care of it now, and you take their place.`;
  return (
    <ActionDialog
      title="Assign to me"
      label={`Assign to me: ${address}`}
      about={`Others see that you take care of it, until it is in sync again or somebody ends the assignment.${before}`}
      verb="Assign"
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={attempt.mutate}
    />
  );
}

function EndDialog({ estate, address }: RemarkProps) {
  const [isOpen, setOpen] = useState(false);
  const attempt = useCommand({
    bodyOf: (reason: string) => ({ estate, address, reason }),
    send: commands.endAssignment,
    outdates,
    onDone: () => {
      setOpen(false);
      say('The assignment ended');
    },
  });
  return (
    <ActionDialog
      title="End the assignment"
      label={`End the assignment of ${address}`}
      about="Nobody takes care of it then."
      verb="End it"
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={attempt.mutate}
    />
  );
}

function CommentDialog({ estate, address }: RemarkProps) {
  const [isOpen, setOpen] = useState(false);
  const attempt = useCommand({
    bodyOf: (text: string) => ({ estate, address, text }),
    send: commands.comment,
    outdates,
    onDone: () => {
      setOpen(false);
      say('Comment added');
    },
  });
  return (
    <ActionDialog
      title="Comment"
      label={`Comment on ${address}`}
      about="A comment is an entry of the ledger: nobody can remove it."
      verb="Add"
      field="Comment"
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={attempt.mutate}
    />
  );
}
