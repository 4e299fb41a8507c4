import type { Mark } from '../../src/core/observed.ts';
import { readExtra, readMark } from './marks.ts';
import type { Tags } from './tags.ts';

export const filterPart = 'nsg';

/**
 * True if the tags name such a part of the resource with the mark `owner`: same estate, store and address. Tags can be
 * copied, so Setpoint does not delete a part that differs in one of them.
 */
export const isPartOf = (owner: Mark | undefined, tags: Tags | undefined, part: string): boolean =>
  isNearPartOf(owner, tags, part) && same('store', owner, tags) && same('address', owner, tags);

/**
 * Like `isPartOf`, for what stands in the place of that part: a rename or a takeover that stopped half way leaves another
 * address or store on it. Enough not to take it for a stranger's; not enough to delete it.
 */
export const isNearPartOf = (owner: Mark | undefined, tags: Tags | undefined, part: string): boolean =>
  owner !== undefined &&
  readExtra(tags, 'part') === part &&
  readMark(tags)?.estate === owner.estate &&
  (same('store', owner, tags) || same('address', owner, tags));

const same = (field: 'store' | 'address', owner: Mark | undefined, tags: Tags | undefined): boolean =>
  readMark(tags)?.[field] === owner?.[field];
