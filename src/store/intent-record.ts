import { canonical } from '../core/ledger/canonical.ts';
import type { Place } from '../core/ledger/estate-count.ts';
import type { IntentDraft } from '../ports/ledger.ts';
import type { ActionKey } from './action-key.ts';

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
