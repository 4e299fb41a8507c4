import { type Action, beginsGrace, type Decision, type Deletion, powerField } from '../action.ts';
import type { Desired } from '../desired.ts';
import { type DeletionGrace, type GracePeriods, isStanding, type Tombstone, type TombstoneChanges } from '../grace.ts';
import { groupByMany } from '../group-by-many.ts';
import { membershipsOf } from '../kinds/instance.ts';
import { powerOf } from '../knowledge.ts';
import { formatMoment } from '../render/wording.ts';
import {
  type Address,
  type CloudId,
  documentOfReplica,
  type InstanceAttributes,
  type Ref,
  type RuleAttributes,
} from '../resource.ts';
import { compareText } from '../text.ts';
import { refsTo } from './decide-unwanted.ts';
import type { Hold, PlanInput, Removals } from './plan-input.ts';
import { gapOf, type World } from './world.ts';

/**
 * Gives each deletion of an object without a document its grace.
 *
 *   a deletion                                          | grace
 *   ----------------------------------------------------+---------------------------------------------------------
 *   removed, scaled-down: a network, subnet, group or   | of its kind
 *   machine                                             |
 *   removed: a rule at whose one end all machines go    | the longest of these, or of its group or network; at its end
 *   too, and one does at least                          | it waits for those that Setpoint deletes
 *   removed: another rule                               | of rules: none, unless the estate says otherwise; while a gap may hide
 *                                                       | machines at its ends, it waits
 *   any other                                           | none
 *
 * A machine goes where it is deleted, and where it becomes an orphan in this very generation. So traffic of machines that others still
 * need is closed at once, and a commit that is reverted in time has cut nobody off.
 */
export function withGrace(decisions: readonly Decision[], world: World): readonly Decision[] {
  const { removals } = world.input.choices ?? {};
  if (removals === undefined) return decisions;
  const { grace: periods, skipped, generation } = removals;
  const tombstones = standingTombstones(world, generation);
  const counted = periods ?? skipped;
  if ((counted === undefined && tombstones.size === 0) || !decisions.some(isDelete)) return decisions;
  const going = goingIn(decisions, world);
  const over = (tombstone: Tombstone): boolean => (world.input.knowledge.readAt ?? 0) >= tombstone.until;
  const graceIn = (deletion: Deletion): DeletionGrace | undefined => {
    if (counted === undefined || !hasGrace(deletion)) return undefined;
    const tombstone = tombstones.get(deletion.observed.id);
    return tombstone
      ? graceAt(tombstone, over(tombstone) ? 'ends' : 'runs')
      : beginning(graceOf(deletion, counted, going), removals);
  };
  return decisions.flatMap((decision): readonly Decision[] => {
    if (!isDelete(decision)) return [decision];
    const grace = graceIn(decision);
    if (periods === undefined) return [deletedAtOnce(decision, grace, tombstones.get(decision.observed.id))];
    if (grace === undefined) return [decision];
    const deletion = { ...decision, grace };
    return [...stopFor(deletion, world), deletion];
  });
}

/** A deletion by a person. `grace`: its place in the grace that workers would give it. */
const deletedAtOnce = (deletion: Deletion, grace?: DeletionGrace, tombstone?: Tombstone): Deletion => ({
  ...deletion,
  ...(tombstone === undefined ? {} : { grace: graceAt(tombstone, 'ends') }),
  ...(grace === undefined || grace.phase === 'ends' ? {} : { skipsGrace: true }),
});

