import { atomAddress } from '../compile/atom-address.ts';
import type { Desired } from '../desired.ts';
import { refsOf, rulesOf } from '../kinds/kinds.ts';
import type { Gap, Observed, UnknownRegion } from '../observed.ts';
import { type Address, type CloudId, type Kind, prefixIn } from '../resource.ts';
import { recreatedMachines } from '../unfinished-replacements.ts';
import { type Claimed, isHalfMade } from './claim.ts';
import type { PlanInput } from './plan-input.ts';

/** The input, indexed once. */
export interface World {
  readonly input: PlanInput;
  readonly claimed: readonly Claimed[];
  readonly ours: ReadonlyMap<Address, readonly Claimed[]>;
  readonly byId: ReadonlyMap<CloudId, Claimed>;
  /** Every wanted address. */
  readonly addresses: ReadonlySet<Address>;
  readonly pending: ReadonlySet<Address>;
  /** Objects that a record of this store may have been lost of, by the address in their mark. */
  readonly unrecorded: ReadonlyMap<Address, Claimed>;
  /** Objects that documents adopt, and the addresses that they get. */
  readonly adopted: ReadonlyMap<CloudId, Address>;
  /** Rules in containers that a document adopts, by the address that they get with their container. */
  readonly adoptedRules: ReadonlyMap<Address, Observed>;
  /** Addresses of machines that Setpoint deleted, and is to launch again: see `recreatedMachines`. */
  readonly recreated: ReadonlySet<Address>;
  readonly indexes: WorldIndexes;
  /** False where all drift is healed: see `hasRemediations`. */
  readonly hasRemediations: boolean;
}

export function worldOf(input: PlanInput, claimed: readonly Claimed[]): World {
  const ours = new Map<Address, Claimed[]>();
  for (const one of claimed) {
    if (one.claim.by !== 'us' || one.claim.deleted) continue;
    const twins = ours.get(one.claim.address);
    if (twins === undefined) ours.set(one.claim.address, [one]);
    else twins.push(one);
  }
  const byId = new Map(claimed.map((one) => [one.observed.id, one]));
  const adopted = adoptedIn(input, byId);
  return {
    input,
    claimed,
    ours,
    byId,
    addresses: new Set(input.wanted.desired.map(({ address }) => address)),
    pending: pendingAddresses(input),
    unrecorded: new Map(claimed.filter(isUnrecorded).map((one) => [one.claim.unrecorded, one])),
    adopted,
    adoptedRules: rulesOfAdopted(claimed, adopted, input.dialect),
    recreated: new Set(recreatedMachines(input.knowledge).values()),
    indexes: indexesOf(input, claimed),
    hasRemediations: hasRemediations(input),
  };
}

/** Indexes that few resources ask for: each is made when the first one does. */
interface WorldIndexes {
  /**
   * The resources by name, where a cloud keeps names unique: also one of ours that was renamed and kept its name there. Parts without
   * their machine give way to a machine of that name.
   */
  slots(): ReadonlyMap<string, Claimed>;
  /** Subnets and groups by their network: only these can clash otherwise. See `placeOf`. */
  clashing(): ReadonlyMap<string, readonly Claimed[]>;
  /** Objects of other owners by the addresses in their marks and in this store. */
  strayed(): ReadonlyMap<Address, Claimed>;
  /** Settled ids by their addresses. */
  settledIds(): ReadonlyMap<Address, readonly CloudId[]>;
}

const indexesOf = ({ knowledge }: PlanInput, claimed: readonly Claimed[]): WorldIndexes => ({
  slots: lazy(() => {
    const isPart = ({ observed }: Claimed): boolean => isHalfMade(observed);
    const [parts, whole] = [claimed.filter(isPart), claimed.filter((one) => !isPart(one))];
    return new Map(
      [...parts, ...whole].flatMap((one) => {
        const { slot } = one.observed.signs;
        return slot === undefined ? [] : [[slot, one] as const];
      }),
    );
  }),
  clashing: lazy(() => {
    const able = claimed.filter(({ observed: { kind } }) => kind === 'subnet' || kind === 'group');
    return Map.groupBy(able, ({ observed }) => placeOf(observed));
  }),
  strayed: lazy(() => {
    const others = claimed.filter(
      ({ claim, observed }) => claim.by === 'other' && observed.signs.container === undefined,
    );
    return new Map(
      others.flatMap((one) => {
        const { id, signs } = one.observed;
        const addresses = [knowledge.settled.get(id)?.address, signs.mark?.address];
        return addresses.flatMap((address) => (address === undefined ? [] : [[address, one] as const]));
      }),
    );
  }),
  settledIds: lazy(() => {
    const byAddress = Map.groupBy(knowledge.settled, ([, { address }]) => address);
    return new Map([...byAddress].map(([address, those]) => [address, those.map(([id]) => id)]));
  }),
});

