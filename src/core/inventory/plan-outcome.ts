import {
  type Action,
  actionKey,
  type DriftPart,
  type Finding,
  isInGrace,
  keyBy,
  type ScopePlan,
  type Verb,
  type WithheldFinding,
  withheldKey,
} from '../action.ts';
import type { Desired } from '../desired.ts';
import type { Failure } from '../failure.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Observed } from '../observed.ts';
import type { Claim as Claimant, Claimed } from '../plan/claim.ts';
import type { World } from '../plan/world.ts';
import type { Address, CloudId, Kind } from '../resource.ts';
import { compareText } from '../text.ts';

/** The result of the last attempt to execute a plan, as far as it was not done. */
export interface Attempt {
  readonly failed: readonly Failed[];
  /** The actions that were not sent, and the reasons. */
  readonly held: readonly Finding[];
}

/** A call that a person must look into. */
interface Failed {
  readonly verb: Verb;
  readonly address: Address;
  readonly part?: DriftPart;
  readonly failure: Failure;
}

/** The action for one subject, and the reason that it is held. */
export interface PlanOutcome {
  readonly action?: Action;
  /** The reason that the action is not executed. */
  readonly held?: WithheldFinding;
  readonly failed?: Failed;
  /** The finding instead of an action. */
  readonly found?: Exclude<Finding, WithheldFinding>;
}

type Stop = Extract<Finding, { readonly type: 'wrong-account' | 'foreign-store' }>;

interface Done {
  readonly plan: ScopePlan;
  /** All that the plan wanted before anything was withheld. */
  readonly planned: readonly Action[];
  readonly attempt: Attempt;
}

/** Tells of each subject what is to be done about it. */
export function planOutcomesOf({ plan, planned, attempt }: Done): (subject: Subject) => PlanOutcome {
  const actions = new Map(
    planned.flatMap((action) => (action.verb === 'forget' ? [] : [[keyOfAction(action), action]])),
  );
  const held = new Map([...attempt.held, ...plan.findings].filter(isWithheld).map((one) => [withheldKey(one), one]));
  const failed = new Map(attempt.failed.map((one) => [keyBy(one), one]));
  const found = new Map<string, PlanOutcome['found']>();
  for (const one of plan.findings) if (!isWithheld(one)) for (const key of keysOfFinding(one)) found.set(key, one);
  const stop = plan.findings.find(isStop);
  return (subject) => {
    const action = actionOf(subject, actions);
    const key = action && actionKey(action);
    const why = held.get(key ?? '');
    const failure = failed.get(key ?? '') ?? (action && isInGrace(action) ? failed.get(stopKey(action)) : undefined);
    const instead = action === undefined ? foundOf(subject, found) : stop;
    return { action, held: why, failed: failure, found: instead };
  };
}

/** The key of the stop for a grace. A plan notes the deletion for both. */
const stopKey = ({ address }: Action): string => keyBy({ verb: 'update', address });

const isStop = (one: Finding): one is Stop => one.type === 'wrong-account' || one.type === 'foreign-store';
const isWithheld = (one: Finding): one is WithheldFinding => one.type === 'withheld';

/** An existing resource is known by its id, and a new one by its address. */
const keyOfAction = (action: Action): string =>
  'observed' in action ? `${action.kind} ${action.observed.id}` : action.address;

function actionOf({ desired, observed }: Subject, actions: ReadonlyMap<string, Action>): Action | undefined {
  const own = observed && actions.get(`${observed.kind} ${observed.id}`);
  return own ?? (desired && actions.get(desired.address));
}

function keysOfFinding(finding: Finding): readonly string[] {
  if ('id' in finding) return [`${finding.kind} ${finding.id}`];
  return 'address' in finding ? [finding.address] : [];
}

function foundOf(
  { address, observed }: Subject,
  found: ReadonlyMap<string, PlanOutcome['found']>,
): PlanOutcome['found'] {
  const own = observed && found.get(`${observed.kind} ${observed.id}`);
  return own ?? (address === undefined ? undefined : found.get(address));
}

/** The subject of one row: a desired resource, an existing object, or both. */
export interface Subject extends Sighted {
  readonly key: string;
  readonly kind: Kind;
  readonly address?: Address;
  readonly desired?: Desired;
}

/** `observed`: its Refs are addresses where they are ours. */
interface Sighted {
  readonly observed?: Observed;
  readonly by?: Claimant;
  /**
   * `beside`: another object has its address, and counts · `passing`: the cloud lists what is gone or going · `uncontained`:
   * what it is in was not listed, so whose it is cannot be told.
   */
  readonly sort?: 'beside' | 'passing' | 'uncontained';
}

