import type { ChangeEntry } from '../../../providers/memory/cloud/history.ts';
import type { ScopePlan } from '../../../src/core/action.ts';
import type { Desired } from '../../../src/core/desired.ts';
import type { InstanceAttributes } from '../../../src/core/resource.ts';
import {
  filterOf,
  keyOfRule,
  namedRulesOf,
  type Packet,
  type Place,
  type ReachWorld,
  reachWorld,
  triedIn,
  wantedPlaces,
} from '../reach.ts';
import type { LookTrace, RunTrace } from '../trace.ts';
import { type Invariant, unique } from './invariant.ts';

/**
 * The other half of invariant 13, over time: no call of ours lets through what got through neither when its plan was made, nor
 * afterwards.
 *
 * - Each plan is judged in the world that its look showed, in which nobody but its run changes anything: so edits by hand and calls of
 *   others while it works, and what it could not see, are not counted against it.
 * - Afterwards is as the specs want it: rules, and machines in the groups that they want them in, or for those that no spec asks for in
 *   those that they stand in. What the plan leaves as it stands (a pause, a gap, a guard) counts too.
 * - Excused is what went through by an old rule, and only so long as that one could not go: see `Excuse`.
 */
export const noOpening: Invariant = {
  number: 13,
  name: 'no traffic opening',
  broken: ({ cloud, runs }) =>
    unique(
      openingsIn(cloud.history.changes, runs).flatMap(({ excuse, words }) => (excuse === undefined ? [words] : [])),
    ),
};

export interface Opening {
  readonly words: string;
  readonly excuse?: Excuse | undefined;
}

/**
 * `circle`: what let it through could not go first, or wanted traffic would have been shut: no gap wins over no opening.
 * `left`: the reconcile did not take the old rule away, or the machine out of its group, and what opened it is a rule: that waits for the order.
 */
type Excuse = 'circle' | 'left';

type Run = Pick<RunTrace, 'name' | 'desired' | 'looks' | 'stuck'>;

/** `runs`: the runs under judgement, by their names in the history. */
export function openingsIn(changes: readonly ChangeEntry[], runs: readonly Run[]): readonly Opening[] {
  const world = reachWorld(triedIn(changes));
  const looks = runs
    .flatMap((run) =>
      (run.looks ?? []).map((look, at, all) => ({
        run,
        look,
        until: all.slice(at).find(({ seq }) => seq > look.seq)?.seq,
      })),
    )
    .toSorted((a, b) => a.look.seq - b.look.seq);
  const views = new Map<string, View>();
  const made = new Map(runs.map(({ name }) => [name, new Set<string>()]));
  return [...Map.groupBy(changes, ({ seq }) => seq).values()].flatMap((call) => {
    const { seq = 0, caller = '' } = call[0] ?? {};
    for (let next = looks[0]; next !== undefined && next.look.seq < seq; next = looks[0]) {
      const own = made.get(next.run.name) ?? new Set();
      views.set(next.run.name, viewOf(next, { world, own }));
      looks.shift();
    }
    for (const change of call) {
      world.apply(change);
      made.get(caller)?.add(change.id);
    }
    return (views.get(caller)?.opened(call) ?? []).map(({ packet, excuse }) => ({
      words: `${caller} opened ${wordsOf(packet)}, which was shut and is not wanted (call ${seq})`,
      excuse,
    }));
  });
}

/** The world as one look showed it. */
interface View {
  /** Takes the changes of a call: the packets that it let through, and should not have. */
  opened(call: readonly ChangeEntry[]): readonly { readonly packet: Packet; readonly excuse: Excuse | undefined }[];
}

interface Shared {
  readonly world: ReachWorld;
  /** The objects of the run itself: it knows of them, listed or not. */
  readonly own: ReadonlySet<string>;
}

/** `until`: when the next look was; absent: never. */
interface Looked {
  readonly run: Run;
  readonly look: LookTrace;
  readonly until: number | undefined;
}