/** Stops a machine in its grace where its document asked for that. It stops each machine once: a person who starts it again needs it. */
function stopFor(deletion: Deletion, { input: { knowledge } }: World): readonly Action[] {
  const { kind, address, observed, grace, cause, documents } = deletion;
  const kept = knowledge.settled.get(observed.id)?.terms;
  const { documents: stated = [], attributes } = knowledge.applied.get(address) ?? {};
  // why: of a machine
  const applied = attributes as InstanceAttributes | undefined;
  if (grace?.phase !== 'runs' || kind !== 'instance' || kept?.beforeDelete !== 'stop') return [];
  if (powerOf(observed.attributes) !== 'running' || observed.condition.state !== 'ready') return [];
  if (applied?.machine.power !== 'running' || knowledge.pending.some((one) => one.address === address)) return [];
  const desired: Desired<'instance'> = {
    ...{ kind, address, name: observed.name, documents: refsTo(stated) },
    // why: values that others have set since are not ours, and stay once its document is back
    attributes: { ...applied, machine: { ...applied.machine, power: 'stopped' } },
    terms: { mode: 'enforce', protect: kept.protect, deletionPolicy: kept.deletionPolicy },
  };
  const changes = [{ field: powerField, from: 'running', to: 'stopped' }];
  const about = { verb: 'update', kind, address, documents, cause } as const;
  return [{ ...about, desired, observed, changes, effect: 'in-place', retires: deletion }];
}

const beginning = (forMs: number, { by }: Removals): DeletionGrace | undefined =>
  forMs === 0 ? undefined : { phase: 'begins', forMs, ...(by === undefined ? {} : { by }) };

const isDelete = (decision: Decision): decision is Deletion => 'verb' in decision && decision.verb === 'delete';
const hasGrace = ({ because }: Deletion): boolean => because === 'removed' || because === 'scaled-down';

function standingTombstones({ input: { knowledge } }: World, generation: number): ReadonlyMap<CloudId, Tombstone> {
  const all = [...(knowledge.tombstones ?? [])];
  return new Map(all.filter(([, tombstone]) => isStanding(tombstone, generation)));
}

function graceAt({ since, until, authority, approval }: Tombstone, phase: 'runs' | 'ends'): DeletionGrace {
  const allowed = authority !== 'mode' && approval?.withdrawn !== true;
  return { phase, since, until, allowed, ...(approval === undefined ? {} : { approvals: approval.seqs }) };
}

/**
 * Without a person it holds deletions whose grace began by an approval that a person withdrew since, in every mode. An approval that is
 * given after that lets them pass.
 */
export const withdrawnHold =
  ({ choices: { unattended = false, approved = () => false } = {} }: Pick<PlanInput, 'choices'>): Hold =>
  (action) => {
    const grace = action.verb === 'delete' && action.grace?.phase !== 'begins' ? action.grace : undefined;
    const isWithdrawn = grace?.approvals !== undefined && !grace.allowed;
    if (!unattended || !isWithdrawn || approved(action)) return undefined;
    return {
      code: 'approvals',
      why: 'a person withdrew an approval by which its grace began. To keep it, restore its document; to delete it, approve it again: setpoint approve --reason "…"',
    };
  };

/** The objects that go with these decisions. */
interface Going {
  /** Networks and groups. `deleted`: not left as an orphan. */
  readonly containers: ReadonlyMap<Address, Gone>;
  /** All machines of ours, by their groups and networks: those that go, and undefined for one that stays. */
  readonly machines: ReadonlyMap<Ref, readonly (Gone | undefined)[]>;
}

interface Gone {
  readonly address: Address;
  readonly kind: 'network' | 'group' | 'instance';
  readonly deleted: boolean;
}

function goingIn(decisions: readonly Decision[], world: World): Going {
  const gone = new Map<CloudId, Gone>();
  for (const decision of decisions) for (const one of goneBy(decision, world)) gone.set(...one);
  const networks = new Map(
    world.claimed.flatMap(({ observed, claim }) =>
      observed.kind === 'subnet' && claim.by === 'us' ? [[claim.address, networkOf(observed)] as const] : [],
    ),
  );
  const machines = world.claimed.filter(
    ({ observed, claim }) => observed.kind === 'instance' && claim.by === 'us' && !claim.deleted,
  );
  const byRef = groupByMany(machines, ({ observed }): readonly Ref[] => {
    // why: of a machine
    const attributes = observed.attributes as InstanceAttributes;
    const network = networks.get(attributes.placement.subnet);
    return [...(membershipsOf(attributes) ?? []), ...(network === undefined ? [] : [network])];
  });
  const containers = [...gone.values()].filter(({ kind }) => kind !== 'instance');
  return {
    containers: new Map(containers.map((one) => [one.address, one])),
    machines: new Map([...byRef].map(([ref, all]) => [ref, all.map(({ observed }) => gone.get(observed.id))])),
  };
}

