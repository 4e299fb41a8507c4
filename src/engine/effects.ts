import type { Ended } from '../core/knowledge.ts';
import type { Address, CloudId, Kind } from '../core/resource.ts';
import type { Effect, IntentDraft, Subject } from '../ports/ledger.ts';
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
 *   create, a successor   | the id is ours there too; applied is what its predecessor has, as long as that stands
 *   delete                | the id is let go, and known if it shows again · nothing is applied any more
 *   delete, a predecessor | the same · its successor's attributes are applied
 *   delete of a twin, of  | the id is let go, and known if it shows again
 *   a withdrawn successor,|
 *   or once more          |
 *   forget                | the id is let go, and known if it shows again, unless a person forgot it
 */
export function effectsOf({ verb, kind, address, id, details }: Fulfilled): readonly Effect[] {
  switch (verb) {
    case 'create':
    case 'update':
    case 'adopt': {
      const { attributes, documents, terms, was, successorOf } = details;
      const launched = successorOf === undefined ? {} : { launched: attributes };
      const effects: Effect[] = terms ? [{ do: 'claim', subject: { kind, address, id }, terms, ...launched }] : [];
      if (was !== undefined) effects.push({ do: 'unapply', address: was });
      if (successorOf !== undefined) return effects;
      return [...effects, { do: 'apply', address, attributes, ...(documents === undefined ? {} : { documents }) }];
    }
    case 'delete':
      return [ending({ kind, address, id }, 'deleted'), ...afterDelete(address, details)];
    case 'forget':
      // why: what a person let go of is ours no more, whatever shows of it
      return [details.because === 'gone' ? ending({ kind, address, id }, 'gone') : { do: 'release', id }];
  }
}

/** A rule is known through its container, by what it says: whoever writes it again makes another one. */
const ending = (subject: Subject & { readonly id: CloudId }, as: Ended['as']): Effect =>
  subject.kind === 'firewall-rule' ? { do: 'release', id: subject.id } : { do: 'end', subject, as };

function afterDelete(address: Address, { because, succeededBy }: DraftDetails): readonly Effect[] {
  if (because === 'twin' || because === 'again' || because === 'withdrawn') return [];
  if (because !== 'replaced') return [{ do: 'unapply', address }];
  return succeededBy === undefined ? [] : [{ do: 'apply', address, ...succeededBy }];
}
