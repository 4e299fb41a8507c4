import type { Finding } from '../action.ts';
import type { Desired } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import type { DataDisk, Observed } from '../observed.ts';
import { wantedText } from '../render/value-text.ts';
import { waysIn } from './destructive-drift.ts';
import type { Hold, PlanInput } from './plan-input.ts';

/**
 * No plan deletes a data disk, nor replaces a machine that has one: its successor would not have the data.
 *
 *   action           | no data disk | one that stays | one that the cloud may delete with its machine
 *   -----------------+--------------+----------------+----------------------------------------------
 *   replace          | goes on      | blocked        | blocked
 *   delete, whatever | goes on      | goes on        | withheld: data-disks
 *   the reason       |              |                |
 *   update, adopt    | goes on      | goes on        | goes on
 *   create, forget   | goes on: the machine is gone already, and a cloud deletes nothing again
 *
 * A replacement is blocked by `sortChanges`; one that was begun before the disk was attached is withheld here.
 */
export const dataDisksHold: Hold = (action) => {
  if (action.verb !== 'delete' && action.verb !== 'replace') return undefined;
  const disks = dataDisksOf(action.observed);
  const lost = action.verb === 'replace' ? disks : disks.filter(({ isDeletedWithMachine }) => isDeletedWithMachine);
  if (lost.length === 0) return undefined;
  const why =
    action.verb === 'replace'
      ? `it has ${nameDisks(lost)}, and Setpoint replaces no machine with data disks. Detach ${them(lost)} first.`
      : `the cloud would delete ${nameDisks(lost)} with it, and Setpoint deletes no data disk. Detach ${them(lost)}, or make the cloud keep ${them(lost)} (AWS: DeleteOnTermination, Google Cloud: autoDelete, Azure: deleteOption); or delete the machine by hand.`;
  return { code: 'data-disks', why };
};

/** Changes that only a new machine can have, of a machine with data disks. */
export function keepsDataDisks(
  desired: Desired,
  observed: Observed,
  changes: readonly FieldChange[],
  input: PlanInput,
): Finding {
  const disks = dataDisksOf(observed);
  const why = `${wantedText(changes)}. Only a new machine can have the desired value, and Setpoint replaces no machine with data disks: it has ${nameDisks(disks)}. ${waysIn(desired, changes, input)}, or detach ${them(disks)}, or give the new machine a new name and move over.`;
  const { kind, address } = desired;
  return { type: 'blocked', address, kind, code: 'immutable', why, scope: input.observation.scope };
}

export const dataDisksOf = ({ condition }: Observed): readonly DataDisk[] => condition.dataDisks ?? [];

const nameDisks = (disks: readonly DataDisk[]): string =>
  `the data disk${disks.length === 1 ? '' : 's'} ${disks.map(({ id }) => id).join(', ')}`;

const them = ({ length }: readonly DataDisk[]): string => (length === 1 ? 'it' : 'them');
