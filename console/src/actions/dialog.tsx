import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useId, useState } from 'react';
import { ApiError } from '../api-client.ts';
import { Notice } from '../components.tsx';
import { Failure } from '../query-state.tsx';

interface Attempt {
  readonly isPending: boolean;
  readonly error: unknown;
  reset(): void;
}

interface ActionDialogProps {
  /** Of the button, and of the dialog: `Pause healing`. */
  readonly title: string;
  /** Of the button, if others on the page have the same one: `Pause healing of web-0`. */
  readonly label?: string;
  /** The consequences. */
  readonly about: ReactNode;
  /** Of the button that does it: `Pause`. */
  readonly verb: string;
  /** The name of the text that it asks for; absent: `Reason`. */
  readonly field?: string;
  readonly attempt: Attempt;
  readonly isDangerous?: boolean;
  /** The button is not there; an open dialog stays. */
  readonly isHidden?: boolean;
  readonly isOpen: boolean;
  setOpen(isOpen: boolean): void;
  submit(reason: string): void;
  /** Fields above the reason. */
  readonly children?: ReactNode;
}

/** A button with a dialog that asks for a reason. Nothing is sent before the person confirms it. */
export function ActionDialog(props: ActionDialogProps) {
  const {
    title,
    label,
    about,
    verb,
    attempt,
    isDangerous = false,
    isHidden = false,
    field = 'Reason',
    isOpen,
    setOpen,
    submit,
    children,
  } = props;
  const change = (open: boolean): void => {
    if (!open && attempt.isPending) return;
    attempt.reset();
    setOpen(open);
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={change}>
      <Dialog.Trigger className="button" aria-label={label} hidden={isHidden}>
        {title}…
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        {/* why: the screen below has keys of its own, and React hands it those of a dialog */}
        <Dialog.Popup className="dialog" onKeyDown={(event) => event.stopPropagation()}>
          <Dialog.Title className="dialog-title">{label ?? title}</Dialog.Title>
          <Dialog.Description render={<div />} className="dialog-about">
            {about}
          </Dialog.Description>
          <ReasonForm verb={verb} field={field} attempt={attempt} isDangerous={isDangerous} submit={submit}>
            {children}
          </ReasonForm>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type ReasonFormProps = Pick<ActionDialogProps, 'verb' | 'attempt' | 'submit' | 'children'> &
  Required<Pick<ActionDialogProps, 'field' | 'isDangerous'>>;

/** In the popup, which ends with the dialog: the next one begins without the reason of the last one. */
function ReasonForm({ verb, field, attempt, isDangerous, submit, children }: ReasonFormProps) {
  const [reason, setReason] = useState('');
  const id = useId();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!attempt.isPending) submit(reason.trim());
      }}
    >
      {children}
      <label htmlFor={id}>{field}</label>
      <input
        id={id}
        name="reason"
        required
        // why: spaces alone are no reason
        pattern=".*\S.*"
        maxLength={mostReason}
        autoComplete="off"
        value={reason}
        aria-describedby={`${id}-help`}
        onChange={(event) => setReason(event.target.value)}
      />
      <p id={`${id}-help`} className="help">
        Others read it in the ledger.
      </p>
      <Refusal error={attempt.error} />
      <div className="dialog-buttons">
        <Dialog.Close className="button" disabled={attempt.isPending}>
          Cancel
        </Dialog.Close>
        <button type="submit" className={isDangerous ? 'button danger' : 'button primary'} disabled={attempt.isPending}>
          {attempt.isPending ? 'Sending…' : verb}
        </button>
      </div>
    </form>
  );
}

/** The API takes 500 characters; the reason of a reconcile has the person in front of it. */
const mostReason = 300;

function Refusal({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  if (error instanceof ApiError && error.status === 0)
    return (
      <Notice tone="wrong" title="No answer came">
        <p>Setpoint may have carried it out. Send it again: Setpoint carries out the same request once.</p>
      </Notice>
    );
  return <Failure error={error} subject="this" />;
}

interface ChoiceProps {
  readonly name: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly value: string;
  choose(value: string): void;
}

/** One of several options. */
export function Choice({ name, options, value, choose }: ChoiceProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{name}</label>
      <select id={id} className="select" value={value} onChange={(event) => choose(event.target.value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </>
  );
}
