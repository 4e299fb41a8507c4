import type { Invariant } from './invariant.ts';

/** The ledger verifies, without a gap. */
export const ledgerVerifies: Invariant = {
  number: 9,
  name: 'the ledger verifies',
  broken: ({ ledger }) => [
    ...(ledger.problem === undefined ? [] : [ledger.problem]),
    ...ledger.entries.flatMap(({ seq }, i) => (seq === i + 1 ? [] : [`entry ${i + 1} has the number ${seq}`])),
  ],
};
