import { useState } from 'react';
import { commands, type ReconcileBody } from '../api-client.ts';
import { useCommand } from './command.ts';
import { ActionDialog } from './dialog.tsx';
import { say } from './toasts.tsx';

interface ReconcileDialogProps {
  readonly estate: string;
  readonly target: string;
  /** `Heal now`, where workers heal it anyway; `Observe now`. */
  readonly title: string;
}

/** Asks for a reconcile of a target, which covers all of its scope. */
export function ReconcileDialog({ estate, target, title }: ReconcileDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const attempt = useCommand({
    bodyOf: (body: ReconcileBody) => body,
    send: commands.reconcile,
    outdates: ['targets', 'fleet'],
    onDone: ({ scope }) => {
      setOpen(false);
      say('Reconcile requested', `A worker observes ${scope} and makes the changes that it may make.`);
    },
  });
  return (
    <ActionDialog
      title={title}
      label={`${title}: target ${target}`}
      about="A worker observes the whole scope of this target now, and makes the changes that modes, limits and pauses permit. A running reconcile there starts again."
      verb="Request it"
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={(reason) => attempt.mutate({ estate, target, reason })}
    />
  );
}
