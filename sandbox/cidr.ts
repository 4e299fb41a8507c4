import ipaddr from 'ipaddr.js';

/** The address as a number, to be compared with a block's `first` and `last`. Undefined when it is no address. */
export function addressNumber(
  value: string,
): { readonly family: 'ipv4' | 'ipv6'; readonly number: bigint } | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(value))
    return { family: 'ipv4', number: bytesNumber(ipaddr.IPv4.parse(value).toByteArray()) };
  if (ipaddr.IPv6.isValid(value))
    return { family: 'ipv6', number: bytesNumber(ipaddr.IPv6.parse(value).toByteArray()) };
  return undefined;
}

/** Canonical: IPv6 compressed and in lower case. */
export function addressText(value: bigint, family: 'ipv4' | 'ipv6'): string {
  const bytes = family === 'ipv4' ? 4 : 16;
  const parts = Array.from({ length: bytes }, (_, i) => Number((value >> BigInt((bytes - 1 - i) * 8)) & 0xffn));
  return family === 'ipv4' ? parts.join('.') : new ipaddr.IPv6(parts).toRFC5952String();
}

function bytesNumber(bytes: readonly number[]): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

export interface Cidr {
  readonly family: 'ipv4' | 'ipv6';
  /** Canonical: host bits cleared, IPv6 compressed and in lower case. */
  readonly text: string;
  readonly prefix: number;
  readonly first: bigint;
  readonly last: bigint;
}

/** Host bits are cleared, as EC2 does: `100.68.0.18/18` is `100.68.0.0/18`. A bare address is none. Undefined when it is no CIDR. */
export function parseCidr(value: string, family: 'ipv4' | 'ipv6'): Cidr | undefined {
  const [address, prefix, ...rest] = value.split('/');
  if (!address || !prefix || rest.length > 0 || !/^\d{1,3}$/.test(prefix)) return undefined;
  return family === 'ipv4' ? parseV4(address, Number(prefix)) : parseV6(address, Number(prefix));
}

/** True where the address lies in the block, which is of this family. */
export function isWithin(address: string, cidr: string, family: 'ipv4' | 'ipv6'): boolean {
  const block = parseCidr(cidr, family);
  const parsed = addressNumber(address);
  return (
    block !== undefined && parsed?.family === family && block.first <= parsed.number && parsed.number <= block.last
  );
}

export function contains(outer: Cidr, inner: Cidr): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;
}

export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

function parseV4(address: string, prefix: number): Cidr | undefined {
  if (prefix > 32 || !ipaddr.IPv4.isValidFourPartDecimal(address)) return undefined;
  const network = ipaddr.IPv4.networkAddressFromCIDR(`${ipaddr.IPv4.parse(address).toString()}/${prefix}`);
  return block('ipv4', network.toByteArray(), prefix);
}

function parseV6(address: string, prefix: number): Cidr | undefined {
  if (prefix > 128 || address.includes('%') || !ipaddr.IPv6.isValid(address)) return undefined;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${ipaddr.IPv6.parse(address).toString()}/${prefix}`);
  return block('ipv6', network.toByteArray(), prefix);
}

function block(family: 'ipv4' | 'ipv6', network: number[], prefix: number): Cidr {
  const first = bytesNumber(network);
  const hostBits = BigInt((family === 'ipv4' ? 32 : 128) - prefix);
  return {
    family,
    text: `${addressText(first, family)}/${prefix}`,
    prefix,
    first,
    last: first + (1n << hostBits) - 1n,
  };
}

const blocks = new WeakMap<object, Cidr | undefined>();

/** The IPv4 block of a record, parsed once per record. */
export function blockOf(holder: { readonly cidr: string }): Cidr | undefined {
  if (!blocks.has(holder)) blocks.set(holder, parseCidr(holder.cidr, 'ipv4'));
  return blocks.get(holder);
}
