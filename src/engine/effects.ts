import type { Address, CloudId, Kind } from '../core/resource.ts';
import type { Effect, IntentDraft } from '../ports/ledger.ts';
import type { DraftDetails } from './draft.ts';

/** An intent that went well: what was intended, and the id it has now. */
export interface Fulfilled {
  readonly verb: IntentDraft['verb'];
  readonly kind: Kind;
  readonly address: Address;
  readonly id: CloudId;
  readonly details: DraftDetails;
}

/**
 * What the store knows afterwards.
 *
 *   create, update, adopt | the id is ours at this address · its attributes are applied, and none where it was before
 *   delete                | the id is let go · nothing is applied any more, unless it was a twin or is being replaced
 *   forget                | the id is let go
 */
export function effectsOf({ verb, kind, address, id, details }: Fulfilled): readonly Effect[] {
  switch (verb) {
    case 'create':
    case 'update':
    case 'adopt': {
      const { attributes, documents, terms, was } = details;
      const effects: Effect[] = terms ? [{ do: 'claim', subject: { kind, address, id }, terms }] : [];
      if (was !== undefined) effects.push({ do: 'unapply', address: was });
      return [...effects, { do: 'apply', address, attributes, ...(documents === undefined ? {} : { documents }) }];
    }
    case 'delete':
      return details.because === 'twin' || details.because === 'replaced'
        ? [{ do: 'release', id }]
        : [
            { do: 'release', id },
            { do: 'unapply', address },
          ];
    case 'forget':
      return [{ do: 'release', id }];
  }
}
