import { refsOf } from '../core/kinds/kinds.ts';
import type { Knowledge, Settled } from '../core/knowledge.ts';
import type { Observation, Observed } from '../core/observed.ts';
import type { CloudId, Kind } from '../core/resource.ts';
import { recreatedMachines } from '../core/unfinished-replacements.ts';

/**
 * The time that a cloud's listings may miss a write: https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
 */
export const visibilityMs = 300_000;

/** Two answers closer together may rest on one and the same stale replica. */
export const apartMs = 10_000;

/**
 * Ids that the store knows and a complete listing missed, by what their absence needs as proof.
 *
 *   last written          | seen standing | kind           | proof
 *   ----------------------+---------------+----------------+------------------------------------------------
 *   before the window     | –             | any            | `once`: one read by id
 *   inside the window     | no            | any            | none yet: `pending`
 *   inside the window     | yes           | may stand twice| none yet: `pending`
 *   inside the window     | yes           | any other      | `twice`: two reads by id, `apartMs` apart
 *   ended before the window                | any            | `once`, and then nothing more is known of it; none for a
 *                                          |                | recreated machine: see `goneForGood`
 *
 * None of this proves the absence of what something else stands in: see `standingUnder`.
 *
 * A kind may stand twice where the cloud keeps no name unique: networks and machines on AWS. CreateVpc has no token. A machine
 * has one, but a new intent has a new one; EC2 lists a machine that somebody ended as terminated, so nothing is hidden by it:
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/terminating-instances.html
 */
export interface Missing {
  readonly pending: readonly CloudId[];
  readonly once: ReadonlyMap<Kind, readonly CloudId[]>;
  readonly twice: ReadonlyMap<Kind, readonly CloudId[]>;
}

export interface Listed {
  readonly kind: Kind;
  readonly resources: readonly { readonly id: CloudId }[];
  readonly gaps: readonly unknown[];
}

/** `oneByName`: see Holdings. `at`: the start of the observation. */
export function missingOf(
  knowledge: Knowledge,
  listed: readonly Listed[],
  { at, oneByName }: { readonly at: number; readonly oneByName: readonly Kind[] },
): Missing {
  const { settled, ended = new Map() } = knowledge;
  const recreated = recreatedMachines(knowledge);
  const seen = new Set(listed.flatMap(({ resources }) => resources.map(({ id }) => id)));
  const complete = new Set(listed.flatMap(({ kind, gaps }) => (gaps.length === 0 ? [kind] : [])));
  const missing = [...settled].filter(([id, { kind }]) => !seen.has(id) && complete.has(kind));
  const mayStandTwice = (kind: Kind): boolean => standsTwice.has(kind) && !oneByName.includes(kind);
  const proofOf = ({ kind, lastWriteAt, seenAt }: Settled): keyof Missing => {
    if (at - lastWriteAt >= visibilityMs) return 'once';
    return seenAt === undefined || mayStandTwice(kind) ? 'pending' : 'twice';
  };
  const byProof = Map.groupBy(missing, ([, one]) => proofOf(one));
  const endedBefore = [...ended].filter(
    ([id, one]) => !seen.has(id) && complete.has(one.kind) && at - one.at >= visibilityMs && !recreated.has(id),
  );
  return {
    pending: (byProof.get('pending') ?? []).map(([id]) => id),
    once: byKind([...(byProof.get('once') ?? []), ...endedBefore]),
    twice: byKind(byProof.get('twice') ?? []),
  };
}

const standsTwice: ReadonlySet<Kind> = new Set(['network', 'instance']);

/**
 * Of these ids, those that another resource of the observation stands in: a machine in its groups and subnet, a rule in its
 * container. No cloud deletes them before, so they exist, whatever a read by id returns. A peer is no sign: on AWS it may name
 * a group of a peered network that is gone.
 */
export function idsInUse(ids: readonly CloudId[], seen: readonly Observed[]): readonly CloudId[] {
  if (ids.length === 0) return [];
  const named = new Set<CloudId>();
  for (const { kind, attributes, signs, condition } of seen) {
    if (condition.state === 'gone') continue;
    if (signs.container !== undefined) named.add(signs.container);
    if (kind !== 'firewall-rule') for (const ref of refsOf(kind, attributes)) named.add(ref);
  }
  return ids.filter((id) => named.has(id));
}

const byKind = (
  entries: readonly (readonly [CloudId, { readonly kind: Kind }])[],
): ReadonlyMap<Kind, readonly CloudId[]> =>
  new Map([...Map.groupBy(entries, ([, { kind }]) => kind)].map(([kind, of]) => [kind, of.map(([id]) => id)]));

/**
 * Released ids that are gone for good: the cloud lists them as ended, or the window is over and neither a listing nor the read
 * by id that follows it showed them. A recreated machine is remembered until its successor stands: without that nobody could tell
 * its deletion from one by a colleague, and a document that adopts it would never launch the successor.
 */
export function goneForGood(knowledge: Knowledge, { at, resources, gaps }: Observation): readonly CloudId[] {
  const { ended = new Map() } = knowledge;
  if (ended.size === 0) return [];
  const recreated = recreatedMachines(knowledge);
  const states = new Map(resources.map(({ id, condition }) => [id, condition.state]));
  const unsure = new Set(gaps.map(({ kind }) => kind));
  return [...ended].flatMap(([id, one]) => {
    if (recreated.has(id)) return [];
    const state = states.get(id);
    const isProven = state === undefined && at - one.at >= visibilityMs && !unsure.has(one.kind);
    return state === 'gone' || isProven ? [id] : [];
  });
}