function viewOf(
  { run, look: { shown, plan, seq }, until = Number.POSITIVE_INFINITY }: Looked,
  { world, own }: Shared,
): View {
  const { desired, stuck = [] } = run;
  const seen = world.fork((id) => shown.has(id) || own.has(id));
  const [before, look] = [seen.now(), seen.fork(() => true)];
  const addresses = new Map(
    plan.actions.flatMap((action) => (action.verb === 'delete' ? [[action.observed.id, action.address] as const] : [])),
  );
  const old = new Set(addresses.keys());
  const left = new Set(stuck.flatMap((one) => (one.seq >= seq && one.seq < until ? [one.address] : [])));
  const isLeft = (id: string): boolean => left.has(addresses.get(id) ?? seen.addressOf(id) ?? '');
  const stays = afterwards(desired, plan, { seen, old });
  return {
    opened: (call) => {
      const [shut, first] = [seen.now(), seen.fork(() => true)];
      for (const change of call) seen.apply(change);
      const after = [wantedOf(desired, seen), stays(seen)];
      return call
        .flatMap((change) => seen.touched(change))
        .filter((packet) => seen.reaches(packet) && !shut(packet) && !before(packet))
        .filter((packet) => !after.some(({ reaches }) => reaches(packet)))
        .map((packet) => {
          const by = seen.letting(packet, [...old]);
          const isOrder = call.every(isRuleChange) && [...by, packet.from, packet.to].some(isLeft);
          if (isOrder) return { packet, excuse: 'left' as const };
          return { packet, excuse: isCircle(packet, by, { call, desired, first, look, old }) ? 'circle' : undefined };
        });
    },
  };
}

function wantedOf(desired: readonly Desired[], seen: ReachWorld) {
  const places = wantedPlaces(desired);
  return filterOf(
    desired.flatMap(namedRulesOf),
    seen,
    (id) => places.get(seen.addressOf(id) ?? '') ?? seen.placeOf(id),
  );
}

/** As this plan leaves it, where all of it goes well. */
function afterwards(
  desired: readonly Desired[],
  plan: ScopePlan,
  { seen, old }: { readonly seen: ReachWorld; readonly old: ReadonlySet<string> },
) {
  const kept = [...seen.rules()].flatMap(([id, rule]) => (old.has(id) ? [] : [rule]));
  const moved = new Map(
    plan.actions.flatMap((action): readonly (readonly [string, readonly string[]])[] => {
      if (action.verb !== 'update' || action.kind !== 'instance') return [];
      const { groups } = action.desired.attributes as InstanceAttributes; // why: the kind was checked
      return groups === undefined ? [] : [[action.observed.id, groups]];
    }),
  );
  const placed = (id: string, place: Place | undefined): Place | undefined =>
    place && { ...place, groups: moved.get(id) ?? place.groups };
  return (now: ReachWorld) =>
    filterOf([...kept, ...desired.flatMap(namedRulesOf)], now, (id) => placed(id, now.placeOf(id)));
}

interface Moment {
  readonly call: readonly ChangeEntry[];
  readonly desired: readonly Desired[];
  /** Right before the call. */
  readonly first: ReachWorld;
  readonly look: ReachWorld;
  readonly old: ReadonlySet<string>;
}

type Reach = Pick<ReachWorld, 'reaches'>;

const shuts = (one: Packet, { look, wanted, now }: Readonly<Record<'look' | 'wanted' | 'now', Reach>>): boolean =>
  bothEnds.some((end) => look.reaches(one, end) && wanted.reaches(one, end) && !now.reaches(one, end));

const opens = (one: Packet, { look, final, now }: Readonly<Record<'look' | 'final' | 'now', Reach>>): boolean =>
  now.reaches(one) && !look.reaches(one) && !final.reaches(one);

const bothEnds = ['ingress', 'egress'] as const;

const isRuleChange = ({ before, after }: ChangeEntry): boolean => [before, after].some((one) => one && 'match' in one);

/**
 * Returns whether the step that let a packet through had to wait, directly or indirectly, for the call that opened it. An old rule,
 * or a move of a machine, waits for a step if wanted traffic were shut without it. A move also waits if traffic were opened
 * without it. The waiting step itself is not done then. Each old rule waits for all rules that take over its traffic, even if
 * another rule permits it too, and for any rules at the other end. Each group may have an unlisted member, such as a load balancer.
 */
