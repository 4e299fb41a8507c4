import { type Cidr, formatCidr, parseCidr } from '../../src/core/cidr.ts';

/** Of a network or subnet: the first of its blocks, by family and address, and the others. `cidr` is '' where there is none. */
export interface Blocks {
  readonly cidr: string;
  readonly further: readonly string[];
}

/**
 * The blocks that Azure holds, in canonical text and one order: it has a field for one and a list for several, and lists them in
 * any order. https://learn.microsoft.com/azure/virtual-network/how-to-multiple-prefixes-subnet
 */
export function readBlocks(one: string | undefined, many: readonly string[] | null | undefined): Blocks {
  const blocks = new Map<string, Cidr | undefined>();
  for (const text of [...(one ? [one] : []), ...(many ?? [])]) {
    const block = parseCidr(text);
    blocks.set(block ? formatCidr(block) : text, block);
  }
  const [cidr = '', ...further] = [...blocks].sort(byAddress).map(([text]) => text);
  return { cidr, further };
}

/** For the condition of what has several blocks. */
export const furtherOf = ({ further }: Blocks): { readonly furtherBlocks?: readonly string[] } =>
  further.length === 0 ? {} : { furtherBlocks: further };

type Read = readonly [text: string, block: Cidr | undefined];

function byAddress([textA, a]: Read, [textB, b]: Read): number {
  // why: what is no block comes last
  if (a === undefined) return b === undefined && textA < textB ? -1 : 1;
  if (b === undefined) return -1;
  if (a.family !== b.family) return a.family - b.family;
  return a.base < b.base ? -1 : 1;
}
