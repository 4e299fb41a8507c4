import type { Cidr } from '../cidr.ts';

/** Lists of things by blocks of addresses. */
export interface BlockMap<T> {
  /**
   * Few lists, which together hold exactly what lies in blocks that overlap this one; the same list each time it is met. Two
   * blocks overlap only where one contains the other: those that contain it are looked up, those inside are one run.
   */
  meeting(cidr: Cidr): readonly (readonly T[])[];
  readonly all: readonly T[];
}

type Unite<T> = (lists: readonly (readonly T[])[]) => readonly T[];

/** `unite` makes one list of several. */
export function blockMap<T>(items: readonly { readonly cidr: Cidr; readonly item: T }[], unite: Unite<T>): BlockMap<T> {
  const grouped = Map.groupBy(items, ({ cidr }) => keyOf(cidr));
  const blocks = new Map([...grouped].flatMap(([key, all]) => all.slice(0, 1).map(({ cidr }) => [key, cidr] as const)));
  const sorted = [...blocks].toSorted(([, a], [, b]) => compare(a, b));
  const lists = sorted.map(([key]) => unite((grouped.get(key) ?? []).map(({ item }) => [item])));
  const listAt = new Map(sorted.map(([key], at) => [key, lists[at] ?? []]));
  const prefixes = [...new Set([...blocks.values()].map(({ prefix }) => prefix))];
  const run = runsOf(lists, unite);
  return {
    all: unite(lists),
    meeting: (cidr) => {
      const around = prefixes
        .filter((prefix) => prefix <= cidr.prefix)
        .map((prefix) => listAt.get(keyOf(widened(cidr, prefix))) ?? []);
      const first = firstWhere(sorted, ([, block]) => compare(block, cidr) > 0);
      const end = firstWhere(sorted, ([, block]) => isBehind(block, cidr));
      return [...around, ...run(first, end)].filter(({ length }) => length > 0);
    },
  };
}

const bits = { 4: 32, 6: 128 } as const;
const keyOf = ({ family, prefix, base }: Cidr): string => `${family} ${prefix} ${base}`;

function widened({ family, base }: Cidr, prefix: number): Cidr {
  const host = BigInt(bits[family] - prefix);
  return { family, prefix, base: (base >> host) << host };
}

/** By family, then address, the wider first: what a block contains follows it. */
function compare(a: Cidr, b: Cidr): number {
  if (a.family !== b.family) return a.family - b.family;
  if (a.base !== b.base) return a.base < b.base ? -1 : 1;
  return a.prefix - b.prefix;
}

const isBehind = (block: Cidr, { family, base, prefix }: Cidr): boolean =>
  block.family > family || (block.family === family && block.base >= base + (1n << BigInt(bits[family] - prefix)));

function firstWhere<T>(sorted: readonly T[], holds: (one: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const one = sorted[middle];
    if (one !== undefined && holds(one)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The lists of any run as about 2 log n lists: those of the halves, quarters, … that it is made of. */
function runsOf<T>(lists: readonly (readonly T[])[], unite: Unite<T>) {
  const made = new Map<string, readonly T[]>();
  const whole = (from: number, to: number): readonly T[] => {
    const key = `${from} ${to}`;
    const known = made.get(key) ?? (to - from === 1 ? (lists[from] ?? []) : unite(lists.slice(from, to)));
    made.set(key, known);
    return known;
  };
  return (first: number, end: number): readonly (readonly T[])[] => {
    const found: (readonly T[])[] = [];
    const visit = (from: number, to: number): void => {
      if (to <= first || end <= from || from >= to) return;
      if (first <= from && to <= end) {
        found.push(whole(from, to));
        return;
      }
      const middle = (from + to) >>> 1;
      visit(from, middle);
      visit(middle, to);
    };
    visit(0, lists.length);
    return found;
  };
}