function isCircle(packet: Packet, by: readonly string[], { call, desired, first, look, old }: Moment): boolean {
  const made = first.fork(() => true);
  for (const change of call) made.apply(change);
  const ends = [packet.from, packet.to].filter(first.isMachine);
  for (const world of [first, look]) world.attachUnlisted();
  const places = wantedPlaces(desired);
  const placeThen = (id: string): Place | undefined => places.get(first.addressOf(id) ?? '') ?? first.placeOf(id);
  const isMoving = (id: string): boolean => placeThen(id)?.groups.join() !== first.placeOf(id)?.groups.join();
  const [standing, then] = [first.rules(), made.rules()];
  const wantedRules = desired.flatMap(namedRulesOf);
  const kept = [...standing].flatMap(([id, rule]) => (old.has(id) ? [] : [rule]));
  const present = new Set([...standing.values()].map(keyOfRule));
  const steps = [
    ...wantedRules.map(keyOfRule).filter((key) => !present.has(key)),
    ...[...old].filter((id) => standing.has(id)),
    ...first.machines().filter(isMoving),
  ];
  const allBut = (missing: ReadonlySet<string>) =>
    filterOf(
      [
        ...kept,
        ...wantedRules.filter((rule) => !missing.has(keyOfRule(rule))),
        ...[...standing].flatMap(([id, rule]) => (old.has(id) && missing.has(id) ? [rule] : [])),
      ],
      first,
      (id) => (missing.has(id) ? first.placeOf(id) : placeThen(id)),
    );
  const wanted = filterOf(wantedRules, first, placeThen);
  const final = allBut(new Set());
  /** A step is wrong if it shuts or opens something while these are missing. */
  const isWrong = (step: string, missing: readonly string[]): boolean => {
    const now = allBut(new Set(missing.filter((one) => one !== step)));
    const packets = old.has(step) ? first.packetsBy(step) : first.packetsOf(step);
    return packets.some(
      (one) => shuts(one, { look, wanted, now }) || (!old.has(step) && opens(one, { look, final, now })),
    );
  };
  // why: a machine that is replaced changes its groups by the launch of its successor
  const replaced = (id: string): readonly string[] => {
    const address = made.isMachine(id) ? made.addressOf(id) : undefined;
    return address === undefined ? [] : first.machines().filter((one) => first.addressOf(one) === address);
  };
  const opening = new Set(
    call.flatMap(({ id }) => [
      id,
      ...replaced(id),
      ...[then.get(id)].flatMap((rule) => (rule ? [keyOfRule(rule)] : [])),
    ]),
  );
  const hasLeft = (id: string): boolean => {
    const moved = filterOf([...then.values()], made, (one) => (one === id ? placeThen(one) : made.placeOf(one)));
    return !opening.has(id) && isMoving(id) && !moved.reaches(packet);
  };
  const reached = new Set([...by, ...ends.filter(hasLeft)]);
  const canWait = (step: string): boolean => old.has(step) || first.isMachine(step);
  return isReached(reached, opening, (step) => {
    if (!canWait(step)) return [];
    // why: of several rules that one call makes, each may take over
    if (isWrong(step, [...opening])) return [...opening];
    const waiting = [[], [...reached], [...reached, ...opening]].filter((missing) => !isWrong(step, missing));
    return steps.filter(
      (other) => !reached.has(other) && waiting.some((missing) => isWrong(step, [...missing, other])),
    );
  });
}

/** Returns whether a step leads to one of these. `reached` grows. */
function isReached(
  reached: Set<string>,
  ends: ReadonlySet<string>,
  next: (step: string) => readonly string[],
): boolean {
  for (const step of reached) {
    if (ends.has(step)) return true;
    for (const one of next(step)) reached.add(one);
  }
  return false;
}

const wordsOf = ({ from, to, protocol, port }: Packet): string => `${protocol}/${port} from ${from} to ${to}`;
