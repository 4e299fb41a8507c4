import { type Cidr, containsCidr, formatCidr, parseCidr } from '../cidr.ts';

const bits = { 4: 32, 6: 128 } as const;

const keyOf = ({ family, prefix, base }: Cidr): string => `${family} ${prefix} ${base}`;

function widened({ family, base }: Cidr, prefix: number): Cidr {
  const host = BigInt(bits[family] - prefix);
  return { family, prefix, base: (base >> host) << host };
}

/** Finds the narrowest of the blocks that contains a block: what is in the same one is the same to all who name only these blocks. */
export function narrowestOf(blocks: readonly Cidr[]): (block: Cidr) => string {
  const known = new Set(blocks.map(keyOf));
  const prefixes = {
    4: [...new Set(blocks.filter(({ family }) => family === 4).map(({ prefix }) => prefix))].toSorted((a, b) => b - a),
    6: [...new Set(blocks.filter(({ family }) => family === 6).map(({ prefix }) => prefix))].toSorted((a, b) => b - a),
  };
  return (block) => {
    for (const prefix of prefixes[block.family]) {
      if (prefix > block.prefix) continue;
      const key = keyOf(widened(block, prefix));
      if (known.has(key)) return key;
    }
    return '';
  };
}

/** A part of the address space in which no rule tells two addresses apart: a block without the narrower ones in it. */
export interface Region {
  readonly block: Cidr;
  readonly text: string;
  /** Positions of the regions around it, the narrowest first. */
  readonly within: readonly number[];
}

const everyV4 = parseCidr('0.0.0.0/0');
const everyV6 = parseCidr('::/0');

/**
 * Cuts the world at these blocks, wide regions first. Left out: what lies in `inside`, and what the narrower blocks cover. IPv6 is part
 * of the world only where asked for.
 */
export function regionsOf(
  blocks: readonly Cidr[],
  { inside, withV6 }: { readonly inside: readonly Cidr[]; readonly withV6: boolean },
): readonly Region[] {
  const whole = [everyV4, withV6 ? everyV6 : undefined].flatMap((one) => one ?? []);
  const asked = [...whole, ...blocks.filter(({ family }) => family === 4 || withV6)];
  const nodes = treeOf(asked, inside);
  const open = nodes
    .filter((node) => !node.isInside && node.covered < sizeOf(node.block))
    .toSorted((a, b) => a.block.prefix - b.block.prefix);
  const positions = new Map(open.map((node, at) => [node, at]));
  return open.map((node) => ({
    block: node.block,
    text: formatCidr(node.block),
    within: around(node).flatMap((one) => positions.get(one) ?? []),
  }));
}

/** `covered`: addresses in the blocks directly below it. */
interface Node {
  readonly block: Cidr;
  readonly isInside: boolean;
  readonly parent: Node | undefined;
  covered: bigint;
}

const sizeOf = ({ family, prefix }: Cidr): bigint => 1n << BigInt(bits[family] - prefix);

/** Sorted by their first address, a block follows those that contain it. */
function treeOf(asked: readonly Cidr[], inside: readonly Cidr[]): readonly Node[] {
  const own = new Set(inside.map(keyOf));
  const sorted = [...new Map([...asked, ...inside].map((one) => [keyOf(one), one])).values()].toSorted(byPlace);
  const nodes: Node[] = [];
  let last: Node | undefined;
  for (const block of sorted) {
    let parent = last;
    while (parent !== undefined && !containsCidr(parent.block, block)) parent = parent.parent;
    const node: Node = { block, isInside: own.has(keyOf(block)) || (parent?.isInside ?? false), parent, covered: 0n };
    if (parent !== undefined) parent.covered += sizeOf(block);
    nodes.push(node);
    last = node;
  }
  return nodes;
}

function byPlace(a: Cidr, b: Cidr): number {
  if (a.family !== b.family) return a.family - b.family;
  if (a.base !== b.base) return a.base < b.base ? -1 : 1;
  return a.prefix - b.prefix;
}

function around({ parent }: Node): readonly Node[] {
  const found: Node[] = [];
  for (let one = parent; one !== undefined; one = one.parent) found.push(one);
  return found;
}
