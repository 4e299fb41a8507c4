import type { Action, Finding } from '../action.ts';
import type { HeardTouch, TouchedBy } from '../last-modified.ts';
import type { Observed } from '../observed.ts';
import type { CloudId, RuleAttributes } from '../resource.ts';
import type { World } from './world.ts';

/** AWS tells the second of an event, cut off: it may seem to be before a write of ours that it came after. */
const cutOffMs = 1000;

/** A group is touched for many reasons: whoever did it long before a rule is seen to differ is not named for that. */
const latelyMs = 24 * 3_600_000;

interface Decided {
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
}

/**
 * Puts to what drifted who did it: whoever touched the object, or a part of it, since we wrote it last. Of a rule that no event
 * names, whoever touched its container lately. It is for people and decides nothing: without it a plan means the same.
 *
 *   what                                     | whose touches
 *   -----------------------------------------+-------------------------------------------------
 *   update, replace, delete; unmanaged       | the object's and its parts', else its container's
 *   create of what vanished; non-convergent  | of what the store knows there, else the container's
 *   forget                                   | of the id
 */
export function attribute({ actions, findings }: Decided, world: World): Decided {
  const known = knownOf(world);
  if (known === undefined) return { actions, findings };
  return {
    actions: actions.map((action) =>
      action.cause === 'drift' ? withBy(action, subjectOf(action, known), known) : action,
    ),
    findings: findings.map((finding) => withBy(finding, subjectOfFinding(finding, known), known)),
  };
}

/** The last modifier of an existing object since our last write. */
export function touchedBy(observed: Observed, world: World): TouchedBy | undefined {
  const known = knownOf(world);
  return known && byOf(seen(observed, known), known);
}

interface Known {
  readonly world: World;
  readonly touches: ReadonlyMap<CloudId, HeardTouch>;
}

function knownOf(world: World): Known | undefined {
  const { touches } = world.input.knowledge;
  return touches === undefined || touches.size === 0 ? undefined : { world, touches };
}

/** Ids that are one thing: it and its parts, or what was there. */
interface Subject {
  readonly own: readonly CloudId[];
  readonly container?: Observed | undefined;
}

function subjectOf(action: Action, known: Known): Subject {
  if (action.verb === 'forget') return { own: [action.id] };
  if (action.verb !== 'create') return seen(action.observed, known);
  const own = known.world.indexes.settledIds().get(action.address) ?? [];
  if (action.desired.kind !== 'firewall-rule') return { own };
  // why: only rules are of this kind
  const { group, network } = action.desired.attributes as RuleAttributes;
  return { own, container: known.world.ours.get(group ?? network)?.[0]?.observed };
}

function subjectOfFinding(finding: Finding, known: Known): Subject {
  const { byId, ours } = known.world;
  if (finding.type === 'unmanaged' && finding.of !== undefined) return seen(ours.get(finding.of)?.[0]?.observed, known);
  if (finding.type === 'unmanaged') return seen(byId.get(finding.id)?.observed, known);
  if (finding.type !== 'non-convergent') return { own: [] };
  return seen(ours.get(finding.address)?.[0]?.observed, known);
}

const seen = (observed: Observed | undefined, { world }: Known): Subject =>
  observed === undefined
    ? { own: [] }
    : { own: idsOf(observed), container: world.byId.get(observed.signs.container ?? '')?.observed };

const idsOf = ({ id, condition: { parts = [] } }: Observed): readonly CloudId[] => [
  id,
  ...parts.map((part) => part.id),
];

function withBy<T extends Action | Finding>(entry: T, subject: Subject, known: Known): T {
  const by = byOf(subject, known);
  return by === undefined ? entry : { ...entry, by };
}

function byOf({ own, container }: Subject, known: Known): TouchedBy | undefined {
  const { observation } = known.world.input;
  const written = writtenAt(own, known);
  const around = container === undefined ? [] : idsOf(container);
  const since = { written: Math.max(written, writtenAt(around, known)), earliest: observation.at - latelyMs };
  return newestOf(own, { written }, known) ?? newestOf(around, since, known);
}

/** `never` where we did not. */
function writtenAt(ids: readonly CloudId[], { world: { input } }: Known): number {
  return Math.max(never, ...ids.map((id) => input.knowledge.settled.get(id)?.lastWriteAt ?? never));
}
const never = Number.NEGATIVE_INFINITY;

/** A change reported before our last write is part of the state that we replaced, whatever the cloud's clock says. */
function newestOf(
  ids: readonly CloudId[],
  { written, earliest = never }: { readonly written: number; readonly earliest?: number },
  { world, touches }: Known,
): TouchedBy | undefined {
  const auditLogId = world.input.dialect.names.auditLogId ?? ((id) => id);
  const candidates = ids.flatMap((id) => touches.get(auditLogId(id)) ?? []).filter(({ heardAt }) => heardAt > written);
  const since = candidates.filter(({ by: { at } }) => at >= Math.max(written - cutOffMs, earliest));
  return since.toSorted((a, b) => b.by.at - a.by.at)[0]?.by;
}
