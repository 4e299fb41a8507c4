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

export function bytesNumber(bytes: readonly number[]): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
