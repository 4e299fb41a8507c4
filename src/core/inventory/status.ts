/**
 * How a line of the inventory stands; the first that fits:
 *
 *   status    | when
 *   ----------+------------------------------------------------------------------------------------------------------
 *   Paused    | a person holds still what would be done
 *   Failed    | the last attempt failed, and a person must act; or updates do not stick
 *   Settling  | written, or begun, and not to be seen on the cloud yet
 *   Blocked   | what it needs is not there, not known, or not allowed: a block, a limit, protection, a stopped rollout
 *   Missing   | it was there, is wanted, and is gone behind our back
 *   Pending   | the specs have moved, and the cloud has not been brought along yet
 *   Drifted   | the cloud has moved behind our back
 *   Orphan    | ours, and no document wants it any more
 *   Unmanaged | nobody claims it, or somebody else does
 *   InSync    | as wanted
 */
export const statuses = [
  'InSync',
  'Drifted',
  'Missing',
  'Pending',
  'Settling',
  'Blocked',
  'Failed',
  'Unmanaged',
  'Orphan',
  'Paused',
] as const;

export type Status = (typeof statuses)[number];
