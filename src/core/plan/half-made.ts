import { nameIn, prefixIn, slotOf } from '../address.ts';
import type { NameDialect } from '../compile/dialect.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Mark, Observed } from '../observed.ts';

/** Its parts stand and it does not (Azure: an interface without its machine): what makes it takes them up. */
export const isHalfMade = ({ kind, condition: { missing } }: Observed): boolean =>
  kind === 'instance' && missing?.includes('machine') === true;

/**
 * Parts of a machine that could not be made, at the very place that the marked address names, or its successor would have: a copy of
 * the mark would lie at another. There is no machine that could be lost by it.
 */
export function isOwnRemainder(observed: Observed, { address }: Mark, { names, knowledge }: Names): boolean {
  if (!isHalfMade(observed)) return false;
  const { kind, signs } = observed;
  const name = names.objectName(kind, nameIn(address, kind));
  const known = [...knowledge.settled, ...(knowledge.ended ?? [])];
  const successors = known.flatMap(([id, one]) => (one.address === address ? (names.successor?.(name, id) ?? []) : []));
  return [name, ...successors].some((each) => signs.slot === slotOf(prefixIn(address, kind), kind, each));
}

interface Names {
  readonly names: NameDialect;
  readonly knowledge: Knowledge;
}
