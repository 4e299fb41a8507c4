import type { Action, Finding } from '../action.ts';
import { parseCidr } from '../cidr.ts';
import { atomAddress } from '../compile/atom-address.ts';
import type { Dialect } from '../compile/dialect.ts';
import { type Desired, isAdoptedRule, settingsOf } from '../desired.ts';
import { rulesOf } from '../kinds/kinds.ts';
import { blockSettings } from '../kinds/network.ts';
import type { Ended, Knowledge, Settled } from '../knowledge.ts';
import type { AddressedMark, Mark, Observation, Observed } from '../observed.ts';
import { type Address, type CloudId, nameIn, prefixIn, type Ref, slotOf } from '../resource.ts';
import { recreatedMachines } from '../unfinished-replacements.ts';

/**
 * The owner of an observed resource.
 *
 *   mark             | the store knows                  | claim
 *   -----------------+----------------------------------+----------------------------------------------
 *   this store, none | this id as settled               | us, at the settled address
 *   ours, other store| this id, taken over from there   | us, at the settled address
 *   ours, this store | a pending intent with its name   | us, at the mark's address
 *   ours, this store | neither, but it holds nothing, an intent that never showed has its name, and the network that was
 *                    | made in its place is settled     | us, at the mark's address: a twin
 *   ours, this store | neither                          | nobody: a copied mark
 *   ours, this store | nor any record of its intent     | nobody: unrecorded, see lost-commits.ts
 *   ours, this store | that it let go of this id        | us: see `endedAs`
 *   ours             | there is no store                | us: the mark is taken at its word; without an address: see `claimByAdopt`
 *   ours, no address | not this id                      | nobody: a copied mark; of another store: foreign-store
 *   ours, other store| otherwise: we were taken over    | foreign-store: this scope writes nothing
 *   another estate's | –                                | other
 *   none             | not this id                      | nobody
 *   ours, this store | neither, but only parts of a machine remain, where the mark says: us
 *   rule in a container                                 | as its container
 *   subnet that bears no mark (Azure)                   | by its network's mark and the store: see `claimsByParent`
 */
export type Claim =
  /** `deleted`: it was, and shows again; it stands for nothing that is wanted. */
  | { readonly by: 'us'; readonly address: Address; readonly deleted?: true }
  | { readonly by: 'other'; readonly estate: string }
  /** `address`: absent where the mark names none, and no document adopts the object. */
  | { readonly by: 'foreign-store'; readonly store: string; readonly address?: Address }
  /** `unrecorded`: the address in a mark of this store whose intent it has no record of. */
  | { readonly by: 'nobody'; readonly copied: boolean; readonly unrecorded?: Address };

/** An observed resource with its owner; its Refs are addresses where they point at ours. */
export interface Claimed {
  readonly observed: Observed;
  readonly claim: Claim;
}

/** The data that decisions on claims need. */
interface ClaimInput {
  readonly knowledge: Knowledge;
  readonly dialect: Dialect;
  readonly wanted: { readonly desired: readonly Desired[] };
  /** Ids that the observation missed too soon after their last write. */
  readonly observation?: Pick<Observation, 'pending'>;
}

/**
 * Claims for everything that is present; what is gone or going is left out, and so is a rule whose container was not
 * seen, unless that is pending. A renamed resource is claimed at its new address.
 */
