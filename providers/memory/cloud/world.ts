import { Refusal } from './refusal.ts';
import type { Table } from './table.ts';
import { type Change, makeTables, type Tables } from './tables.ts';

/** All that stands in the cloud. */
export interface World {
  readonly tables: Tables;
  /** By token. */
  readonly launches: Map<string, Launch>;
  /** Images and sizes that are not there; every other one is. */
  readonly withdrawn: Set<string>;
  readonly quotas: Quotas;
  /** Images whose machines are ended so many ms after their launch. */
  readonly broken: Map<string, number>;
  now(): number;
  /** A new id, never used before: `net-000001`. Ids rise with time. */
  nextId(prefix: IdPrefix): string;
}

/** The request of a used token: the same request gets the same answer, any other request is refused. */
interface Launch {
  readonly asked: string;
  readonly ids: readonly string[];
}

/** `rulesPerGroup`: in each direction. */
export interface Quotas {
  readonly rulesPerGroup: number;
}

type IdPrefix = 'net' | 'gw' | 'rt' | 'sub' | 'grp' | 'rul' | 'ins';

export function makeWorld(now: () => number, quotas: Quotas, changed: (change: Change) => void): World {
  let last = 0;
  return {
    tables: makeTables(now, changed),
    launches: new Map(),
    withdrawn: new Set(),
    quotas,
    broken: new Map(),
    now,
    nextId: (prefix) => `${prefix}-${String(++last).padStart(6, '0')}`,
  };
}

/** The record, or the refusal that there is none. */
export function must<R extends { readonly id: string }>(table: Table<R>, id: string): R {
  const record = table.get(id);
  if (!record) throw new Refusal('NotFound', `there is no ${id}`);
  return record;
}
