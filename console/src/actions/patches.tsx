import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Patch, StartedPatch } from '../api.d.ts';
import { commands, type PatchBody } from '../api-client.ts';
import { changeLines, consequence, effectLines, verbs } from '../approvals/words.ts';
import { actionName } from '../drift/entries.ts';
import { valueText } from '../resource/fields.ts';
import { absoluteTime } from '../time.ts';
import { newKey, useCommand } from './command.ts';
import { ActionDialog, Choice } from './dialog.tsx';
import { type PatchFields, parseFields } from './patch-fields.ts';
import { say } from './toasts.tsx';

const outdates = [
  'patches',
  'targets',
  'drift',
  'inventory',
  'resource',
  'explanation',
  'approvals',
  'fleet',
  'ledger',
];

const lengths = [
  ['1', '1 hour'],
  ['4', '4 hours'],
  ['24', '24 hours'],
  ['168', '7 days'],
] as const;

const hourMs = 3_600_000;

interface PatchDialogProps {
  readonly estate: string;
  /** Of the document. */
  readonly document: string;
}

interface Previewed {
  /** Of the input. */
  readonly text: string;
  readonly body: PatchBody;
  readonly plan: StartedPatch;
}

/** Other values of a document's fields until a time. The person reads the plan of it before it begins. */
export function PatchDialog({ estate, document }: PatchDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const [fields, setFields] = useState('');
  const [hours, setHours] = useState('4');
  const [previewed, setPreviewed] = useState<Previewed>();
  const id = useId();
  const parsed = parseFields(fields);
  const preview = useMutation({
    mutationFn: ({ body }: Pick<Previewed, 'text' | 'body'>) => commands.patch({ ...body, preview: true }, newKey()),
    onSuccess: (plan, { text, body }) => setPreviewed({ text, body, plan }),
  });
  const begin = useCommand({
    bodyOf: (body: PatchBody) => body,
    send: commands.patch,
    outdates,
    onDone: ({ patch }) => {
      setOpen(false);
      setPreviewed(undefined);
      setFields('');
      say(
        `Patched: ${patch.kind} ${patch.name}`,
        `Until ${absoluteTime(patch.until)}. Then workers go back to the specs.`,
      );
    },
  });
  const attempt = {
    isPending: preview.isPending || begin.isPending,
    error: begin.error ?? preview.error,
    reset: () => {
      preview.reset();
      begin.reset();
      setPreviewed(undefined);
    },
  };
  const submit = (reason: string): void => {
    if ('problem' in parsed) return;
    const text = JSON.stringify([fields, hours, reason]);
    if (previewed?.text === text) begin.mutate(previewed.body);
    else
      preview.mutate({
        text,
        body: { estate, address: document, fields: parsed.fields, until: inHours(hours), reason },
      });
  };
  return (
    <ActionDialog
      title="Patch"
      label={`Patch ${document}`}
      about="Other values of these fields until the patch ends, without a commit. Then workers go back to the specs. You read the plan before it begins."
      verb={previewed === undefined ? 'Preview' : 'Begin'}
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={submit}
    >
      <FieldsInput
        id={id}
        value={fields}
        parsed={parsed}
        change={(value) => {
          setFields(value);
          setPreviewed(undefined);
        }}
      />
      <Choice
        name="It ends after"
        options={lengths}
        value={hours}
        choose={(value) => {
          setHours(value);
          setPreviewed(undefined);
        }}
      />
      {previewed === undefined ? null : <Preview plan={previewed.plan} />}
    </ActionDialog>
  );
}

const inHours = (hours: string): string => new Date(Date.now() + Number(hours) * hourMs).toISOString();

interface FieldsInputProps {
  readonly id: string;
  readonly value: string;
  readonly parsed: PatchFields;
  change(value: string): void;
}

function FieldsInput({ id, value, parsed, change }: FieldsInputProps) {
  const isWrong = 'problem' in parsed && value !== '';
  return (
    <>
      <label htmlFor={id}>Fields</label>
      <textarea
        id={id}
        className="select code"
        rows={3}
        required
        spellCheck={false}
        placeholder={'size=t3.large\nlabels.tier=night'}
        value={value}
        aria-invalid={isWrong}
        aria-describedby={`${id}-help`}
        onChange={(event) => change(event.target.value)}
      />
      <p id={`${id}-help`} className="help">
        {isWrong
          ? parsed.problem
          : 'A field=value in each line, as in the spec. Lists are [22, 443]; null removes a field.'}
      </p>
    </>
  );
}

function Preview({ plan }: { readonly plan: StartedPatch }) {
  const { actions, findings, effect, waits, policies = [], atEnd, scopes } = plan;
  const calls = scopes.reduce((sum, { calls: { predicted } }) => sum + predicted, 0);
  return (
    <section className="preview" aria-label="Plan of the patch" aria-live="polite">
      <h3>
        {actions.length === 0
          ? 'It changes nothing on a cloud now'
          : `${actions.length} to change, about ${calls} calls`}
      </h3>
      <ul>
        {actions.map((action) => (
          <li key={action.digest}>
            <span className="code">{verbs[action.verb].symbol}</span> {action.kind} {actionName(action)}{' '}
            <strong className="tone-wrong ink">{consequence(action)}</strong>
            {changeLines(action).map((line) => (
              <div key={line} className="code small">
                {line}
              </div>
            ))}
          </li>
        ))}
        {effect === undefined
          ? null
          : effectLines(effect).map(({ text, change }) => (
              <li key={text} className={change === 'opens' ? 'tone-wrong ink' : 'tone-attention ink'}>
                {text}
              </li>
            ))}
        {[...waits, ...findings.map(({ reason }) => reason), ...policies.map(({ message }) => message)].map((text) => (
          <li key={text} className="tone-attention ink">
            {text}
          </li>
        ))}
      </ul>
      <p className="quiet small">{endText(atEnd)}</p>
    </section>
  );
}

function endText({ deletes, stops }: StartedPatch['atEnd']): string {
  if (deletes + stops === 0) return 'Its end stops and deletes no machine.';
  const parts = [deletes === 0 ? [] : [`deletes ${deletes}`], stops === 0 ? [] : [`stops ${stops}`]].flat();
  return `Its end ${parts.join(' and ')} ${deletes + stops === 1 ? 'machine' : 'machines'}.`;
}

/** `size: t3.small → t3.large` */
export const patchText = ({ fields }: Pick<Patch, 'fields'>): string =>
  fields
    .map(
      ({ field, value, former }) =>
        `${field}: ${former === undefined ? '(absent)' : valueText(former)} → ${valueText(value)}`,
    )
    .join(', ');

export function EndPatchDialog({ estate, patch }: { readonly estate: string; readonly patch: Patch }) {
  const [isOpen, setOpen] = useState(false);
  const { id, kind, name } = patch;
  const attempt = useCommand({
    bodyOf: (body: { readonly estate: string; readonly id: number; readonly reason: string }) => body,
    send: commands.endPatch,
    outdates,
    onDone: () => {
      setOpen(false);
      say('The patch ended', 'Workers go back to the specs.');
    },
  });
  return (
    <ActionDialog
      title="End the patch"
      label={`End the patch of ${kind} ${name}`}
      about={`Workers go back to the specs: ${patchText(patch)} ends.`}
      verb="End it"
      attempt={attempt}
      isOpen={isOpen}
      setOpen={setOpen}
      submit={(reason) => attempt.mutate({ estate, id, reason })}
    />
  );
}