export function claim(resources: readonly Observed[], input: ClaimInput): readonly Claimed[] {
  const { knowledge, dialect, wanted } = input;
  const present = resources.filter(({ condition }) => condition.state === 'ready' || condition.state === 'pending');
  const intents = new Set(knowledge.pending.map(({ intent }) => intent));
  const renamed = renamedIn(wanted.desired, knowledge);
  const claims = new Map<CloudId, Claim>();
  const standing = standingNetworks(present, knowledge);
  const proof: Proof = {
    ...{ knowledge, intents, dialect, standing },
    adopting: adoptingDocuments(wanted.desired),
    stated: new Map(wanted.desired.flatMap((one) => (one.terms.named ? [[one.address, one.name]] : []))),
    adopted: adoptedAddresses(wanted.desired, knowledge),
  };
  for (const observed of present) {
    if (observed.signs.container === undefined && observed.signs.parent === undefined)
      claims.set(observed.id, rename(claimOf(observed, proof), renamed));
  }
  for (const [id, owner] of claimsByParent(present, claims, { knowledge, wanted }))
    claims.set(id, rename(owner, renamed));
  const toAddress = (ref: Ref): Ref => {
    const owner = claims.get(ref);
    if (owner?.by === 'us') return owner.address;
    return owner === undefined ? (knowledge.settled.get(ref)?.address ?? ref) : ref;
  };
  const byAddress = new Map(wanted.desired.map((one) => [one.address, one]));
  const pending = pendingContainers(knowledge, input.observation?.pending ?? []);
  const homes = new Map(present.flatMap((one) => (isGroup(one) ? [[one.id, one.attributes.network] as const] : [])));
  return present.flatMap((observed) => {
    const placed = inSeenGroup(observed, homes);
    const mapped: Observed = {
      ...placed,
      attributes: rulesOf(placed.kind).mapRefs(placed.attributes, toAddress),
    };
    const unseen = claims.has(observed.signs.container ?? '') ? undefined : pending.get(observed.signs.container ?? '');
    const resolved = unseen === undefined ? mapped : inPending(mapped, unseen);
    const owner =
      observed.signs.container === undefined
        ? claims.get(observed.id)
        : inherit(
            resolved,
            unseen ? { by: 'us', address: unseen.address } : claims.get(observed.signs.container),
            dialect,
          );
    if (owner === undefined) return [];
    const desired = owner.by === 'us' ? byAddress.get(owner.address) : undefined;
    return [{ observed: withWantedBlock(resolved, desired), claim: owner }];
  });
}

/**
 * The new address of each former one. A document names its former names in `was`. An adopted rule has no mark, so its id alone tells
 * that it is the same under another name.
 */
function renamedIn(desired: readonly Desired[], { settled }: Knowledge): ReadonlyMap<Address, Address> {
  const named = desired.flatMap(({ address, terms }) => (terms.claim?.was ?? []).map((was) => [was, address] as const));
  const rules = desired.filter(isAdoptedRule);
  if (rules.length === 0) return new Map(named);
  const wanted = new Set(desired.map(({ address }) => address));
  const moved = rules.flatMap(({ address, terms }) => {
    const was = settled.get(terms.claim?.adopt ?? '')?.address;
    return was === undefined || wanted.has(was) ? [] : [[was, address] as const];
  });
  return new Map([...named, ...moved]);
}

const rename = (owner: Claim, renamed: ReadonlyMap<Address, Address>): Claim =>
  owner.by === 'us' ? { ...owner, address: renamed.get(owner.address) ?? owner.address } : owner;

interface Proof {
  readonly knowledge: Knowledge;
  readonly intents: ReadonlySet<string>;
  readonly dialect: Dialect;
  /** Addresses of settled networks that are there. */
  readonly standing: ReadonlySet<Address>;
  /** The documents' resources by the id that they adopt. */
  readonly adopting: ReadonlyMap<CloudId, Desired>;
  /** The names that documents state, by address. */
  readonly stated: ReadonlyMap<Address, string>;
  /** The addresses of documents that adopt, except where Setpoint deleted the machine to launch it again. */
  readonly adopted: ReadonlySet<Address>;
}

const adoptingDocuments = (desired: readonly Desired[]): Proof['adopting'] =>
  new Map(
    desired.flatMap((one) => {
      const id = one.terms.claim?.adopt;
      return id === undefined ? [] : [[id, one] as const];
    }),
  );

function adoptedAddresses(desired: readonly Desired[], knowledge: Knowledge): Proof['adopted'] {
  const recreated = new Set(recreatedMachines(knowledge).values());
  return new Set(
    desired.flatMap(({ address, terms }) =>
      terms.claim?.adopt === undefined || recreated.has(address) ? [] : [address],
    ),
  );
}

function standingNetworks(present: readonly Observed[], { settled }: Knowledge): ReadonlySet<Address> {
  const networks = present.filter(({ kind }) => kind === 'network');
  return new Set(networks.flatMap(({ id }) => settled.get(id)?.address ?? []));
}

