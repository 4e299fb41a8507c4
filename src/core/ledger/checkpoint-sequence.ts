import { formatMoment } from '../render/moment.ts';
import type { Hash } from './chain.ts';
import {
  type CheckpointRoot,
  checkpointText,
  rootOf,
  type SignedCheckpoint,
  type WitnessedCheckpoint,
} from './checkpoint.ts';

/** The reason for which these are not all checkpoints of one ledger, in one line without a gap; undefined where they are. */
export function brokenSequence(checkpoints: readonly SignedCheckpoint[], hash: Hash): string | undefined {
  let last = { number: 0, root: '' };
  for (const checkpoint of checkpoints.toSorted((a, b) => a.number - b.number)) {
    const { number, previous, restoredTo = 0 } = checkpoint;
    const root = rootOf(checkpoint, hash);
    if (number === last.number && root === last.root) continue;
    if (number === last.number) return `two different checkpoints have the number ${number}: somebody else has the key`;
    if (number > last.number + 1) return `checkpoint ${last.number + 1} is missing: ${number} follows ${last.number}`;
    if (previous !== last.root) return `checkpoint ${number} does not follow checkpoint ${last.number}`;
    if (restoredTo >= number) return `checkpoint ${number} goes back to ${restoredTo}, which does not come before it`;
    last = { number, root };
  }
  return undefined;
}

interface Trust {
  readonly hash: Hash;
  readonly isSigned: (text: string, signature: string) => boolean;
}

/** The reason for which our checkpoints cannot be those that the witness was sent; undefined where they can. */
export function unlikeWitness(
  ours: readonly SignedCheckpoint[],
  witness: readonly WitnessedCheckpoint[],
  { hash, isSigned }: Trust,
): string | undefined {
  const roots = new Map(ours.map((one) => [one.number, rootOf(one, hash)]));
  for (const line of witness) {
    const { number, at, key, signature } = line;
    if (!isSigned(checkpointText(line, hash), signature))
      return `checkpoint ${number} of the witness is signed by the key ${key}, which is not trusted here, or was altered`;
    const root = roots.get(number);
    if (root === undefined)
      return `the witness holds checkpoint ${number} of ${formatMoment(at)}, which is missing here: the end was cut`;
    if (root !== rootIn(line, hash))
      return `checkpoint ${number} is not the one that the witness holds: it was rewritten`;
  }
  return undefined;
}

const rootIn = (line: WitnessedCheckpoint, hash: Hash): string => ('root' in line ? line.root : rootOf(line, hash));

/** As short as a line of a system log must be. */
export const withoutHeads = (
  checkpoint: SignedCheckpoint,
  hash: Hash,
): CheckpointRoot & Pick<SignedCheckpoint, 'key' | 'signature'> => {
  const { store, estate, number, at, key, signature } = checkpoint;
  return { store, estate, number, at, root: rootOf(checkpoint, hash), key, signature };
};
