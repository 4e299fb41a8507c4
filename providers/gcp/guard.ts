import type { Failure } from '../../src/core/failure.ts';
import type { Mark, Observed } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { isSameOwner } from './marks.ts';

/** Undefined: the mark on it is the one that it was seen with, or there was none and is none. */
export function notAsSeen(id: CloudId, seen: Mark | undefined, now: Mark | undefined): Failure | undefined {
  if (isSameOwner(seen, now) || (seen === undefined && now === undefined)) return undefined;
  const message = `${id} is marked otherwise by now than it was seen; it is left alone until it is looked at again`;
  return { kind: 'conflict', code: 'MarkChanged', message };
}

interface Rewriting {
  readonly observed: Observed;
  /** That which this very write puts on it. */
  readonly mark?: Mark;
}

/** Only what is marked as it was seen is written, or as an earlier try of this write left it; or what is adopted by it. */
export function notToWrite({ observed, mark }: Rewriting, now: Mark | undefined): Failure | undefined {
  if (isSameOwner(mark, now)) return undefined;
  return notAsSeen(observed.id, observed.signs.mark, now) ?? (now || mark ? undefined : unmarked(observed.id));
}

export const unmarked = (id: CloudId): Failure => ({
  kind: 'terminal',
  code: 'NotOurs',
  message: `${id} bears no mark of ours, so it is not touched; adopt it first (metadata: adopt)`,
});
