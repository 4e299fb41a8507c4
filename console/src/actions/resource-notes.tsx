import { useState } from 'react';
import type { Assignment, Comment } from '../api.d.ts';
import { commands } from '../api-client.ts';
import { When } from '../components.tsx';
import { useCommand } from './command.ts';
import { ActionDialog } from './dialog.tsx';
import { useMay } from './permissions.ts';
import { say } from './toasts.tsx';

const outdates = ['drift', 'resource', 'ledger'];

interface ResourceNotesProps {
  readonly estate: string;
  readonly address: string;
  readonly targets: readonly string[] | 'any';
  readonly owners: readonly string[];
  readonly assignment: Assignment | undefined;
  /** Newest first. */
  readonly comments: readonly Comment[];
}

/** The person who takes care of a resource, and the comments of people. */
export function ResourceNotes({ estate, address, targets, owners, assignment, comments }: ResourceNotesProps) {
  const may = useMay();
  const mayWrite = may('plan', { estate, targets, owners });
  if (!mayWrite && assignment === undefined && comments.length === 0) return null;
  return (
    <section className="resource-notes" aria-label="Assignee and comments">
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
      {mayWrite ? (
        <fieldset className="actions" aria-label="Assign and comment">
          <AssignDialog estate={estate} address={address} assignment={assignment} />
          {assignment === undefined ? null : <EndDialog estate={estate} address={address} actor={assignment.actor} />}
          <CommentDialog estate={estate} address={address} />
        </fieldset>
      ) : null}
    </section>
  );
}

interface NoteProps {
  readonly estate: string;
  readonly address: string;
}

function AssignDialog({ estate, address, assignment }: NoteProps & Pick<ResourceNotesProps, 'assignment'>) {
  const [isOpen, setOpen] = useState(false);
  const attempt = useCommand({
    bodyOf: (body: NoteProps & { readonly reason: string }) => body,
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
      submit={(reason) => attempt.mutate({ estate, address, reason })}
    />
  );
}

function EndDialog({ estate, address, actor }: NoteProps & { readonly actor: string }) {
  const [isOpen, setOpen] = useState(false);
  const attempt = useCommand({
    bodyOf: (body: NoteProps & { readonly reason: string }) => body,
    send: commands.endAssignment,
    outdates,
    onDone: ({ ended }) => {
      setOpen(false);
      say('The assignment ended', ended === undefined ? 'Nobody had it any more.' : `${ended.actor} had it.`);
    },
  });
  return (
    <ActionDialog
      title="End the assignment"
      label={`End the assignment of ${address}`}
      about={`${actor} takes care of it now. Nobody does then.`}
      verb="End it"
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={(reason) => attempt.mutate({ estate, address, reason })}
    />
  );
}

function CommentDialog({ estate, address }: NoteProps) {
  const [isOpen, setOpen] = useState(false);
  const attempt = useCommand({
    bodyOf: (body: NoteProps & { readonly text: string }) => body,
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
      submit={(text) => attempt.mutate({ estate, address, text })}
    />
  );
}
