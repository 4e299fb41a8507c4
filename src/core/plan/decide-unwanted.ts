import type { Action, Cause, Decision, DeleteReason, Finding } from '../action.ts';
import type { DeletionPolicy, DocumentRef } from '../desired.ts';
import { rulesOf } from '../kinds/kinds.ts';
import type { Mark, Observed } from '../observed.ts';
import { type Address, documentOfReplica } from '../resource.ts';
import type { Claimed } from './claim.ts';
import { unrecordedMark } from './lost-commits.ts';
import { gapOf, isUnrecorded, type World } from './world.ts';

/** The decision on one observed resource that nobody wants: the lower half of the truth table of plan.ts. */
export function release(one: Claimed, world: World): readonly Decision[] {
  const { claim, observed } = one;
  switch (claim.by) {
    case 'us':
      return gapOf(world, observed.kind) === undefined ? releaseOurs(observed, claim.address, world) : [];
    case 'nobody':
      return unclaimed(one, world);
    case 'other':
    case 'foreign-store':
      return [];
  }
}

function releaseOurs(observed: Observed, address: Address, world: World): readonly Decision[] {
  const { documents } = world.input.wanted;
  if (observed.signs.container !== undefined) return releaseRule(observed, address, world);
  if (observed.kind === 'firewall-rule') return [releaseWritten(observed, address, world)];
  if (world.input.choices?.prune?.has(address)) return [remove(observed, address, 'pruned', world)];
  if (observed.kind === 'instance' && documents.has(documentOfReplica(address)))
    return [remove(observed, address, 'scaled-down', world)];
  return policyOf(observed, world) === 'delete'
    ? [remove(observed, address, 'removed', world)]
    : [orphan(observed, address, world)];
}

/**
 * A rule in a container of ours: one that was wanted goes with its document; one that nobody wrote is drift, unless the network is additive.
 * A rule in an orphaned group or network stays with it.
 */
function releaseRule(observed: Observed, address: Address, world: World): readonly Decision[] {
  const { knowledge, wanted } = world.input;
  // why: only rules have a container
  const { network, group } = (observed as Observed<'firewall-rule'>).attributes;
  const written = knowledge.applied.has(address) || knowledge.settled.has(observed.id);
  if (written) return [releaseWritten(observed, address, world)];
  if (!world.addresses.has(group ?? network)) return [];
  if (!wanted.additive.has(network)) return [remove(observed, address, 'rogue', world)];
  return [found(observed, 'unmanaged', 'a rule that no document states; the network is additive, so it stays', world)];
}

/**
 * It was wanted once. While one of its documents still stands it only moved on; else the deletion policy of the gone one counts,
 * unless a person chose to delete it.
 */
function releaseWritten(observed: Observed, address: Address, world: World): Decision {
  const documents = world.input.knowledge.applied.get(address)?.documents ?? [];
  const standing = documents.filter((document) => world.input.wanted.documents.has(document));
  if (standing.length > 0) return { ...remove(observed, address, 'changed', world), documents: refsTo(standing) };
  const retained = policyOf(observed, world) === 'retain';
  if (retained && !world.input.choices?.prune?.has(address)) return orphan(observed, address, world);
  return { ...remove(observed, address, retained ? 'pruned' : 'removed', world), documents: refsTo(documents) };
}

/** Documents that are known by name only: nobody loaded the file they once stood in. */
export const refsTo = (documents: readonly Address[]): readonly DocumentRef[] =>
  documents.map((document) => ({ address: document, file: '', line: 0 }));

/** The mark says it, else the store; unknown means retain. Rules carry no mark of their own: their default is to go. */
function policyOf({ id, kind, signs }: Observed, { input }: World): DeletionPolicy {
  const fallback = signs.container === undefined ? 'retain' : rulesOf(kind).deletionPolicy;
  return input.knowledge.settled.get(id)?.terms.deletionPolicy ?? signs.mark?.deletionPolicy ?? fallback;
}

function remove(observed: Observed, address: Address, because: DeleteReason, { input }: World): Action {
  const known: Cause = because === 'rogue' ? 'drift' : 'rollout';
  const cause = input.knowledge.store === undefined ? 'unknown' : known;
  const owners = input.knowledge.settled.get(observed.id)?.terms.owners;
  const about = { kind: observed.kind, address, documents: [], cause } as const;
  return { verb: 'delete', ...about, observed, because, ...(owners === undefined ? {} : { owners }) };
}

const orphan = (observed: Observed, address: Address, world: World): Finding => {
  const isProtected = world.input.knowledge.settled.get(observed.id)?.terms.protect === true;
  const deletes = isProtected
    ? 'Its last document had protect: true, so setpoint prune refuses it: restore that document with protect: false first.'
    : `To delete it: setpoint prune ${address}`;
  return found(
    observed,
    'orphan',
    `${address} is an orphan: no document wants it, and Setpoint retains it. To keep it, restore its document: git revert, or setpoint restore --as-of TIME. ${deletes}`,
    world,
  );
};

function unclaimed(one: Claimed, world: World): readonly Finding[] {
  if (isUnrecorded(one)) return [unrecordedMark(one, world.input.observation.scope)];
  // why: a rule in such a container is told of with it
  return one.claim.by === 'nobody' && one.claim.unrecorded !== undefined ? [] : [unmanaged(one, world)];
}

function unmanaged({ observed, claim }: Claimed, world: World): Finding {
  const { origin, mark } = observed.signs;
  if (claim.by === 'nobody' && claim.copied) {
    return found(
      observed,
      'copied-mark',
      `carries ${copyOf(mark)}. Setpoint does not own it and never changes it.`,
      world,
    );
  }
  // why: with a mark of another estate or store it would not be nobody's
  if (mark !== undefined)
    return found(observed, 'unmanaged', "it bears this estate's mark, and no document adopts it", world);
  return found(
    observed,
    'unmanaged',
    origin === undefined ? 'rogue: no estate claims it' : `${origin.why}: ${origin.detail}`,
    world,
  );
}

const copyOf = (mark: Mark | undefined): string =>
  mark !== undefined && mark.address === undefined
    ? "this estate's mark, but this store has no record of it"
    : `a copy of the mark of ${mark?.address ?? 'ours'}, but this store never created it`;

function found(
  observed: Observed,
  type: 'unmanaged' | 'orphan' | 'copied-mark',
  why: string,
  { input }: World,
): Finding {
  return { type, id: observed.id, kind: observed.kind, name: observed.name, why, scope: input.observation.scope };
}
