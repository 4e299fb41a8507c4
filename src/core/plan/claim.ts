import { atomAddress } from '../compile/atom-address.ts';
import type { Dialect } from '../compile/dialect.ts';
import type { Desired } from '../desired.ts';
import { rulesOf } from '../kinds/kinds.ts';
import type { Knowledge, Settled } from '../knowledge.ts';
import type { Mark, Observation, Observed } from '../observed.ts';
import type { Address, CloudId, Ref } from '../resource.ts';
import { claimsByParent } from './by-parent.ts';
import { endedAs } from './ended.ts';
import { withWantedBlock } from './further-blocks.ts';
import { isOwnRemainder } from './half-made.ts';
import { inPending, pendingContainers } from './pending-containers.ts';

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
 *   ours, this store | nor any record of its intent     | nobody: unrecorded, see lost-commits.ts
 *   ours, this store | that it let go of this id        | us: see ended.ts
 *   ours             | there is no store                | us: the mark is taken at its word
 *   ours, other store| otherwise: we were taken over    | foreign-store: this scope writes nothing
 *   another estate's | –                                | other
 *   none             | not this id                      | nobody
 *   ours, this store | neither, but only parts of a machine remain, where the mark says: us
 *   rule in a container                                 | as its container
 *   subnet that bears no mark (Azure)                   | by its network's mark and the store: see by-parent.ts
 */
export type Claim =
  /** `deleted`: it was, and shows again; it stands for nothing that is wanted. */
  | { readonly by: 'us'; readonly address: Address; readonly deleted?: true }
  | { readonly by: 'other'; readonly estate: string }
  | { readonly by: 'foreign-store'; readonly store: string; readonly address: Address }
  /** `unrecorded`: the address in a mark of this store whose intent it has no record of. */
  | { readonly by: 'nobody'; readonly copied: boolean; readonly unrecorded?: Address };

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
  const wishes = new Map(wanted.desired.map((one) => [one.address, one]));
  const pending = pendingContainers(knowledge, input.observation?.pending ?? []);
  return present.flatMap((observed) => {
    const mapped: Observed = {
      ...observed,
      attributes: rulesOf(observed.kind).mapRefs(observed.attributes, toAddress),
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
    const wish = owner.by === 'us' ? wishes.get(owner.address) : undefined;
    return [{ observed: withWantedBlock(resolved, wish), claim: owner }];
  });
}

const rename = (owner: Claim, renamed: ReadonlyMap<Address, Address>): Claim =>
  owner.by === 'us' ? { ...owner, address: renamed.get(owner.address) ?? owner.address } : owner;

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
  const ended = endedAs(observed, knowledge);
  if (ended !== undefined)
    return { by: 'us', address: ended.address, ...(ended.as === 'deleted' ? { deleted: true } : {}) };
  if (mark === undefined) return { by: 'nobody', copied: false };
  if (mark.store === knowledge.store && isOwnRemainder(observed, mark, { names: dialect.names, knowledge }))
    return { by: 'us', address: mark.address };
  if (mark.store === knowledge.store && isLateTwin(observed, mark, proof)) return { by: 'us', address: mark.address };
  return claimByMark(mark, knowledge, intents);
}

/** Of an object that nobody claims. */
export const nobodysAs = ({
  copied,
  unrecorded,
}: Extract<Claim, { readonly by: 'nobody' }>): 'unrecorded-mark' | 'copied-mark' | 'unmanaged' => {
  if (unrecorded !== undefined) return 'unrecorded-mark';
  return copied ? 'copied-mark' : 'unmanaged';
};

/** What a call made that was sent after everybody had ceased to expect it. In use it is for a person to judge. */
const isLateTwin = ({ kind, condition }: Observed, { intent = '', address }: Mark, { knowledge, standing }: Proof) =>
  kind === 'network' && condition.empty === true && standing.has(address) && knowledge.neverShown?.has(intent) === true;

/** Another store of this estate marked it after us: it has taken over, and two must not write. */
const isTakenAway = (mark: Mark | undefined, { terms }: Settled, { store }: Knowledge): boolean =>
  mark !== undefined && store !== undefined && mark.store !== store && mark.store !== terms.takenFrom;

function claimByMark(mark: Mark, { store, unrecorded }: Knowledge, intents: ReadonlySet<string>): Claim {
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
