import type { Action, ScopePlan } from '../action.ts';
import type { FieldChange } from '../diff.ts';
import { type Exposure, exposureIn } from '../effect/exposure.ts';
import type { Gap, Observation, Observed } from '../observed.ts';
import { alignDesired } from '../plan/align-desired.ts';
import { changesOf } from '../plan/changes.ts';
import { claim, nobodysAs } from '../plan/claim.ts';
import { type Criticalities, criticalitiesOf } from '../plan/criticalities.ts';
import { touchedBy } from '../plan/drift-authors.ts';
import { ignoredText, ignoringUnmanaged } from '../plan/ignored.ts';
import type { IgnoreTerms, PlanInput } from '../plan/plan-input.ts';
import { type World, worldOf } from '../plan/world.ts';
import { type Address, type CloudId, documentOfReplica, type Labels, nameIn, prefixIn } from '../resource.ts';
import { type Attempt, type PlanOutcome, planOutcomesOf, type Subject, subjectsOf } from './plan-outcome.ts';
import { resourceStateOf, sentence } from './resource-state.ts';
import type { Called, Claim, Next, Place, Row, RowOwnership, Sides, State } from './row.ts';

/** One observation of a scope, and its outcome. */
export interface RowsInput {
  readonly input: PlanInput;
  readonly plan: ScopePlan;
  /** All that the plan wanted before anything was withheld. */
  readonly planned: readonly Action[];
  /** Absent: nothing was tried. */
  readonly attempt?: Attempt;
  /** That the specs are of. */
  readonly generation: number;
}

/**
 * The inventory of a scope: one row for every wanted resource and every standing object, in the order of both. Pure; what is
 * tolerated and does not stand has none.
 */
export function rowsOf({ input, plan, planned, attempt = nothingTried, generation }: RowsInput): readonly Row[] {
  const world = worldOf(input, claim(input.observation.resources, input));
  const subjects = subjectsOf(alignDesired(world), world);
  const beside = new Set(subjects.flatMap(({ sort, address }) => (sort === 'beside' && address ? [address] : [])));
  const around: Around = {
    world,
    generation,
    outcomeOf: planOutcomesOf({ plan, planned, attempt }),
    gaps: new Map(input.observation.gaps.map((gap) => [gap.kind, gap])),
    begun: new Set(input.knowledge.pending.map(({ address }) => address)),
    beside,
    ignored: ignoringUnmanaged(world),
    exposure: hasMachines(input.observation) ? exposureIn(input) : new Map(),
    criticalities: criticalitiesOf(input),
  };
  return subjects.map((subject) => rowOf(subject, around));
}

const hasMachines = ({ resources }: Observation): boolean => resources.some(({ kind }) => kind === 'instance');

const nothingTried: Attempt = { failed: [], held: [] };

interface Around {
  readonly world: World;
  readonly generation: number;
  readonly outcomeOf: (subject: Subject) => PlanOutcome;
  readonly gaps: ReadonlyMap<string, Gap>;
  readonly begun: ReadonlySet<Address>;
  readonly beside: ReadonlySet<Address>;
  readonly ignored: ReturnType<typeof ignoringUnmanaged>;
  readonly exposure: ReadonlyMap<CloudId, Exposure>;
  readonly criticalities: Criticalities;
}

function rowOf(subject: Subject, around: Around): Row {
  const outcome = around.outcomeOf(subject);
  const { input } = around.world;
  const claimed = claimOf(subject, outcome);
  const ignored = ignoredOf(subject, around);
  const exposed = around.exposure.get(subject.observed?.id ?? '');
  return {
    key: subject.key,
    place: { ...placeOf(subject, input), targets: targetsOf(subject, outcome, input) },
    called: calledOf(subject, claimed),
    whose: {
      ...rowOwnershipOf(subject, claimed, input),
      ...around.criticalities.of({ address: subject.address, observed: subject.observed }),
      ...(ignored === undefined ? {} : { ignored: termsOf(ignored) }),
    },
    state: {
      ...stateOf(subject, outcome, around),
      ...(ignored === undefined ? {} : { reason: sentence(ignoredText(ignored)) }),
    },
    sides: sidesOf(subject, outcome, input),
    ...(exposed === undefined ? {} : { exposed }),
  };
}

