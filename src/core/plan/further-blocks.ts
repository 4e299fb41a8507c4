import type { Finding } from '../action.ts';
import type { Desired } from '../desired.ts';
import type { Observed } from '../observed.ts';

/**
 * Networks and subnets may hold several blocks of addresses where a spec states one. The stated block is the one to compare,
 * in whatever order the cloud lists them; the others are told, and neither changed nor in the way of anything.
 *
 *   wanted | on the cloud | compared | told
 *   -------+--------------+----------+-----
 *   a      | a            | a        | –
 *   a      | b, a         | a        | b
 *   a      | b, c         | b        | c
 */
export function withWantedBlock<O extends Observed>(observed: O, wanted: Desired | undefined): O {
  const { furtherBlocks = [] } = observed.condition;
  const block = wanted && cidrOf(wanted);
  const first = cidrOf(observed);
  if (block === undefined || first === undefined || !furtherBlocks.includes(block)) return observed;
  const others = [first, ...furtherBlocks].filter((each) => each !== block).sort();
  return {
    ...observed,
    attributes: { ...observed.attributes, cidr: block },
    condition: { ...observed.condition, furtherBlocks: others },
  };
}

/** Every block of a network or subnet. */
export function blocksOf(observed: Observed): readonly string[] {
  const cidr = cidrOf(observed);
  return cidr === undefined ? [] : [cidr, ...(observed.condition.furtherBlocks ?? [])];
}

/** One finding for each block that no document states; `id` names the block within the object. */
export function furtherBlockFindings({ address }: Desired, observed: Observed, scope: string): readonly Finding[] {
  const { kind, id, condition } = observed;
  return (condition.furtherBlocks ?? []).map((block) => ({
    type: 'unmanaged',
    kind,
    id: `${id}/${block}`,
    name: block,
    of: address,
    why: `${address} also has the address block ${block}, which no document states. Nothing else waits for it, and it stays as it is.`,
    scope,
  }));
}

function cidrOf({ kind, attributes }: Pick<Observed, 'kind' | 'attributes'>): string | undefined {
  return (kind === 'network' || kind === 'subnet') && 'cidr' in attributes ? attributes.cidr : undefined;
}
