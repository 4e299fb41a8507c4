import type { Address, CloudId, Kind } from '../core/resource.ts';
import type { IntentDraft } from '../ports/ledger.ts';

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
