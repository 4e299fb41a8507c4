import type { Kind } from '../core/resource.ts';
import type { IntentDraft } from '../ports/ledger.ts';
import type { ActionKey } from './intent-record.ts';

/** The columns of a row that say which action it is. Only `intend` writes them, from values of these types. */
export const actionOf = (row: {
  readonly verb: string;
  readonly kind: string;
  readonly address: string;
  readonly id: string;
}): ActionKey => ({
  verb: row.verb as IntentDraft['verb'], // why: see above
  kind: row.kind as Kind, // why: see above
  address: row.address,
  id: row.id,
});