function ignoredOf({ observed, desired, sort }: Subject, { world, ignored }: Around): IgnoreTerms | undefined {
  const one = observed === undefined || desired !== undefined ? undefined : world.byId.get(observed.id);
  return one === undefined || sort !== undefined ? undefined : ignored(one);
}

const termsOf = ({ owner, reason, until }: IgnoreTerms): IgnoreTerms => ({ owner, reason, until });

/** The owner, where the plan has decided about it too. */
function claimOf({ observed, by, desired, sort }: Subject, { action, found }: PlanOutcome): Claim {
  if (observed === undefined) return 'none';
  switch (by?.by) {
    case 'us':
      if (desired !== undefined || action !== undefined || sort !== undefined) return 'ours';
      return found?.type === 'unmanaged' ? 'unmanaged' : 'orphan';
    case 'other':
      return 'other';
    case 'foreign-store':
      return 'foreign-store';
    case 'nobody':
      return nobodysAs(by);
    case undefined:
      return 'unmanaged';
  }
}

function calledOf({ kind, address, desired, observed }: Subject, claimed: Claim): Called {
  const attributes = observed?.attributes ?? desired?.attributes;
  const labels: Labels = attributes !== undefined && 'labels' in attributes ? attributes.labels : {};
  const named = address === undefined ? '' : nameIn(address, kind);
  return {
    name: observed?.name || desired?.name || named,
    ...(address === undefined || (claimed === 'unmanaged' && desired === undefined) ? {} : { address }),
    ...(observed === undefined ? {} : { id: observed.id }),
    labels,
  };
}

function rowOwnershipOf({ desired, observed, address }: Subject, claimed: Claim, input: PlanInput): RowOwnership {
  if (desired !== undefined) {
    const { documents } = desired;
    const owner = documents.find((one) => one.owner !== undefined)?.owner;
    return owner === undefined ? { claim: claimed, documents } : { claim: claimed, owner, documents };
  }
  const owner = claimed === 'ours' || claimed === 'orphan' ? formerOwner(address, observed, input) : undefined;
  return { claim: claimed, ...(owner === undefined ? {} : { owner }), documents: [] };
}

/** As it was written last; of a replica too many its document says it. */
function formerOwner(
  address: Address | undefined,
  observed: Observed | undefined,
  { wanted, knowledge }: PlanInput,
): string | undefined {
  const settled = observed && knowledge.settled.get(observed.id)?.terms.owners?.[0];
  return settled ?? (address === undefined ? undefined : wanted.documents.get(documentOfReplica(address))?.owner);
}

/** Those of its documents, also of a replica or a rule that its document wants no more; of what is nobody's all of the scope. */
function targetsOf({ desired, address }: Subject, { action }: PlanOutcome, { wanted }: PlanInput): readonly string[] {
  const [only, ...others] = desired?.documents ?? action?.documents ?? [];
  if (only === undefined) return spokenTargets(address === undefined ? [] : [documentOfReplica(address)], wanted);
  return spokenTargets(
    [only, ...others].map((one) => one.address),
    wanted,
  );
}

function spokenTargets(
  documents: readonly Address[],
  { documents: spoken, targets }: PlanInput['wanted'],
): readonly string[] {
  if (targets.length === 1) return targets;
  const named = new Set(documents.flatMap((document) => spoken.get(document)?.targets ?? []));
  return named.size === 0 ? targets : targets.filter((target) => named.has(target));
}

function stateOf(subject: Subject, outcome: PlanOutcome, { world, generation, gaps, begun, beside }: Around): State {
  const { address = '', observed } = subject;
  const gap = gaps.get(subject.kind);
  const stand = resourceStateOf({
    subject,
    outcome,
    begun: begun.has(address),
    gap,
    contested: subject.sort !== 'beside' && beside.has(address),
  });
  const applied = subject.desired && world.input.knowledge.applied.get(address)?.generation;
  const by = outcome.action?.by ?? outcome.found?.by ?? (observed && touchedBy(observed, world));
  return {
    ...stand,
    generation: stand.status === 'InSync' ? generation : (applied ?? 0),
    ...(by === undefined ? {} : { by }),
  };
}

