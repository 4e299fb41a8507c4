import type { Invariant } from './invariant.ts';

/** Whatever is sent is sent under the lease, and no lower epoch writes the ledger after a higher one. */
export const singleWriter: Invariant = {
  number: 6,
  name: 'single writer',
  broken: ({ runs, ledger }) => {
    const strays = runs.flatMap(({ name, sent }) =>
      sent.filter(({ leased }) => !leased).map(({ action, at }) => `${name} sent ${action} at ${at} without the lease`),
    );
    const epochs = ledger.entries.flatMap(({ seq, body }) => {
      const lease = body['lease'];
      if (typeof lease !== 'object' || lease === null || !('epoch' in lease)) return [];
      return [{ seq, epoch: Number(lease.epoch) }];
    });
    const back = epochs.filter(({ epoch }, i) => i > 0 && epoch < (epochs[i - 1]?.epoch ?? 0));
    return [
      ...strays,
      ...back.map(({ seq, epoch }) => `entry ${seq} was written under epoch ${epoch}, after a later one`),
    ];
  },
};