const networkOf = ({ attributes }: { readonly attributes: object }): Ref =>
  // why: only called with subnets
  (attributes as { readonly network: Ref }).network;

function goneBy(decision: Decision, { byId, input }: World): readonly (readonly [CloudId, Gone])[] {
  if (isDelete(decision)) {
    const { kind, address, observed } = decision;
    return hasGrace(decision) && isContainerOrMachine(kind) ? [[observed.id, { kind, address, deleted: true }]] : [];
  }
  if (!('type' in decision) || decision.type !== 'orphan' || !isContainerOrMachine(decision.kind)) return [];
  const claim = byId.get(decision.id)?.claim;
  if (claim?.by !== 'us') return [];
  const document = decision.kind === 'instance' ? documentOfReplica(claim.address) : claim.address;
  const isNew = input.choices?.removals?.wasNamed?.(document) === true;
  return isNew ? [[decision.id, { kind: decision.kind, address: claim.address, deleted: false }]] : [];
}

const isContainerOrMachine = (kind: string): kind is Gone['kind'] =>
  kind === 'network' || kind === 'group' || kind === 'instance';

function graceOf(deletion: Deletion, periods: GracePeriods, going: Going): number {
  const own = periods[deletion.kind];
  if (deletion.kind !== 'firewall-rule') return own;
  return Math.max(own, ...departuresOf(deletion, going).map(({ kind }) => periods[kind]));
}

/**
 * Everything that goes at an end of a rule where nothing stays; empty where something stays at each of its ends. One end of a rule are
 * the machines that it applies to, the other one its peers.
 */
function departuresOf(rule: Deletion, going: Going): readonly Gone[] {
  return endsOf(rule).flatMap((refs) => departuresAt(refs, going));
}

function endsOf({ observed }: Deletion): readonly (readonly Ref[])[] {
  // why: only called with rules
  const { network, group, match } = observed.attributes as RuleAttributes;
  const own = match.targets ?? [group ?? network];
  const peers = match.peers.map((peer) => (peer.startsWith(groupPeer) ? peer.slice(groupPeer.length) : peer));
  // why: a network's own rules name its machines by addresses or tags, such as that which denies what no other rule allows
  return [own, [network], match.peers.every((peer) => peer.startsWith(groupPeer)) ? peers : []];
}

const groupPeer = 'group:';

function departuresAt(refs: readonly Ref[], { containers, machines }: Going): readonly Gone[] {
  if (refs.length === 0) return [];
  const all = refs.flatMap((ref) => machines.get(ref) ?? []);
  if (all.some((one) => one === undefined)) return [];
  const gone = [...all, ...refs.map((ref) => containers.get(ref))].filter((one) => one !== undefined);
  // why: an end with nothing in it at all is no end that goes
  return refs.every((ref) => machines.has(ref) || containers.has(ref)) ? gone : [];
}

/** The kinds by which it shows what goes at an end of a rule. */
const shown = ['instance', 'group', 'network', 'subnet'] as const;

/**
 * The reason that a removed rule stays for now: machines that it was for are still to be deleted after its grace, or a listing with a
 * gap does not show whether all of them go. The next one decides that.
 */
