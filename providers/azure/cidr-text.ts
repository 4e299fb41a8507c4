import { formatCidr, parseCidr } from '../../src/core/cidr.ts';

/** Blocks as one text, the plainest that says them: Azure has a field for one and a list for several of one and the same. */
export function canonicalCidrs(one: string | undefined, many: readonly string[] | undefined): string {
  const blocks = [...(one ? [one] : []), ...(many ?? [])].map((text) => {
    const block = parseCidr(text);
    return block ? formatCidr(block) : text;
  });
  return [...new Set(blocks)].join(',');
}
