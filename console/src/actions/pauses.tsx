import { useState } from 'react';
import type { Pause, PauseSubject } from '../api.d.ts';
import { commands, type ResumeBody } from '../api-client.ts';
import { absoluteTime } from '../time.ts';
import { useCommand } from './command.ts';
import { ActionDialog, Choice } from './dialog.tsx';
import { type Subject, useMay } from './permissions.ts';
import { say } from './toasts.tsx';

const modes = {
  healing: 'Healing: Setpoint leaves drift alone',
  rollout: 'Rollouts: changes of the specs wait',
  all: 'All changes',
} as const;

type Mode = keyof typeof modes;

const lengths = [
  ['1 hour', 1],
  ['4 hours', 4],
  ['24 hours', 24],
  ['7 days', 168],
] as const;

const hourMs = 3_600_000;

const outdates = ['pauses', 'targets', 'drift', 'fleet', 'inventory', 'explanation', 'resource'];

interface PauseDialogProps {
  readonly estate: string;
  readonly subject: PauseSubject;
}

interface PauseInput extends PauseDialogProps {
  readonly mode: Mode;
  readonly reason: string;
  /** In hours. */
  readonly length: number;
}

/** `instance/web-0`, `target aws-prod`, `the estate` */
export function subjectText(subject: PauseSubject): string {
  if (subject.type === 'estate') return 'the estate';
  return subject.type === 'address' ? subject.name : `${subject.type} ${subject.name}`;
}

/** For the check of a grant. */
export function subjectOf(paused: PauseSubject, estate: string): Subject {
  if (paused.type === 'estate') return { estate };
  if (paused.type === 'address') return { estate, targets: 'any', owners: 'any' };
  return { estate, [paused.type === 'target' ? 'targets' : 'owners']: [paused.name] };
}

export function PauseDialog({ estate, subject }: PauseDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const [mode, setMode] = useState<Mode>('healing');
  const [hours, setHours] = useState<number>(4);
  const attempt = useCommand({
    bodyOf: ({ length, ...rest }: PauseInput) => ({
      ...rest,
      until: new Date(Date.now() + length * hourMs).toISOString(),
    }),
    send: commands.pause,
    outdates,
    onDone: ({ pause, inFlight }) => {
      setOpen(false);
      const rest = inFlight === 0 ? '' : ` ${inFlight} ${inFlight === 1 ? 'call was' : 'calls were'} sent before.`;
      say(`Paused: ${subjectText(pause.subject)}`, `Until ${absoluteTime(pause.until)}.${rest}`);
    },
  });
  const about = `Setpoint sends no such change for ${subjectText(subject)} until the pause ends, by itself or by a person.`;
  return (
    <ActionDialog
      title="Pause"
      label={`Pause ${subjectText(subject)}`}
      about={about}
      verb="Pause"
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={(reason) => attempt.mutate({ estate, subject, mode, reason, length: hours })}
    >
      <Choice name="What" options={Object.entries(modes)} value={mode} choose={(chosen) => setMode(chosen as Mode)} />
      <Choice
        name="How long"
        options={lengths.map(([text, value]) => [`${value}`, text])}
        value={`${hours}`}
        choose={(chosen) => setHours(Number(chosen))}
      />
    </ActionDialog>
  );
}

interface ResumeDialogProps {
  readonly estate: string;
  readonly pause: Pause;
}

/** Ends a pause. Those of an incident end together. */
export function ResumeDialog({ estate, pause: { mode, subject, incident, actor, reason } }: ResumeDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const attempt = useCommand({
    bodyOf: (body: ResumeBody) => body,
    send: commands.resume,
    outdates,
    onDone: ({ items }) => {
      setOpen(false);
      say(items.length === 1 ? 'The pause ended' : `${items.length} pauses ended`, 'Workers go on within seconds.');
    },
  });
  const label = incident === undefined ? `Resume ${subjectText(subject)}` : `End incident ${incident}`;
  return (
    <ActionDialog
      title={incident === undefined ? 'Resume' : 'End the incident'}
      label={label}
      about={
        <>
          {actor} paused it: {reason}.{' '}
          {incident === undefined ? 'Workers go on with it.' : 'All pauses of this incident end, and workers go on.'}
        </>
      }
      verb={incident === undefined ? 'Resume' : 'End it'}
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={(why) =>
        attempt.mutate({ estate, reason: why, ...(incident === undefined ? { mode, subject } : { incident }) })
      }
    />
  );
}

interface ReleaseDialogProps {
  readonly estate: string;
  readonly target: string;
  /** A scope in quarantine, or the document of a stopped rollout. */
  readonly held: { readonly quarantined: string } | { readonly rolloutOf: string };
  /** The reason that it is held. */
  readonly about: string;
}

/** Lets workers try again what they stopped by themselves. Nothing for those who may not operate the target. */
export function ReleaseDialog({ estate, target, held, about }: ReleaseDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const attempt = useCommand({
    bodyOf: (body: ResumeBody) => body,
    send: commands.resume,
    outdates,
    onDone: () => {
      setOpen(false);
      say('Resumed', 'Workers try again within seconds.');
    },
  });
  if (!may('operate', { estate, targets: [target], owners: 'any' })) return null;
  const isRollout = 'rolloutOf' in held;
  return (
    <ActionDialog
      title={isRollout ? 'Resume the rollout' : 'Release'}
      label={isRollout ? `Resume the rollout of ${held.rolloutOf}` : `Release ${held.quarantined} from quarantine`}
      about={`${about} Workers try again: find the cause first, or it stops again.`}
      verb={isRollout ? 'Resume' : 'Release'}
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={(reason) => attempt.mutate({ estate, ...held, reason })}
    />
  );
}