/**
 * Pairs what is wanted with what stands for it, each in exactly one subject.
 *
 *   wanted | standing at its address             | subjects
 *   -------+-------------------------------------+------------------------------------------------------------
 *   yes    | nothing                             | one; none where it is only tolerated
 *   yes    | nothing, but `adopt` names one       | one of both
 *   yes    | nothing, but a rule that is adopted with its container | one of both
 *   yes    | nothing, but one whose container was not listed | one of both
 *   yes    | one                                 | one of both
 *   yes    | several                             | one with the settled one, else the lowest id; one for each other
 *   no     | –                                   | one for each object, what is gone or going included
 */
export function subjectsOf(desired: readonly Desired[], world: World): readonly Subject[] {
  const taken = new Set<CloudId>();
  const passing = passersIn(world);
  const hidden = new Map(
    passing.flatMap((one) => (one.sort === 'uncontained' && one.address !== undefined ? [[one.address, one]] : [])),
  );
  const paired = desired.flatMap((one): readonly Subject[] => pair(one, { world, hidden, taken }));
  const keys = new Set(paired.map(({ key }) => key));
  const alone = [...world.claimed.map(standing), ...passing].flatMap((one): readonly Subject[] => {
    const { id } = one.observed;
    if (taken.has(id)) return [];
    taken.add(id);
    const isFirst = one.address !== undefined && one.sort !== 'passing' && !keys.has(one.address);
    const subject = { ...one, key: isFirst ? one.address : keyOf(one.observed) };
    keys.add(subject.key);
    return [subject];
  });
  return [...paired, ...alone];
}

type Standing = Omit<Subject, 'key'> & { readonly observed: Observed };

const keyOf = ({ kind, id }: Observed): string => `${kind} ${id}`;

const standing = ({ observed, claim }: Claimed): Standing => ({
  kind: observed.kind,
  observed,
  by: claim,
  ...(claim.by === 'us' ? { address: claim.address } : {}),
});

/** Objects that nobody claims in a plan: gone or going, or rules whose container was not listed. */
function passersIn({ input: { observation, knowledge }, byId }: World): readonly Standing[] {
  return observation.resources
    .filter(({ id }) => !byId.has(id))
    .map((observed) => {
      const address = knownAt(observed, knowledge);
      const { state } = observed.condition;
      const sort = state === 'ready' || state === 'pending' ? 'uncontained' : 'passing';
      const by = address === undefined ? {} : ({ address, by: { by: 'us', address } } as const);
      return { kind: observed.kind, observed, sort, ...by };
    });
}

function knownAt({ id, signs: { mark } }: Observed, { settled, estate, store }: Knowledge): Address | undefined {
  const isOurs = mark !== undefined && mark.estate === estate && (store === undefined || mark.store === store);
  return settled.get(id)?.address ?? (isOurs ? mark.address : undefined);
}

interface Pairing {
  readonly world: World;
  /** Rules whose container was not listed, by the address that they are settled at. */
  readonly hidden: ReadonlyMap<Address, Standing>;
  readonly taken: Set<CloudId>;
}

function pair(desired: Desired, { world, hidden, taken }: Pairing): readonly Subject[] {
  const { address, kind, terms } = desired;
  const wanted = { key: address, kind, address, desired };
  const [keeper, ...others] = keeperFirst(world.ours.get(address) ?? [], world.input.knowledge);
  const present = keeper === undefined ? standIn(desired, { world, hidden, taken }) : standing(keeper);
  if (present === undefined) return terms.presence === 'tolerated' ? [] : [wanted];
  const beside = others.filter(({ observed }) => !taken.has(observed.id) && observed.id !== present.observed.id);
  for (const { observed } of [present, ...beside]) taken.add(observed.id);
  return [
    { ...present, ...wanted },
    ...beside.map((one) => ({ ...standing(one), key: keyOf(one.observed), sort: 'beside' as const })),
  ];
}

/** An object that is not ours at that address, and yet is the one that it asks for. */
function standIn({ address, kind, terms }: Desired, { world, hidden, taken }: Pairing): Standing | undefined {
  const uncontained = hidden.get(address);
  if (uncontained !== undefined) return taken.has(uncontained.observed.id) ? undefined : uncontained;
  const found = world.byId.get(terms.claim?.adopt ?? world.adoptedRules.get(address)?.id ?? '');
  const isAdopted = found?.claim.by === 'nobody' && found.observed.kind === kind && !taken.has(found.observed.id);
  return isAdopted ? standing(found) : undefined;
}

const keeperFirst = (present: readonly Claimed[], { settled }: Knowledge): readonly Claimed[] =>
  present.length < 2
    ? present
    : present.toSorted(
        (a, b) =>
          Number(settled.has(b.observed.id)) - Number(settled.has(a.observed.id)) ||
          compareText(a.observed.id, b.observed.id),
      );