function claimOf(observed: Observed, proof: Proof): Claim {
  const { knowledge, intents } = proof;
  const { id, signs } = observed;
  const { mark } = signs;
  const settled = knowledge.settled.get(id);
  if (mark !== undefined && mark.estate !== knowledge.estate) return { by: 'other', estate: mark.estate };
  if (settled !== undefined && !isTakenAway(mark, settled, knowledge)) return { by: 'us', address: settled.address };
  const ended = endedAs(observed, knowledge);
  if (ended !== undefined)
    return { by: 'us', address: ended.address, ...(ended.as === 'deleted' ? { deleted: true } : {}) };
  if (mark === undefined) return { by: 'nobody', copied: false };
  if (!isAddressed(mark)) return claimByAdopt(observed, mark, proof);
  if (mark.store === knowledge.store && isOwnRemainder(observed, mark, proof))
    return { by: 'us', address: mark.address };
  if (mark.store === knowledge.store && isLateTwin(observed, mark, proof)) return { by: 'us', address: mark.address };
  return claimByMark(mark, knowledge, intents);
}

const isAddressed = (mark: Mark): mark is AddressedMark => mark.address !== undefined;

/**
 * The owner of an object with a mark of our estate that names no address, and that no record of the store explains. Such marks are
 * on adopted objects, and whoever copies tags copies them. A document's `adopt` names an id, which nobody copies.
 *
 *   the mark is of | a document adopts this id | claim
 *   ---------------+---------------------------+----------------------------------------
 *   no store here  | yes                       | us, at the document's address
 *   no store here  | no                        | nobody
 *   this store     | any                       | nobody: a copied mark; `adopt` adopts it
 *   another store  | yes                       | foreign-store, at the document's address
 *   another store  | no                        | foreign-store, at the settled address or none
 */
function claimByAdopt({ id, kind }: Observed, { store }: Mark, { knowledge, adopting }: Proof): Claim {
  const wanted = adopting.get(id);
  const address = wanted?.kind === kind ? wanted.address : knowledge.settled.get(id)?.address;
  const addressed = address === undefined ? {} : { address };
  if (knowledge.store === undefined) return address === undefined ? nobody : { by: 'us', address };
  if (store !== knowledge.store) return { by: 'foreign-store', store, ...addressed };
  return { by: 'nobody', copied: true };
}

/** Of an object that nobody claims. */
export const nobodysAs = ({
  copied,
  unrecorded,
}: Extract<Claim, { readonly by: 'nobody' }>): 'unrecorded-mark' | 'copied-mark' | 'unmanaged' => {
  if (unrecorded !== undefined) return 'unrecorded-mark';
  return copied ? 'copied-mark' : 'unmanaged';
};

/** The result of a call that was sent after its intent expired. If it is in use, a person must judge it. */
const isLateTwin = (
  { kind, condition }: Observed,
  { intent = '', address }: AddressedMark,
  { knowledge, standing }: Proof,
) =>
  kind === 'network' &&
  condition.empty === true &&
  standing.has(address) &&
  knowledge.expiredIntents?.has(intent) === true;

/** Another store of this estate marked it after us: it has taken over, and two must not write. */
const isTakenAway = (mark: Mark | undefined, { terms }: Settled, { store }: Knowledge): boolean =>
  mark !== undefined && store !== undefined && mark.store !== store && mark.store !== terms.takenFrom;

function claimByMark(mark: AddressedMark, { store, unrecorded }: Knowledge, intents: ReadonlySet<string>): Claim {
  if (store === undefined) return { by: 'us', address: mark.address };
  if (mark.store !== store) return { by: 'foreign-store', store: mark.store, address: mark.address };
  const explained = mark.intent !== undefined && intents.has(mark.intent);
  if (explained) return { by: 'us', address: mark.address };
  const isUnrecorded = mark.intent !== undefined && unrecorded?.has(mark.intent) === true;
  return isUnrecorded ? { by: 'nobody', copied: false, unrecorded: mark.address } : { by: 'nobody', copied: true };
}

