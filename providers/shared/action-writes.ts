import type { Action } from '../../src/core/action.ts';
import type { Attributes } from '../../src/core/resource.ts';

/** Writes of a cloud's calls that one action takes, by what it does to the object. */
export interface ActionWrites {
  create(wanted: Attributes[keyof Attributes]): number;
  change(action: Extract<Action, { readonly verb: 'update' | 'adopt' }>): number;
  delete(action: Extract<Action, { readonly verb: 'delete' }>): number;
}

/** A replacement is a creation and a deletion. */
export function writesOf(action: Action, writes: ActionWrites): number {
  switch (action.verb) {
    case 'create':
      return writes.create(action.desired.attributes);
    case 'replace':
      return writes.create(action.desired.attributes) + 1;
    case 'update':
    case 'adopt':
      return writes.change(action);
    case 'delete':
      return writes.delete(action);
    case 'forget':
      return 0;
  }
}
