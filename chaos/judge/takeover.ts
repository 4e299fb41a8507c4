/** A lease as its row says. `since`: when it was taken, ms since the epoch; `runs`: it has not run out. */
export interface LeaseRow {
  readonly holder: string;
  readonly epoch: number;
  readonly since: number;
  readonly runs: boolean;
}

/** The process that holds a lease, by what a worker calls itself there; undefined where nobody does. */
export function processOf(row: LeaseRow | undefined): number | undefined {
  const pid = row?.runs ? /process (\d+)/.exec(row.holder)?.[1] : undefined;
  return pid === undefined ? undefined : Number(pid);
}

/** Whether who was killed died with the lease in hand: one that had given it back leaves nothing to be taken over. */
export const heldAtDeath = (before: LeaseRow, after: LeaseRow | undefined): boolean =>
  after?.runs === true && after.holder === before.holder && after.epoch === before.epoch;

/**
 * When the next holder's first write reached the cloud; undefined while it has not. Those before it held the lease are what the
 * killed one had sent. `writes`: moments in ms since the epoch, oldest first.
 */
export function takenOverAt(
  before: LeaseRow,
  now: LeaseRow | undefined,
  writes: readonly number[],
): number | undefined {
  if (now === undefined || now.epoch <= before.epoch) return undefined;
  return writes.find((at) => at >= now.since);
}
