import { rulesOf } from '../core/kinds/kinds.ts';
import type { Knowledge } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import type { Address, Attributes, CloudId, Kind, Ref } from '../core/resource.ts';

/** The current cloud id of each of our addresses; grows as a reconcile creates resources. */
export interface IdIndex {
  /** The id behind a Ref; undefined for an address that nothing stands at. */
  idOf(ref: Ref): CloudId | undefined;
  add(address: Address, id: CloudId): void;
  /** The same attributes with ids for addresses; undefined where one of them names nothing. */
  resolve<K extends Kind>(kind: K, attributes: Attributes[K]): Attributes[K] | undefined;
  /** The same, leaving what names nothing as it is. */
  translate<K extends Kind>(kind: K, attributes: Attributes[K]): Attributes[K];
}

/**
 * Indexes the ids that the store knows and the cloud shows, and those that a listing missed too soon after they were written.
 * Of two objects with one address the first seen counts.
 */
export function idIndexOf({ resources, pending }: Observation, { settled }: Knowledge): IdIndex {
  const ids = new Map<Address, CloudId>();
  const seen = new Set<CloudId>();
  for (const { id, condition } of resources) {
    if (condition.state === 'gone' || condition.state === 'deleting') continue;
    seen.add(id);
    const address = settled.get(id)?.address;
    if (address !== undefined && !ids.has(address)) ids.set(address, id);
  }
  for (const id of pending) {
    const address = settled.get(id)?.address;
    if (address !== undefined && !ids.has(address)) ids.set(address, id);
  }
  const idOf = (ref: Ref): CloudId | undefined => ids.get(ref) ?? (seen.has(ref) ? ref : undefined);
  return {
    idOf,
    add: (address, id) => void ids.set(address, id),
    resolve: (kind, attributes) => {
      let whole = true;
      const resolved = map(kind, attributes, (ref) => {
        const id = idOf(ref);
        whole &&= id !== undefined;
        return id ?? ref;
      });
      return whole ? resolved : undefined;
    },
    translate: (kind, attributes) => map(kind, attributes, (ref) => idOf(ref) ?? ref),
  };
}

function map<K extends Kind>(kind: K, attributes: Attributes[K], to: (ref: Ref) => Ref): Attributes[K] {
  // why: mapRefs of a kind answers with attributes of that kind
  return rulesOf(kind).mapRefs(attributes, to) as Attributes[K];
}
