import { useState } from 'react';
import type { Pause, PauseSubject } from '../api.d.ts';
import { commands } from '../api-client.ts';
import { absoluteTime } from '../time.ts';
import { useCommand } from './command.ts';
import { ActionDialog, Choice } from './dialog.tsx';
import type { Subject } from './permissions.ts';
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
    bodyOf: ({ length, ...rest }: { mode: Mode; reason: string; length: number }) => ({
      ...{ estate, subject, ...rest },
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
      submit={(reason) => attempt.mutate({ mode, reason, length: hours })}
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
    bodyOf: (why: string) => ({
      ...{ estate, reason: why },
      ...(incident === undefined ? { mode, subject } : { incident }),
    }),
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
      submit={attempt.mutate}
    />
  );
}
