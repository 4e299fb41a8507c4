/** A block of addresses. `base` is its first address as a number, host bits always clear, so equal blocks are equal data. */
export interface Cidr {
  readonly family: 4 | 6;
  readonly base: bigint;
  readonly prefix: number;
}

/**
 * Reads `10.0.0.0/8` or `2001:db8::/32`. Host bits are cleared, as the clouds do. Answers undefined for everything that
 * is not exactly that: no mask, blanks, octets with leading zeros (some readers take them for octal), zone ids.
 */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0 || text.length > LONGEST) return undefined;
  const address = text.slice(0, slash);
  const family = address.includes(':') ? 6 : 4;
  const value = family === 6 ? parseV6(address) : parseV4(address);
  const prefix = parseDecimal(text.slice(slash + 1), BITS[family]);
  if (value === undefined || prefix === undefined) return undefined;
  const host = BigInt(BITS[family] - prefix);
  return { family, base: (value >> host) << host, prefix };
}

/** The same, or a bare address as the block of one. */
export const parseBlock = (text: string): Cidr | undefined =>
  parseCidr(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);

/** The canonical text: dotted for IPv4, RFC 5952 (https://www.rfc-editor.org/rfc/rfc5952) for IPv6. */
export function formatCidr(cidr: Cidr): string {
  const address = cidr.family === 4 ? formatV4(Number(cidr.base)) : formatV6(cidr.base);
  return `${address}/${cidr.prefix}`;
}

/** True where every address of `inner` is in `outer`. A block contains itself. */
export function containsCidr(outer: Cidr, inner: Cidr): boolean {
  if (outer.family !== inner.family || inner.prefix < outer.prefix) return false;
  const host = BigInt(BITS[outer.family] - outer.prefix);
  return inner.base >> host === outer.base >> host;
}

/** True where some address is in both: two blocks overlap only when one contains the other. */
export const overlapsCidr = (a: Cidr, b: Cidr): boolean => containsCidr(a, b) || containsCidr(b, a);

const BITS = { 4: 32, 6: 128 } as const;
/** `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128` */
const LONGEST = 49;
const MAPPED = 0xffffn;

function parseDecimal(text: string, max: number): number | undefined {
  if (!/^(0|[1-9]\d{0,2})$/.test(text)) return undefined;
  const value = Number(text);
  return value <= max ? value : undefined;
}

function parseV4(text: string): bigint | undefined {
  const octets = text.split('.');
  if (octets.length !== 4) return undefined;
  let value = 0;
  for (const text of octets) {
    const octet = parseDecimal(text, 255);
    if (octet === undefined) return undefined;
    value = value * 256 + octet;
  }
  return BigInt(value);
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '');
  const tail = parseGroups(halves[1] ?? '');
  if (head === undefined || tail === undefined) return undefined;
  if (halves.length === 2 && (halves[0] ?? '').includes('.')) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array<number>(missing).fill(0), ...tail];
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

/** 16-bit groups of one side of `::`; the last may be a dotted IPv4 address, which is two groups. */
function parseGroups(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const v4 = index === parts.length - 1 ? parseV4(part) : undefined;
    if (v4 === undefined) return undefined;
    groups.push(Number(v4 >> 16n), Number(v4 & 0xffffn));
  }
  return groups;
}

function formatV4(value: number): string {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');
}

function formatV6(value: bigint): string {
  if (value >> 32n === MAPPED) return `::ffff:${formatV4(Number(value & 0xffffffffn))}`;
  const groups = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(112 - 16 * i)) & 0xffffn));
  const zeros = longestZeros(groups);
  const hex = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  return zeros.length < 2 ? hex(0, 8) : `${hex(0, zeros.start)}::${hex(zeros.start + zeros.length, 8)}`;
}

/** The first of the longest runs of zero groups: the one that `::` stands for. */
function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}
