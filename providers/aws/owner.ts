import type { Origin, Signs } from '../../src/core/observed.ts';
import { readMark } from './marks.ts';
import type { Tag } from './tags.ts';

/** The owner of an object, and its tags. Older answers name no owner: the object is the account's own. */
export interface Owned {
  readonly OwnerId?: string | undefined;
  readonly Tags?: readonly Tag[] | undefined;
}

/**
 * Evidence of ownership. AWS also lists VPCs, subnets and groups that other accounts share through RAM: they are never ours,
 * regardless of their tags. Only STS proves the account of the credentials.
 * https://docs.aws.amazon.com/vpc/latest/userguide/vpc-sharing.html
 *
 *   owner            | mark       | signs
 *   -----------------+------------+----------------------------------
 *   another account  | any        | origin: shared by that account
 *   ours, or unnamed | one of ours| the mark
 *   ours, or unnamed | none       | the origin, where one is known
 */
export function signsOf(item: Owned, account: string, origin: Origin | undefined): Signs {
  const shared = sharedBy(item, account);
  if (shared !== undefined) return { origin: shared };
  const mark = readMark(item.Tags);
  if (mark) return { mark };
  return origin === undefined ? {} : { origin };
}

/** Undefined: it is the account's own. */
export function sharedBy({ OwnerId }: Pick<Owned, 'OwnerId'>, account: string): Origin | undefined {
  if (OwnerId === undefined || OwnerId === '' || OwnerId === account) return undefined;
  return { why: 'shared', detail: `shared by account ${OwnerId}` };
}
