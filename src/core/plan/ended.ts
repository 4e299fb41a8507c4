import type { Action } from '../action.ts';
import type { Ended, Knowledge } from '../knowledge.ts';
import type { Observed } from '../observed.ts';
import type { Claimed } from './claim.ts';

/**
 * Objects that this store settled once and let go of since, and that a cloud shows again: a replica that lags answers NotFound to a
 * delete, and to a read, for what stands. None of them is a copy; a person who forgets an object ends this too.
 *
 *   the store ended it as | shown again, as it is marked now     | claim
 *   ----------------------+--------------------------------------+-----------------------------------------
 *   deleted               | by us, and no open creation made it  | us, to be deleted again: no second place
 *   gone                  | by us, or with no mark               | us, at its address, as before
 *   either                | by another store or estate           | as its mark says
 *
 * An id of Azure or Google Cloud ends in the number that the cloud never gives twice, so another object of the same name is
 * another id, and none of this applies to it.
 */
export function endedAs({ id, signs: { mark } }: Observed, knowledge: Knowledge): Ended | undefined {
  const ended = knowledge.ended?.get(id);
  if (ended === undefined) return undefined;
  if (mark === undefined) return ended.as === 'gone' ? ended : undefined;
  if (mark.estate !== knowledge.estate || mark.store !== knowledge.store) return undefined;
  const isMadeAnew = knowledge.pending.some(({ intent, verb }) => verb === 'create' && intent === mark.intent);
  return isMadeAnew ? undefined : ended;
}

/** It counted against the limits when it was deleted first. */
export const deleteAgain = ({ observed, claim }: Claimed): readonly Action[] =>
  claim.by === 'us' && claim.deleted
    ? [
        {
          verb: 'delete',
          kind: observed.kind,
          address: claim.address,
          documents: [],
          cause: 'rollout',
          observed,
          because: 'again',
        },
      ]
    : [];
