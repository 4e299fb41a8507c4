import type { SignedCheckpoint } from '../core/ledger/chain.ts';
import type { Undelivered } from '../ports/store.ts';
import type { Witness } from '../ports/witness.ts';

/** So many wait for a witness; the oldest are left out, since each later one covers them. */
const longestQueue = 1_000;

/** Checkpoints on their way to witnesses, in the order in which they were signed. */
export function witnessQueue(witnesses: readonly Witness[]): {
  offer(checkpoint: SignedCheckpoint): void;
  deliver(): Promise<readonly Undelivered[]>;
} {
  const queues = witnesses.map((witness): Queue => ({ witness, waiting: [] }));
  let running: Promise<readonly Undelivered[]> | undefined;
  const deliver = async (): Promise<readonly Undelivered[]> => {
    const failed = await Promise.all(queues.map(deliverTo));
    return failed.flat();
  };
  return {
    offer: (checkpoint) => {
      for (const { waiting } of queues) {
        waiting.push(checkpoint);
        if (waiting.length > longestQueue) waiting.shift();
      }
    },
    // why: two at once would send one checkpoint twice, and in another order
    deliver: () => {
      running ??= deliver().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

interface Queue {
  readonly witness: Witness;
  readonly waiting: SignedCheckpoint[];
}

async function deliverTo({ witness, waiting }: Queue): Promise<readonly Undelivered[]> {
  try {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      await witness.send(next);
      if (waiting[0] === next) waiting.shift();
    }
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ witness: witness.name, waiting: waiting.length, reason }];
  }
}