/** The network of a subnet or a group, with its kind. */
export const placeOf = ({ kind, attributes }: Pick<Desired, 'kind' | 'attributes'>): string =>
  `${kind} ${refsOf(kind, attributes)[0] ?? ''}`;

function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** False in estates that use none, whose plans are not to pay for it. */
export function hasRemediations({ wanted, choices = {} }: Pick<PlanInput, 'wanted' | 'choices'>): boolean {
  if (choices.remediationBefore !== undefined) return true;
  for (const { remediation } of wanted.documents.values()) if (remediation !== undefined) return true;
  return false;
}

/** Only an object of the document's kind that nobody claims is adopted. */
function adoptedIn({ wanted }: PlanInput, byId: World['byId']): ReadonlyMap<CloudId, Address> {
  return new Map(
    wanted.desired.flatMap(({ address, kind, terms }) => {
      const found = byId.get(terms.claim?.adopt ?? '');
      return found?.claim.by === 'nobody' && found.observed.kind === kind
        ? [[found.observed.id, address] as const]
        : [];
    }),
  );
}

/** The observed resource after all adoptions: a subnet lies in its network then. */
export function withAdoptedRefs<O extends Observed>(observed: O, { adopted }: Pick<World, 'adopted'>): O {
  const attributes = rulesOf(observed.kind).mapRefs(observed.attributes, (ref) => adopted.get(ref) ?? ref);
  return { ...observed, attributes };
}

/** Rules get the addresses that they will have as ours. */
function rulesOfAdopted(
  claimed: readonly Claimed[],
  adopted: World['adopted'],
  dialect: PlanInput['dialect'],
): ReadonlyMap<Address, Observed> {
  if (adopted.size === 0) return new Map();
  return new Map(
    claimed.flatMap(({ observed }) => {
      const container = adopted.get(observed.signs.container ?? '');
      if (container === undefined) return [];
      // why: only rules have a container
      const rule = withAdoptedRefs(observed, { adopted }) as Observed<'firewall-rule'>;
      return [[atomAddress(dialect, container, rule), rule] as const];
    }),
  );
}

/** An object that carries this store's mark and an unrecorded intent: see lost-commits.ts. */
export interface Unrecorded extends Claimed {
  readonly claim: Extract<Claimed['claim'], { readonly by: 'nobody' }> & { readonly unrecorded: Address };
}

/** Rules in a container go with it, and bear no mark of their own. */
export const isUnrecorded = (one: Claimed): one is Unrecorded =>
  one.claim.by === 'nobody' && one.claim.unrecorded !== undefined && one.observed.signs.container === undefined;

/** The gap that kept this kind from being listed completely, if any. */
export const gapOf = ({ input }: World, kind: Kind): Gap | undefined =>
  input.observation.gaps.find((gap) => gap.kind === kind);

/** The region that a resource is wanted in, or in a zone of, where the cloud does not have it. */
export function unknownRegionOf({ input }: World, { kind, address }: Desired): UnknownRegion | undefined {
  const { unknownRegions = [] } = input.observation;
  if (unknownRegions.length === 0) return undefined;
  const [, , place = ''] = prefixIn(address, kind).split('/');
  return unknownRegions.find(({ region }) => place === region || place.startsWith(`${region}-`));
}

/** Creations that may have happened, and settled objects that a listing missed too soon after their last write. */
function pendingAddresses({ knowledge, observation }: PlanInput): ReadonlySet<Address> {
  const unseen = observation.pending.flatMap((id) => knowledge.settled.get(id)?.address ?? []);
  return new Set([
    ...knowledge.pending.filter(({ verb }) => verb === 'create').map(({ address }) => address),
    ...unseen,
  ]);
}