export function outlivedBy(decisions: readonly Decision[], world: World): (action: Action) => string | undefined {
  const periods = world.input.choices?.removals?.grace;
  if (periods === undefined) return () => undefined;
  const isOver = ({ grace }: Deletion): boolean => grace?.phase === 'ends';
  const hasLonger = shown.some((kind) => periods[kind] > periods['firewall-rule']);
  const gap = shown.find((kind) => gapOf(world, kind) !== undefined);
  const isJudged = (one: Deletion): boolean =>
    one.kind === 'firewall-rule' && hasGrace(one) && (isOver(one) || (gap !== undefined && hasLonger));
  if (!decisions.some((one) => isDelete(one) && isJudged(one))) return () => undefined;
  const going = goingIn(decisions, world);
  return (action) => {
    if (!isDelete(action) || !isJudged(action)) return undefined;
    // why: the first is named, so the order must not be the cloud's
    const [machine] = departuresOf(action, going)
      .filter(({ kind, deleted }) => kind === 'instance' && deleted)
      .toSorted((a, b) => compareText(a.address, b.address));
    if (isOver(action) && machine !== undefined) return `${machine.kind} ${machine.address} still needs it.`;
    if (gap === undefined || endsOf(action).every((refs) => hasStaying(refs, going))) return undefined;
    return `${gap} was not listed completely, so the machines that it is for may be removed, too. They keep it for their grace.`;
  };
}

/** Gaps do not matter: no end of a rule goes away where an observation shows a machine that stays. */
const hasStaying = (refs: readonly Ref[], { machines }: Going): boolean =>
  refs.length === 0 || refs.some((ref) => machines.get(ref)?.includes(undefined) === true);

/** The power of an object in its grace: left as it is, to be stopped, or stopped for its grace. */
type GracePower = 'kept' | 'stopping' | 'stopped';

const meanwhileBy: Readonly<Record<GracePower, string>> = {
  kept: 'it runs untouched',
  stopping: 'Setpoint stops it, and holds it stopped',
  stopped: 'it is held stopped',
};

/** The end of the grace, with the way back, for people. `isEnded`: its document is still in the specs, and its lifetime is over. */
export function graceText(
  { until }: { readonly until: number },
  { isEnded, power }: { readonly isEnded: boolean; readonly power: GracePower },
): string {
  const meanwhile = meanwhileBy[power];
  const back = isEnded ? 'write another ttl into its document' : 'restore its document';
  return `its grace ends ${formatMoment(until)}. Until then ${meanwhile}, and then Setpoint deletes it. To keep it, ${back}; to delete it now: setpoint apply`;
}

/** The changes of its scope's tombstones by this plan; undefined where there are none. */
export function tombstoneChanges(decisions: readonly Decision[], world: World): TombstoneChanges | undefined {
  const { knowledge, choices, observation } = world.input;
  const { removals } = choices ?? {};
  if (removals === undefined || knowledge.tombstones === undefined || knowledge.tombstones.size === 0) return undefined;
  const deleted = new Set(decisions.flatMap((one) => (isDelete(one) ? [one.observed.id] : [])));
  const isGone = (id: CloudId, { kind }: Tombstone): boolean =>
    gapOf(world, kind) === undefined && !observation.pending.includes(id);
  const fateOf = (id: CloudId, tombstone: Tombstone): 'kept' | 'ended' | undefined => {
    const claim = world.byId.get(id)?.claim;
    if (claim === undefined) return isGone(id, tombstone) ? 'ended' : undefined;
    if (claim.by === 'us' && world.addresses.has(claim.address)) return 'ended';
    return deleted.has(id) && tombstone.generation < removals.generation ? 'kept' : undefined;
  };
  const fates = Map.groupBy([...knowledge.tombstones], ([id, tombstone]) => fateOf(id, tombstone));
  const [kept = [], ended = []] = [fates.get('kept'), fates.get('ended')].map((some) =>
    some?.map(([id]) => id).toSorted(compareText),
  );
  return kept.length + ended.length === 0 ? undefined : { kept, ended };
}

/** Objects whose deletion a person or a worker only records now. */
export const idsBeginning = (actions: readonly Action[]): ReadonlySet<CloudId> =>
  new Set(actions.filter(beginsGrace).map(({ observed }) => observed.id));
