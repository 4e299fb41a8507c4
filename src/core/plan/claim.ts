import { nameIn, prefixIn, slotOf } from '../address.ts';
import { atomAddress } from '../compile/atom-address.ts';
import type { Dialect } from '../compile/dialect.ts';
import type { Desired } from '../desired.ts';
import { rulesOf } from '../kinds/kinds.ts';
import type { Knowledge, Settled } from '../knowledge.ts';
import type { Mark, Observed } from '../observed.ts';
import type { Address, CloudId, Ref } from '../resource.ts';
import { claimsByParent } from './by-parent.ts';

/**
 * Who owns an observed resource.
 *
 *   mark             | the store knows                  | claim
 *   -----------------+----------------------------------+----------------------------------------------
 *   this store, none | this id as settled               | us, at the settled address
 *   ours, other store| this id, taken over from there   | us, at the settled address
 *   ours, this store | a pending intent with its name   | us, at the mark's address
 *   ours, this store | neither, but it holds nothing, an intent that never showed has its name, and the network that was
 *                    | made in its place is settled     | us, at the mark's address: a twin
 *   ours, this store | neither                          | nobody: a copied mark
 *   ours             | there is no store                | us: the mark is taken at its word
 *   ours, other store| otherwise: we were taken over    | foreign-store: this scope writes nothing
 *   another estate's | –                                | other
 *   none             | not this id                      | nobody
 *   ours, this store | neither, but only parts of a machine remain, where the mark says: us
 *   rule in a container                                 | as its container
 *   subnet that bears no mark (Azure)                   | by its network's mark and the store: see by-parent.ts
 */
export type Claim =
  | { readonly by: 'us'; readonly address: Address }
  | { readonly by: 'other'; readonly estate: string }
  | { readonly by: 'foreign-store'; readonly store: string; readonly address: Address }
  | { readonly by: 'nobody'; readonly copied: boolean };

/** An observed resource with its owner; its Refs are addresses where they point at ours. */
export interface Claimed {
  readonly observed: Observed;
  readonly claim: Claim;
}

/** What deciding on claims needs to know. */
export interface ClaimInput {
  readonly knowledge: Knowledge;
  readonly dialect: Dialect;
  readonly wanted: { readonly desired: readonly Desired[] };
}

/**
 * Claims for everything that is present; what is gone or going is left out, and so is a rule whose container was not
 * seen. A renamed resource is claimed at its new address.
 */
export function claim(resources: readonly Observed[], { knowledge, dialect, wanted }: ClaimInput): readonly Claimed[] {
  const present = resources.filter(({ condition }) => condition.state === 'ready' || condition.state === 'pending');
  const intents = new Set(knowledge.pending.map(({ intent }) => intent));
  const renamed = new Map(
    wanted.desired.flatMap(({ address, terms }) => (terms.claim?.was ?? []).map((was) => [was, address])),
  );
  const claims = new Map<CloudId, Claim>();
  const proof: Proof = { knowledge, intents, dialect, standing: standingNetworks(present, knowledge) };
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
  return present.flatMap((observed) => {
    const resolved: Observed = {
      ...observed,
      attributes: rulesOf(observed.kind).mapRefs(observed.attributes, toAddress),
    };
    const owner = observed.signs.container === undefined ? claims.get(observed.id) : inherit(resolved, claims, dialect);
    return owner === undefined ? [] : [{ observed: resolved, claim: owner }];
  });
}

const rename = (owner: Claim, renamed: ReadonlyMap<Address, Address>): Claim =>
  owner.by === 'us' ? { by: 'us', address: renamed.get(owner.address) ?? owner.address } : owner;

interface Proof {
  readonly knowledge: Knowledge;
  readonly intents: ReadonlySet<string>;
  readonly dialect: Dialect;
  /** Addresses of settled networks that are there. */
  readonly standing: ReadonlySet<Address>;
}

function standingNetworks(present: readonly Observed[], { settled }: Knowledge): ReadonlySet<Address> {
  const networks = present.filter(({ kind }) => kind === 'network');
  return new Set(networks.flatMap(({ id }) => settled.get(id)?.address ?? []));
}

function claimOf(observed: Observed, proof: Proof): Claim {
  const { knowledge, intents, dialect } = proof;
  const { id, signs } = observed;
  const { mark } = signs;
  const settled = knowledge.settled.get(id);
  if (mark !== undefined && mark.estate !== knowledge.estate) return { by: 'other', estate: mark.estate };
  if (settled !== undefined && !isTakenAway(mark, settled, knowledge)) return { by: 'us', address: settled.address };
  if (mark === undefined) return { by: 'nobody', copied: false };
  if (mark.store === knowledge.store && isOwnRemainder(observed, mark, dialect))
    return { by: 'us', address: mark.address };
  if (mark.store === knowledge.store && isLateTwin(observed, mark, proof)) return { by: 'us', address: mark.address };
  return claimByMark(mark, knowledge, intents);
}

/**
 * Parts of a machine that could not be made, at the very place that the marked address names: a copy of the mark would lie
 * at another. There is no machine that could be lost by it.
 */
function isOwnRemainder({ kind, signs, condition }: Observed, { address }: Mark, { names }: Dialect): boolean {
  if (kind !== 'instance' || condition.missing?.includes('machine') !== true) return false;
  return signs.slot === slotOf(prefixIn(address, kind), kind, names.objectName(kind, nameIn(address, kind)));
}

/** What a call made that was sent after everybody had ceased to expect it. In use it is for a person to judge. */
const isLateTwin = ({ kind, condition }: Observed, { intent = '', address }: Mark, { knowledge, standing }: Proof) =>
  kind === 'network' && condition.empty === true && standing.has(address) && knowledge.neverShown?.has(intent) === true;

/** Another store of this estate marked it after us: it has taken over, and two must not write. */
const isTakenAway = (mark: Mark | undefined, { terms }: Settled, { store }: Knowledge): boolean =>
  mark !== undefined && store !== undefined && mark.store !== store && mark.store !== terms.takenFrom;

function claimByMark(mark: Mark, { store }: Knowledge, intents: ReadonlySet<string>): Claim {
  if (store === undefined) return { by: 'us', address: mark.address };
  if (mark.store !== store) return { by: 'foreign-store', store: mark.store, address: mark.address };
  const explained = mark.intent !== undefined && intents.has(mark.intent);
  return explained ? { by: 'us', address: mark.address } : { by: 'nobody', copied: true };
}

/** A rule is owned through its container, at the address that its content gives it. */
function inherit(rule: Observed, claims: ReadonlyMap<CloudId, Claim>, dialect: Dialect): Claim | undefined {
  const container = claims.get(rule.signs.container ?? '');
  if (container?.by !== 'us') return container;
  // why: only rules have a container
  const { attributes } = rule as Observed<'firewall-rule'>;
  return { by: 'us', address: atomAddress(dialect, container.address, { name: rule.name, attributes }) };
}
