import { addressNumber } from '../address.ts';

/** A list in other orders: as it is, from its end, and from its second member on. */
export function orders<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length < 2) return [];
  return [list, list.toReversed(), [...list.slice(1), ...list.slice(0, 1)]];
}

/** `10.0.0.1/32` is `10.0.0.1` too. Nothing where the block holds more than one address. */
export function maskless(block: string): readonly string[] {
  const [address = '', mask] = block.split('/');
  return mask === (address.includes(':') ? '128' : '32') ? [block, address] : [];
}

/** `2001:db8::/32` with all its groups, and in capitals: https://www.rfc-editor.org/rfc/rfc4291#section-2.2 */
export function ipv6Forms(block: string): readonly string[] {
  const [address = '', mask] = block.split('/');
  const parsed = addressNumber(address);
  if (parsed?.family !== 'ipv6') return [];
  const groups = Array.from({ length: 8 }, (_, i) => (parsed.number >> BigInt(112 - 16 * i)) & 0xffffn);
  const tail = mask === undefined ? '' : `/${mask}`;
  const short = groups.map((group) => group.toString(16)).join(':');
  const long = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
  return [block, short + tail, long + tail, block.toUpperCase()];
}

/** `80` is `80-80` too. */
export function portForms(port: string): readonly string[] {
  return /^\d+$/.test(port) ? [port, `${port}-${port}`] : [];
}
