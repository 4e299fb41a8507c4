import { z } from 'zod';
import { formatCidr, parseCidr } from '../cidr.ts';

const expected = { error: 'an address block with its mask, such as 10.20.0.0/16 or 2001:db8::/32' };

/** An address block; whatever its spelling, the document holds the canonical text. */
export const cidr = () =>
  z
    .string(expected)
    .refine((text) => parseCidr(text) !== undefined, expected)
    .transform(canonical);

function canonical(text: string): string {
  const block = parseCidr(text);
  return block ? formatCidr(block) : text;
}