/** A rule is owned through its container, at the address that its content gives it. */
function inherit(rule: Observed, container: Claim | undefined, dialect: Dialect): Claim | undefined {
  if (container?.by !== 'us') return container;
  // why: only rules have a container
  const { attributes } = rule as Observed<'firewall-rule'>;
  return { by: 'us', address: atomAddress(dialect, container.address, { name: rule.name, attributes }) };
}

interface Beside {
  readonly knowledge: Knowledge;
  readonly wanted: { readonly desired: readonly Desired[] };
}

/**
 * The owner of a resource without a mark of its own in a marked one: an Azure subnet in its network. Networks are
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
function claimsByParent(
  present: readonly Observed[],
  claims: ReadonlyMap<CloudId, Claim>,
  { knowledge, wanted }: Beside,
): ReadonlyMap<CloudId, Claim> {
  const children = present.filter(isChild);
  if (children.length === 0) return new Map();
  const addressByPlace = new Map(
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
      const wanted = places.map((place) => addressByPlace.get(place)).find((address) => address !== undefined);
      return [child.id, claimOfSubnet(child, { parent, wanted, pending, knowledge })];
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
  readonly wanted: Address | undefined;
  readonly pending: ReadonlySet<Address>;
  readonly knowledge: Knowledge;
}

function claimOfSubnet({ id }: Subnet, { parent, wanted, pending, knowledge }: Around): Claim {
  switch (parent.by) {
    case 'us': {
      const settled = knowledge.settled.get(id);
      if (settled !== undefined) return { by: 'us', address: settled.address };
      const explained = wanted !== undefined && (knowledge.store === undefined || pending.has(wanted));
      return explained ? { by: 'us', address: wanted } : nobody;
    }
    case 'foreign-store':
      return wanted === undefined ? nobody : { by: 'foreign-store', store: parent.store, address: wanted };
    case 'other':
      return parent;
    case 'nobody':
      return parent.unrecorded === undefined || wanted === undefined
        ? nobody
        : { by: 'nobody', copied: false, unrecorded: wanted };
  }
}

/**
 * Objects that this store settled once and let go of since, and that a cloud shows again: a replica that lags answers NotFound to a
 * delete, and to a read, for what stands. None of them is a copy; a person who forgets an object ends this too.
 *
 *   the store ended it as | shown again, as it is marked now     | claim
 *   ----------------------+--------------------------------------+-----------------------------------------
 *   deleted               | by us, and no open creation made it  | us, to be deleted again: no second place
 *   gone                  | by us, or with no mark               | us, at its address, as before
 *   either                | by another store or estate           | as its mark says
 *
 * An id of Azure or Google Cloud ends in the number that the cloud never gives twice, so another object of the same name is
 * another id, and none of this applies to it.
 */
function endedAs({ id, signs: { mark } }: Observed, knowledge: Knowledge): Ended | undefined {
  const ended = knowledge.ended?.get(id);
  if (ended === undefined) return undefined;
  if (mark === undefined) return ended.as === 'gone' ? ended : undefined;
  if (mark.estate !== knowledge.estate || mark.store !== knowledge.store) return undefined;
  const isMadeAnew = knowledge.pending.some(({ intent, verb }) => verb === 'create' && intent === mark.intent);
  return isMadeAnew ? undefined : ended;
}

/** It counted against the limits when it was deleted first. */
export const deleteAgain = ({ observed, claim }: Claimed): readonly Action[] =>
  claim.by === 'us' && claim.deleted
    ? [
        {
          verb: 'delete',
          kind: observed.kind,
          address: claim.address,
          documents: [],
          cause: 'rollout',
          observed,
          because: 'again',
        },
      ]
    : [];

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
    attributes: { ...observed.attributes, cidr: block, ...settingsWith(observed, others) },
    condition: { ...observed.condition, furtherBlocks: others },
  };
}

function settingsWith({ attributes }: Observed, further: readonly string[]): object {
  if (!('settings' in attributes) || attributes.settings === undefined) return {};
  return { settings: { ...attributes.settings, ...blockSettings(further) } };
}

