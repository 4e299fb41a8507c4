import type { Random } from './random.ts';

/** The objects of one type: as they are, and as a reader gets to see them while writes are still spreading. */
export interface Table<R extends { readonly id: string }> {
  get(id: string): R | undefined;
  /** All that exist, in the order of their making. */
  all(): readonly R[];
  put(record: R): void;
  drop(id: string): void;
  /** One reader's view: of each object, its state some time ago, at most `staleMs`. New ones may miss, dropped ones linger. */
  seen(reader: Reader): readonly R[];
}

export interface Reader {
  readonly staleMs: number;
  readonly random: Random;
}

interface Version<R> {
  readonly at: number;
  /** Absent: dropped. */
  readonly record: R | undefined;
}

/** Versions kept of each object: more changes than this within the lag look like fewer. */
const KEPT = 8;

/** `changed` hears of every write, with the record before and after it. */
export function makeTable<R extends { readonly id: string }>(
  now: () => number,
  changed: (id: string, before: R | undefined, after: R | undefined) => void,
): Table<R> {
  const versions = new Map<string, readonly Version<R>[]>();
  const write = (id: string, record: R | undefined): void => {
    changed(id, current(id), record);
    versions.set(id, [...(versions.get(id) ?? []).slice(1 - KEPT), { at: now(), record }]);
  };
  const current = (id: string): R | undefined => versions.get(id)?.at(-1)?.record;

  const seen = ({ staleMs, random }: Reader): readonly R[] =>
    [...versions].flatMap(([id, known]) => {
      const settled = (known.at(-1)?.at ?? 0) <= now() - staleMs;
      const record = settled ? current(id) : recordAt(known, now() - random() * staleMs);
      if (settled && !record) versions.delete(id);
      return record ?? [];
    });

  return {
    get: current,
    all: () => [...versions.keys()].flatMap((id) => current(id) ?? []),
    put: (record) => write(record.id, record),
    drop: (id) => write(id, undefined),
    seen,
  };
}

const recordAt = <R>(known: readonly Version<R>[], at: number): R | undefined =>
  known.findLast((version) => version.at <= at)?.record;
