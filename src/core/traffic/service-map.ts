import type { PortRange } from '../port-set.ts';
import type { Service } from './flow.ts';

/** Services by what they have in common. */
export interface ServiceMap {
  /** Keys of those that share a protocol and a port with this one; undefined where they are more than `most`. */
  meeting(service: Service, most: number): readonly string[] | undefined;
}

interface Span extends PortRange {
  readonly key: string;
}

export function serviceMap(services: readonly Service[]): ServiceMap {
  const spans = new Map<string, Map<string, Span>>();
  for (const { key, protocol, ranges } of services) {
    const known = spans.get(protocol) ?? new Map<string, Span>();
    for (const range of ranges) known.set(`${key} ${range.from}`, { ...range, key });
    spans.set(protocol, known);
  }
  const lookups = new Map([...spans].map(([protocol, all]) => [protocol, spansOf([...all.values()])]));
  return {
    meeting: ({ protocol, ranges }, most) => {
      const met = new Set<string>();
      const protocols = protocol === 'all' ? lookups.keys() : new Set([protocol, 'all']);
      for (const one of protocols) {
        // why: what speaks of every protocol, or is of every protocol, has no ports
        const asked = one === protocol ? ranges : [{ from: 0, to: 65_535 }];
        for (const range of asked) lookups.get(one)?.(range, met, most);
        if (met.size > most) return undefined;
      }
      return [...met];
    },
  };
}

/** Adds the keys of the spans that overlap a range to `met`, and stops once these are more than `most`. */
function spansOf(all: readonly Span[]) {
  const sorted = all.toSorted((a, b) => a.from - b.from || a.to - b.to);
  let furthest = -1;
  const reach = sorted.map(({ to }) => (furthest = Math.max(furthest, to)));
  return ({ from, to }: PortRange, met: Set<string>, most: number): void => {
    for (let at = lastFrom(sorted, to); at >= 0 && (reach[at] ?? -1) >= from && met.size <= most; at -= 1) {
      const span = sorted[at];
      if (span !== undefined && span.to >= from) met.add(span.key);
    }
  };
}

function lastFrom(sorted: readonly Span[], to: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.from ?? 0) <= to) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
