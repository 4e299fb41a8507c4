import type { Action, ScopePlan } from './action.ts';
import { canonical } from './ledger/canonical.ts';
import { isJoining, leftOf } from './order/moves.ts';

/** A hash of text, as hex. Given from outside: the core knows no cryptography. */
export type Hash = (text: string) => string;

/**
 * The digest of an action's own content: without its document's position, and without other facts of the object. So a saved
 * plan holds while planning again gives the same digests, and only a changed action is stale.
 */
export const actionDigest = (action: Action, hash: Hash): string => hash(canonical(essence(action)));

/** Hash of the actions of all scopes, whatever their order. */
export const planDigest = (plans: readonly ScopePlan[], hash: Hash): string =>
  hash(
    plans
      .flatMap(({ actions }) => actions.map((action) => actionDigest(action, hash)))
      .sort()
      .join('\n'),
  );

/** A creation is of one incarnation: an earlier object at its address was another one. */
const creation = ({ address, desired, incarnation }: Creating): object => ({
  ...{ verb: 'create', address, attributes: desired.attributes },
  ...(incarnation === undefined ? {} : { incarnation }),
});

type Creating = Pick<Extract<Action, { readonly verb: 'create' | 'replace' }>, 'address' | 'desired' | 'incarnation'>;

/**
 * The digests of the two actions that a replacement is made of: of the one that is left when it was broken off in between. Of a machine that
 * joins its new groups: of the change that is left then.
 */
export function halvesOf(action: Action, hash: Hash): readonly string[] {
  if (isJoining(action)) return [actionDigest(leftOf(action), hash)];
  if (action.verb !== 'replace') return [];
  const { address, observed } = action;
  const ending = { verb: 'delete', address, id: observed.id, attributes: observed.attributes };
  return [creation(action), ending].map((half) => hash(canonical(half)));
}

function essence(action: Action): object {
  const { verb, address } = action;
  switch (action.verb) {
    case 'create':
      return creation(action);
    case 'update':
    case 'adopt':
      return { verb, address, id: action.observed.id, changes: action.changes };
    case 'replace':
      return { verb, address, id: action.observed.id, changes: action.changes, attributes: action.desired.attributes };
    case 'delete':
      return { verb, address, id: action.observed.id, attributes: action.observed.attributes };
    case 'forget':
      return { verb, address, id: action.id };
  }
}
