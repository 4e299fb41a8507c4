import type { Failure } from '../../src/core/failure.ts';
import type { Mark, Observed } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { isSameOwner } from './marks.ts';

/** Undefined: the mark on it is the one that it was seen with, or there was none and is none. */
export function markConflict(id: CloudId, seen: Mark | undefined, now: Mark | undefined): Failure | undefined {
  if (isSameOwner(seen, now) || (seen === undefined && now === undefined)) return undefined;
  const message = `${id} has another mark than at the last observation; Setpoint leaves it unchanged until the next one`;
  return { kind: 'conflict', code: 'MarkChanged', message };
}

interface Write {
  readonly observed: Observed;
  /** The mark that this write sets. */
  readonly mark?: Mark;
}

/** Permits a write only if the mark is as observed, or as an earlier try of this write left it, or if the write adopts it. */
export function writeConflict({ observed, mark }: Write, now: Mark | undefined): Failure | undefined {
  if (isSameOwner(mark, now)) return undefined;
  return markConflict(observed.id, observed.signs.mark, now) ?? (now || mark ? undefined : unmarked(observed.id));
}

export const unmarked = (id: CloudId): Failure => ({
  kind: 'terminal',
  code: 'NotOurs',
  message: `${id} has no mark of this estate, so Setpoint does not change it; adopt it first (metadata: adopt)`,
});
