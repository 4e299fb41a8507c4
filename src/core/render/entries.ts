import type { Action } from '../action.ts';
import type { DocumentRef } from '../desired.ts';
import type { Address, Kind } from '../resource.ts';
import { compareText } from '../text-order.ts';

/** What people see as one change: a resource, or a rule document with all its atoms. */
export interface Entry {
  readonly verb: EntryVerb;
  readonly kind: Kind;
  readonly address: Address;
  readonly document?: DocumentRef;
  /** Something of it drifted, whatever else changes with it: `plan` and `drift` count alike. */
  readonly drifted: boolean;
  readonly actions: readonly Action[];
}

export type EntryVerb = 'create' | 'update' | 'replace' | 'delete' | 'adopt' | 'forget';

/**
 * Actions as entries, in the order of their first action. Atoms gather under the first document that wants them: only
 * additions is a create, only removals of a document that is gone a delete, all else an update of the document.
 */
export function entriesOf(actions: readonly Action[]): readonly Entry[] {
  const byKey = Map.groupBy(actions, (action) => `${action.verb === 'forget' ? 'forget ' : ''}${subjectOf(action)}`);
  return [...byKey.values()].map((group) => entryOf(group));
}

function subjectOf(action: Action): Address {
  if (action.kind !== 'firewall-rule') return action.address;
  const documents = action.documents.map(({ address }) => address).toSorted(compareText);
  return documents.find((address) => address.includes('/firewall-rule/')) ?? documents[0] ?? action.address;
}

function entryOf(actions: readonly Action[]): Entry {
  const [first] = actions;
  if (first === undefined) throw new Error('an entry has at least one action');
  const address = subjectOf(first);
  const document = first.documents.find((one) => one.address === address) ?? first.documents[0];
  return {
    verb: verbOf(actions),
    kind: first.kind,
    address,
    ...(document === undefined ? {} : { document }),
    drifted: actions.some(({ cause }) => cause === 'drift'),
    actions,
  };
}

function verbOf(actions: readonly Action[]): EntryVerb {
  const verbs = new Set(actions.map(({ verb }) => verb));
  const [only] = verbs;
  if (verbs.size > 1 || only === undefined) return 'update';
  const moved = actions.some((action) => action.verb === 'delete' && action.because === 'changed');
  return moved ? 'update' : only;
}