function sidesOf(subject: Subject, outcome: PlanOutcome, input: PlanInput): Sides {
  const { desired, observed } = subject;
  const next = nextOf(outcome);
  return {
    ...(desired === undefined
      ? {}
      : {
          desired: {
            attributes: desired.attributes,
            mode: desired.terms.mode,
            protect: desired.terms.protect,
            deletionPolicy: desired.terms.deletionPolicy,
          },
        }),
    ...(observed === undefined
      ? {}
      : {
          observed: {
            attributes: observed.attributes,
            state: observed.condition.state,
            parts: observed.condition.parts ?? [],
            ...(observed.signs.origin === undefined ? {} : { origin: observed.signs.origin }),
          },
        }),
    diff: diffOf(subject, outcome, input),
    ...(next === undefined ? {} : { next }),
  };
}

/** As the action says it; of what is blocked or does not stick nothing else does. */
function diffOf(
  { desired, observed }: Subject,
  { action, found }: PlanOutcome,
  input: PlanInput,
): readonly FieldChange[] {
  if (action !== undefined) return 'changes' in action ? action.changes : [];
  if (desired === undefined || observed === undefined || found === undefined) return [];
  return changesOf(desired, observed, input);
}

function nextOf({ action, held, found }: PlanOutcome): Next | undefined {
  if (action === undefined) return undefined;
  const why = held?.why ?? found?.why;
  return { verb: action.verb, cause: action.cause, ...(why === undefined ? {} : { held: why }) };
}

/**
 * The region of a subject: its address has it, or the place that its name takes, or its scope.
 *
 *   text                                    | region
 *   ----------------------------------------+-------------
 *   aws/111122223333/eu-west-1              | eu-west-1
 *   gcp/acme/europe-west1-b/instance/web-0  | europe-west1-b
 *   gcp/acme/global/network/core            | '': global
 *   gcp/acme                                | ''
 */
function placeOf({ kind, address, observed }: Subject, input: PlanInput): Omit<Place, 'targets'> {
  const { scope } = input.observation;
  const slot = observed?.signs.slot;
  const named = address ?? slot;
  const [, account = ''] = scope.split('/');
  const [, , region = zoneOf(observed?.attributes)] = (named === undefined ? scope : prefixIn(named, kind)).split('/');
  return { scope, cloud: input.dialect.cloud, account, region: region === 'global' ? '' : region, kind };
}

function zoneOf(attributes: object | undefined): string {
  const placement: unknown = attributes && Reflect.get(attributes, 'placement');
  const zone: unknown = Reflect.get(
    typeof placement === 'object' && placement !== null ? placement : (attributes ?? {}),
    'zone',
  );
  return typeof zone === 'string' ? zone : '';
}

/** The storable part of an observation: its rows, and the kinds with gaps. */
interface ObservableResources {
  readonly rows: readonly Row[];
  readonly gaps: readonly Gap[];
}

/**
 * A kind of which something hangs on what was not listed is one that the look cannot tell of either: whose it is is not known.
 * Desired resources of such a kind are reported all the same, even if they were never observed.
 */
export function observableResources(rows: readonly Row[], observation: Observation): ObservableResources {
  const gaps = blindKinds(observation);
  if (gaps.length === observation.gaps.length) return { rows, gaps };
  const hanging = new Set(gaps.slice(observation.gaps.length).map(({ kind }) => kind));
  return { rows: rows.filter(({ place, sides }) => !hanging.has(place.kind) || sides.observed === undefined), gaps };
}

function blindKinds({ gaps, resources }: Observation): readonly Gap[] {
  const [first] = gaps;
  if (first === undefined) return gaps;
  const blind = new Set(gaps.map(({ kind }) => kind));
  const ids = new Set(resources.map(({ id }) => id));
  const hanging = resources.filter(({ kind, signs: { container, parent } }) => {
    const on = container ?? parent;
    return !blind.has(kind) && on !== undefined && !ids.has(on);
  });
  const kinds = new Set(hanging.map(({ kind }) => kind));
  return [...gaps, ...[...kinds].map((kind) => ({ ...first, kind }))];
}
