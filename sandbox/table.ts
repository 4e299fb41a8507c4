import type { Lag } from './lag.ts';

interface Row<T> {
  readonly seq: number;
  current: T | undefined;
  readonly createdAt: number;
  /** Old records that lagging reads may still see, oldest first. The write at `until` replaced each. */
  past: { readonly until: number; readonly was: T | undefined }[];
}

export interface Seen<T> {
  readonly seq: number;
  readonly record: T;
}

/**
 * Records of one type in one account and region, in order of creation. Records are never changed, only replaced.
 * `get`, `values` and `of` are the cloud's own truth; `see`, `seen` and `seenOf` are what a reader is told, lag and all.
 */
export class Table<T extends { readonly id: string }> {
  readonly #rows = new Map<string, Row<T>>();
  readonly #index = new Map<string, Set<string>>();
  /** The records that refer, or once referred, to a key. */
  readonly #referring = new Map<string, Set<string>>();
  readonly #lag: Lag;
  readonly #parent: (record: T) => string;
  readonly #references: (record: T) => readonly string[];
  #seq = 0;

  /**
   * `parent` is what `of` looks up by; only another record, under an id that was removed, may have another one.
   * `references` are what `referring` looks up by, and may change.
   */
  constructor(
    lag: Lag,
    parent: (record: T) => string = () => '',
    references: (record: T) => readonly string[] = () => [],
  ) {
    this.#lag = lag;
    this.#parent = parent;
    this.#references = references;
  }

  get(id: string): T | undefined {
    return this.#rows.get(id)?.current;
  }

  put(record: T): T {
    const now = this.#lag.now();
    const row = this.#rows.get(record.id);
    for (const key of this.#references(record)) this.#refer(key, record.id);
    if (row) {
      this.#remember(row, now);
      row.current = record;
      this.#file(record);
      return record;
    }
    const known = this.#lag.settled(now);
    const past = known ? [] : [{ until: now, was: undefined }];
    this.#rows.set(record.id, {
      seq: ++this.#seq,
      current: record,
      createdAt: known ? Number.NEGATIVE_INFINITY : now,
      past,
    });
    this.#file(record);
    return record;
  }

  remove(id: string): void {
    const row = this.#rows.get(id);
    if (!row?.current) return;
    const { current } = row;
    this.#remember(row, this.#lag.now());
    row.current = undefined;
    if (row.past.length === 0) this.#forget(id, current);
  }

  *values(): Generator<T> {
    for (const { current } of this.#rows.values()) if (current) yield current;
  }

  *of(parent: string): Generator<T> {
    for (const id of this.#index.get(parent) ?? []) {
      const record = this.get(id);
      if (record && this.#parent(record) === parent) yield record;
    }
  }

  /** The records that refer to a key, in the order in which they first did. */
  *referring(key: string): Generator<T> {
    const ids = this.#referring.get(key);
    for (const id of [...(ids ?? [])]) {
      const record = this.get(id);
      if (record && this.#references(record).includes(key)) yield record;
      else ids?.delete(id);
    }
  }

  see(id: string): T | undefined {
    const row = this.#rows.get(id);
    return row && this.#look(id, row);
  }

  *seen(): Generator<Seen<T>> {
    for (const [id, row] of this.#rows) {
      const record = this.#look(id, row);
      if (record) yield { seq: row.seq, record };
    }
  }

  *seenOf(parent: string): Generator<T> {
    for (const id of [...(this.#index.get(parent) ?? [])]) {
      const record = this.see(id);
      if (record && this.#parent(record) === parent) yield record;
    }
  }

  /** The record for a write: the truth, but a write may come before the cloud knows what was just created. */
  target(id: string): T | undefined {
    const row = this.#rows.get(id);
    return row?.current && this.#lag.sees(row.createdAt) ? row.current : undefined;
  }

  get size(): number {
    return this.#rows.size;
  }

  #refer(key: string, id: string): void {
    const ids = this.#referring.get(key);
    if (ids) ids.add(id);
    else this.#referring.set(key, new Set([id]));
  }

  #look(id: string, row: Row<T>): T | undefined {
    if (row.past.length === 0) return row.current;
    row.past = row.past.filter((version) => !this.#lag.settled(version.until));
    if (row.past.length === 0 && !row.current) this.#forget(id);
    for (let i = row.past.length - 1, newer = row.current; i >= 0; i--) {
      const version = row.past[i];
      if (!version || this.#lag.sees(version.until)) return newer;
      newer = version.was;
      if (i === 0) return newer;
    }
    return row.current;
  }

  #file(record: T): void {
    const parent = this.#parent(record);
    const siblings = this.#index.get(parent);
    if (siblings) siblings.add(record.id);
    else this.#index.set(parent, new Set([record.id]));
  }

  #remember(row: Row<T>, now: number): void {
    row.past = row.past.filter((version) => !this.#lag.settled(version.until));
    if (!this.#lag.settled(now)) row.past.push({ until: now, was: row.current });
  }

  #forget(id: string, last?: T): void {
    this.#rows.delete(id);
    if (last) this.#index.get(this.#parent(last))?.delete(id);
    else for (const siblings of this.#index.values()) siblings.delete(id);
  }
}
