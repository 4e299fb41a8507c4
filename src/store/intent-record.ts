import { canonical } from '../core/ledger/canonical.ts';
import type { Place } from '../core/ledger/estate-count.ts';
import type { IntentDraft, Pass } from '../ports/ledger.ts';
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

export function placeOf({ scope }: Pick<Pass, 'scope'>, { subject, counts }: IntentDraft): Place | undefined {
  const { address, id } = subject;
  return counts && { as: counts.as, by: counts.by, scope, address, subject: counts.of ?? id ?? address };
}

/** As the intent holds it. Each new machine has a place of its own, also where the one before it stood at the same address. */
export const heldPlace = (place: Place, intent: string): Place =>
  place.as === 'create' ? { ...place, subject: intent } : place;

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
