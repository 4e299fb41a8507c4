/** Ports from `from` to `to`, both included. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads `443`, `"443"` or `"8000-8100"` and merges what it reads, so equal sets of ports are equal data. Answers
 * undefined if one item is not a port (0 to 65535) or an ascending range.
 */
export function parsePorts(items: readonly (string | number)[]): readonly PortRange[] | undefined {
  const ranges: PortRange[] = [];
  for (const item of items) {
    const range = parseRange(String(item));
    if (range === undefined) return undefined;
    ranges.push(range);
  }
  return mergePorts(ranges);
}

/** The same set in its one canonical form: ascending, and neither overlapping nor touching. */
export function mergePorts(ranges: readonly PortRange[]): readonly PortRange[] {
  const merged: PortRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = merged.at(-1);
    if (last && range.from <= last.to + 1)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else merged.push({ from: range.from, to: range.to });
  }
  return merged;
}

/** The ports in `ranges` and not in `taken`, canonical. */
export function subtractPorts(ranges: readonly PortRange[], taken: readonly PortRange[]): readonly PortRange[] {
  let rest = mergePorts(ranges);
  for (const { from, to } of taken) {
    rest = rest.flatMap((range) => [
      ...(range.from < from ? [{ from: range.from, to: Math.min(range.to, from - 1) }] : []),
      ...(range.to > to ? [{ from: Math.max(range.from, to + 1), to: range.to }] : []),
    ]);
  }
  return rest;
}

/** True where every port of `inner` is in `outer`. */
export const coversPorts = (outer: readonly PortRange[], inner: readonly PortRange[]): boolean =>
  subtractPorts(inner, outer).length === 0;

function parseRange(text: string): PortRange | undefined {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text);
  if (!match) return undefined;
  const from = Number(match[1]);
  const to = Number(match[2] ?? match[1]);
  return from <= to && to <= 65535 ? { from, to } : undefined;
}

/** `443`, or `8000-8100`. */
export const formatPort = (range: PortRange): string =>
  range.from === range.to ? `${range.from}` : `${range.from}-${range.to}`;
