import { formatCidr, parseCidr } from '../../src/core/cidr.ts';

/** The canonical text of a block that the cloud reports; accounts from before AWS canonicalised hold others. */
export function canonicalCidr(text: string): string {
  const cidr = parseCidr(text);
  return cidr === undefined ? text : formatCidr(cidr);
}
