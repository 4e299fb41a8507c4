import type { Desired } from '../desired.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Observed } from '../observed.ts';
import type { Address, CloudId } from '../resource.ts';
import type { Claim } from './claim.ts';
import { blocksOf } from './further-blocks.ts';

interface Beside {
  readonly knowledge: Knowledge;
  readonly wanted: { readonly desired: readonly Desired[] };
}

/**
 * Who owns what bears no mark of its own but stands in something that does: an Azure subnet in its network. Networks are
 * claimed before; `claims` holds theirs. A document's subnet is the one of the same network and name that has its block, alone or
 * among others.
 *
 *   its network is   | the store knows                          | claim
 *   -----------------+------------------------------------------+------------------------------------
 *   ours             | this id as settled                       | us, at the settled address
 *   ours             | a pending creation of a document's subnet| us, at that address
 *   ours             | there is no store                        | us, where a document has it
 *   another store's  | –                                        | foreign-store, where a document has it
 *   unrecorded       | –                                        | unrecorded, where a document has it
 *   another estate's | –                                        | other
 *   otherwise        |                                          | nobody
 */
export function claimsByParent(
  present: readonly Observed[],
  claims: ReadonlyMap<CloudId, Claim>,
  { knowledge, wanted }: Beside,
): ReadonlyMap<CloudId, Claim> {
  const children = present.filter(isChild);
  if (children.length === 0) return new Map();
  const wishes = new Map(
    wanted.desired
      .filter(isSubnet)
      .map((one) => [placeOf(one.name, one.attributes.cidr, one.attributes.network), one.address]),
  );
  const pending = new Set(knowledge.pending.filter(({ verb }) => verb === 'create').map(({ address }) => address));
  return new Map(
    children.map((child) => {
      const parent = claims.get(child.signs.parent ?? '') ?? nobody;
      const network = addressOf(parent);
      const places = network === undefined ? [] : blocksOf(child).map((block) => placeOf(child.name, block, network));
      const wish = places.map((place) => wishes.get(place)).find((address) => address !== undefined);
      return [child.id, claimOf(child, { parent, wish, pending, knowledge })];
    }),
  );
}

function addressOf(parent: Claim): Address | undefined {
  switch (parent.by) {
    case 'us':
    case 'foreign-store':
      return parent.address;
    case 'nobody':
      return parent.unrecorded;
    case 'other':
      return undefined;
  }
}

type Subnet = Observed<'subnet'>;
const nobody: Claim = { by: 'nobody', copied: false };

const isSubnet = (one: Desired): one is Desired<'subnet'> => one.kind === 'subnet';
// why: only subnets have a parent
const isChild = (one: Observed): one is Subnet => one.kind === 'subnet' && one.signs.parent !== undefined;

const placeOf = (name: string, block: string, network: Address): string =>
  [network, name.toLowerCase(), block].join(' ');

interface Around {
  readonly parent: Claim;
  /** The address of the document's subnet that it would be. */
  readonly wish: Address | undefined;
  readonly pending: ReadonlySet<Address>;
  readonly knowledge: Knowledge;
}

function claimOf({ id }: Subnet, { parent, wish, pending, knowledge }: Around): Claim {
  switch (parent.by) {
    case 'us': {
      const settled = knowledge.settled.get(id);
      if (settled !== undefined) return { by: 'us', address: settled.address };
      const explained = wish !== undefined && (knowledge.store === undefined || pending.has(wish));
      return explained ? { by: 'us', address: wish } : nobody;
    }
    case 'foreign-store':
      return wish === undefined ? nobody : { by: 'foreign-store', store: parent.store, address: wish };
    case 'other':
      return parent;
    case 'nobody':
      return parent.unrecorded === undefined || wish === undefined
        ? nobody
        : { by: 'nobody', copied: false, unrecorded: wish };
  }
}
