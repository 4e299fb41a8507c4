import { containsCidr, overlapsCidr, parseCidr } from './cidr.ts';

const everyV6 = parseCidr('2000::/3');

/**
 * Nobody is given a block wider than /8 of IPv4 (https://www.iana.org/assignments/ipv4-address-space) or /12 of IPv6
 * (https://www.iana.org/assignments/ipv6-unicast-address-assignments): a wider one is half of the world, if not all of it.
 */
export function isAnyone(peer: string): boolean {
  if (/^service-tag:internet$/i.test(peer)) return true;
  const block = parseCidr(peer);
  if (block === undefined || everyV6 === undefined) return false;
  if (block.family === 4) return block.prefix < 8;
  return block.prefix < 12 && (containsCidr(block, everyV6) || overlapsCidr(block, everyV6));
}
