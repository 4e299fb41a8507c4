import type { Birth, Knowledge } from './knowledge.ts';
import type { Address, CloudId } from './resource.ts';

/** A replacement by surge that has begun and not ended, as the store knows it. */
export interface UnfinishedReplacement {
  readonly address: Address;
  readonly predecessor: CloudId;
  /** Absent: its launch is intended and not settled. */
  readonly successor?: CloudId;
  /** Milliseconds since the epoch: of the launch. */
  readonly since: number;
  /** The next step, for people. */
  readonly waitsFor: string;
}

/**
 * The replacements of a scope that have begun and not ended.
 *
 *   the store knows                          | waits for
 *   -----------------------------------------+---------------------------------
 *   an open launch of the successor          | the launch
 *   both, the successor's birth failed       | the end of the successor
 *   both, the successor not ready long enough| the successor to be ready
 *   both, an open deletion of the predecessor| the end of the predecessor, which is under way
 *   both                                     | the end of the predecessor
 */
export function unfinishedReplacements({ settled, pending, births = [] }: Knowledge): readonly UnfinishedReplacement[] {
  const stands = [...settled].flatMap(
    ([successor, { address, lastWriteAt: since, terms }]): readonly UnfinishedReplacement[] => {
      const predecessor = terms.successorOf;
      if (predecessor === undefined || !settled.has(predecessor)) return [];
      const birth = births.find(({ id }) => id === successor);
      const isEnding = pending.some(({ verb, draft }) => verb === 'delete' && draft.id === predecessor);
      return [
        { address, predecessor, successor, since, waitsFor: nextStep({ successor, predecessor }, birth, isEnding) },
      ];
    },
  );
  const begun = pending.flatMap(({ address, verb, at: since, draft }): readonly UnfinishedReplacement[] => {
    const { successorOf: predecessor } = draft.details;
    if (verb !== 'create' || typeof predecessor !== 'string' || !settled.has(predecessor)) return [];
    return [{ address, predecessor, since, waitsFor: 'the launch of its successor' }];
  });
  return [...stands, ...begun].sort((a, b) => (a.address < b.address ? -1 : 1));
}

function nextStep(
  { successor, predecessor }: { readonly successor: CloudId; readonly predecessor: CloudId },
  birth: Birth | undefined,
  isEnding: boolean,
): string {
  if (birth?.failed !== undefined) return `the deletion of ${successor}, which failed: ${birth.failed}`;
  if (isEnding) return `the deletion of ${predecessor}, which is under way`;
  if (birth !== undefined && birth.proven !== true) return `${successor} to be ready`;
  return `the deletion of ${predecessor}`;
}

/**
 * Machines that Setpoint deleted to replace them without surge, and whose successors no launch has made yet; with their addresses. A
 * deletion for another reason leaves nothing applied at the address, and one behind our back is no deletion of ours.
 */
export function recreatedMachines({ ended = new Map(), settled, applied }: Knowledge): ReadonlyMap<CloudId, Address> {
  const standing = new Set([...settled.values()].map(({ address }) => address));
  return new Map(
    [...ended].flatMap(([id, { as, kind, address }]) =>
      as === 'deleted' && kind === 'instance' && applied.has(address) && !standing.has(address)
        ? [[id, address] as const]
        : [],
    ),
  );
}