/** Every block of a network or subnet. */
function blocksOf(observed: Observed): readonly string[] {
  const cidr = cidrOf(observed);
  return cidr === undefined ? [] : [cidr, ...(observed.condition.furtherBlocks ?? [])];
}

/** One finding for each block of which its document says nothing; `id` names the block within the object. */
export function furtherBlockFindings(desired: Desired, observed: Observed, scope: string): readonly Finding[] {
  const { kind, id, condition } = observed;
  const { address } = desired;
  const stated = settingsOf(desired);
  const unstated = (condition.furtherBlocks ?? []).filter(
    (block) => !Object.hasOwn(stated, parseCidr(block)?.family === 6 ? 'ipv6Cidrs' : 'secondaryCidrs'),
  );
  return unstated.map((block) => ({
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

/** Its parts stand and it does not (Azure: an interface without its machine): what makes it takes them up. */
export const isHalfMade = ({ kind, condition: { missing } }: Observed): boolean =>
  kind === 'instance' && missing?.includes('machine') === true;

/**
 * Parts of a machine that could not be made, at a place that its names explain: a copy of the mark would lie at another. There is no
 * machine that could be lost by it.
 *
 *   the place is that of                               | own
 *   ---------------------------------------------------+----------------------------------------------------------
 *   the name that the document states                  | yes; no if it adopts: the parts of the machine that it adopts
 *                                                      | outlive it, and Setpoint did not make them
 *   the usual name: the document states another one by | the same
 *   now, or none                                       |
 *   a successor of a machine that the store knows there| yes
 *   any other name                                     | no
 */
function isOwnRemainder(observed: Observed, { address }: AddressedMark, proof: Proof): boolean {
  if (!isHalfMade(observed)) return false;
  const { kind, signs } = observed;
  const { knowledge, stated, adopted, dialect } = proof;
  const { names } = dialect;
  const usual = names.objectName(kind, nameIn(address, kind));
  const own = [stated.get(address) ?? usual, usual];
  const known = [...knowledge.settled, ...(knowledge.ended ?? [])].filter(([, one]) => one.address === address);
  const successors = known.flatMap(([id]) => own.flatMap((name) => names.successor?.(name, id) ?? []));
  return [...(adopted.has(address) ? [] : own), ...successors].some(
    (name) => signs.slot === slotOf(prefixIn(address, kind), kind, name),
  );
}

/** A container of ours that an observation missed too soon after its last write, and the network that it is in. */
interface PendingContainer {
  readonly address: Address;
  readonly network: Ref;
}

/**
 * Containers that are pending while the rules in them were seen. The store knows whose they are, so their rules are judged as
 * ever: a pending write withholds its own object and nothing else.
 */
function pendingContainers(
  { settled, applied }: Knowledge,
  pending: Observation['pending'],
): ReadonlyMap<CloudId, PendingContainer> {
  return new Map(
    pending.flatMap((id): readonly [CloudId, PendingContainer][] => {
      const { kind, address = '' } = settled.get(id) ?? {};
      if (kind === 'network') return [[id, { address, network: address }]];
      if (kind !== 'group') return [];
      const attributes = applied.get(address)?.attributes;
      return attributes !== undefined && 'network' in attributes
        ? [[id, { address, network: attributes.network }]]
        : [];
    }),
  );
}

/** A rule in such a container: where the listing of its container was to name its network, the store does. */
const inPending = (rule: Observed, { network }: Pick<PendingContainer, 'network'>): Observed =>
  // why: only rules have a container
  ({ ...rule, attributes: { ...(rule as Observed<'firewall-rule'>).attributes, network } }) as Observed;

const isGroup = (one: Observed): one is Observed<'group'> => one.kind === 'group';

/**
 * A rule of which its own listing does not name the network: it is that of its group, as the listing of groups has it. The order of
 * rules goes by their network, so without one it would stand beside all others unordered.
 */
function inSeenGroup(one: Observed, homes: ReadonlyMap<CloudId, Ref>): Observed {
  if (one.kind !== 'firewall-rule' || !('network' in one.attributes) || one.attributes.network !== '') return one;
  const network = homes.get(one.signs.container ?? '');
  return network === undefined ? one : inPending(one, { network });
}
