import { canonical } from '../core/ledger/canonical.ts';
import type { Place } from '../core/ledger/estate-count.ts';
import type { Address, CloudId, Kind } from '../core/resource.ts';
import type { IntentDraft, Pass, Settlement } from '../ports/ledger.ts';

/** An intent as the store keeps it beside the ledger. `at`: of its newest attempt. */
export interface IntentRecord {
  readonly intent: string;
  readonly action: ActionKey;
  readonly attempt: number;
  readonly at: number;
  readonly generation: number;
  /** What an update changes: its fields, as one text. */
  readonly fields: string;
}

/** The same action has the same key. `id` is '' for what has none yet; two objects of one address are two actions. */
export interface ActionKey {
  readonly verb: IntentDraft['verb'];
  readonly kind: Kind;
  readonly address: Address;
  readonly id: CloudId | '';
}

export const actionKey = ({ verb, subject }: IntentDraft): ActionKey => ({
  verb,
  kind: subject.kind,
  address: subject.address,
  id: subject.id ?? '',
});

export const keyText = ({ verb, address, id }: ActionKey): string => `${verb} ${address} ${id}`;

export function placeOf({ subject, counts }: IntentDraft): Place | undefined {
  const { address, id } = subject;
  return counts && { as: counts.as, by: counts.by, address, subject: counts.document ?? id ?? address };
}

/** The names of the fields in `details.changes`; where there are none, the details themselves. */
export function fieldsOf({ details }: IntentDraft): string {
  const { changes } = details;
  if (!Array.isArray(changes)) return canonical(details);
  return changes
    .map((change: unknown) => (isField(change) ? change.field : canonical(change)))
    .sort()
    .join(' ');
}

const isField = (value: unknown): value is { readonly field: string } =>
  typeof value === 'object' && value !== null && 'field' in value && typeof value.field === 'string';

/** What the ledger says of an intent. Every attempt is an entry of its own. */
export const intentBody = (pass: Pass, draft: IntentDraft, { intent, attempt }: IntentRecord) => ({
  ...passBody(pass),
  ...subjectBody(actionKey(draft)),
  intent,
  attempt,
  details: draft.details,
  ...(draft.counts ? { counts: draft.counts } : {}),
});

/** What the ledger says of a settlement. Attributes stand in the intent; here only what was done with them. */
export const settlementBody = (pass: Pass, settlement: Settlement, { intent, attempt, action }: IntentRecord) => ({
  ...passBody(pass),
  ...subjectBody(action),
  intent,
  attempt,
  outcome: settlement.outcome,
  closes: settlement.closes,
  effects: settlement.effects.map((effect) =>
    effect.do === 'apply' ? { do: effect.do, address: effect.address } : effect,
  ),
  calls: settlement.calls,
});

export const noteBody = (estate: string, note: Readonly<Record<string, unknown>>) => ({ estate, note });

const passBody = ({ estate, scope, reconcileId, authority, lease }: Pass) => ({
  estate,
  scope,
  reconcileId,
  authority,
  lease,
});

const subjectBody = ({ verb, kind, address, id }: ActionKey) => ({
  verb,
  kind,
  address,
  ...(id === '' ? {} : { id }),
});
