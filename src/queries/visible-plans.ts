import {
  type Bounds,
  covers,
  encloses,
  reaches,
  type Subject,
  seesAll,
  seesTargets,
  visibleTargets,
} from '../core/access/grant.ts';
import type { Action, Finding, ScopePlan } from '../core/action.ts';
import type { Desired } from '../core/desired.ts';
import type { Settled } from '../core/knowledge.ts';
import type { PauseSubject } from '../core/pause.ts';
import { predictedCalls } from '../core/plan/plan.ts';
import type { PlanBound } from '../core/render/plan-json.ts';
import { type Address, documentOfReplica } from '../core/resource.ts';
import type { OpenedEstate } from '../estate/load.ts';
import type { EstateAsked, Planned, PlanReader, ProposalHead, ScopeLook } from '../ports/queries.ts';
import { type EstateView, lookOf, type ScopeView } from './estate-view.ts';

/** The part of an estate within a caller's bounds. `quantity`: of the owners of one resource; default: some. */
interface Visibility extends Pick<EstateAsked, 'estate' | 'seen'> {
  readonly quantity?: 'some' | 'every';
}

/** Owners of a resource: '' where nobody owns it. Each owner sees a resource that several share, and each may approve it. */
type Owners = readonly string[];

/** The visible part of a view's plans, or of other plans of the same scopes. Leaves out a scope that the caller may not see. */
export function seenOf(survey: EstateView, plans: readonly ScopePlan[], sight: Visibility): Planned {
  const shown = survey.looked.flatMap((view, at) => {
    const plan = plans[at];
    return plan === undefined || !seesScope(view, sight)
      ? []
      : [{ look: lookWithin(view, sight), plan: within(plan, view, sight) }];
  });
  return {
    bound: boundWithin(survey.bound, sight),
    plans: shown.map(({ plan }) => plan),
    looks: shown.map(({ look }) => look),
  };
}

/** Ignores owners: every caller who sees something of a scope sees how complete its observation is. */
export const seesScope = ({ scope: { wanted } }: ScopeView, { estate, seen }: Visibility): boolean =>
  seen.some(({ owners: _, ...bounds }) => covers(bounds, { estate, targets: wanted.targets }));

/** All of a scope is seen: of each target in it, whose ever it is. */
export const seesWholeScope = ({ scope: { wanted } }: ScopeView, { estate, seen }: Visibility): boolean =>
  seesTargets(seen, { estate, targets: wanted.targets });

function lookWithin(view: ScopeView, { estate, seen }: Visibility): ScopeLook {
  const look = lookOf(view);
  return { ...look, targets: visibleTargets(seen, { estate, targets: look.targets }) };
}

/** Counts too are of what is seen alone. */
function within(plan: ScopePlan, view: ScopeView, sight: Visibility): ScopePlan {
  if (seesAll(sight.seen, sight.estate)) return plan;
  const { scope } = plan;
  const actions = plan.actions.filter((action) =>
    holds(ownersFor(action, view, sight), targetsOf(action, view), sight),
  );
  return {
    scope,
    actions,
    findings: plan.findings.filter((finding) => seesFinding(finding, view, sight)),
    calls: { predicted: predictedCalls(actions, view.input) },
  };
}

/** A resource by its address, desired or not. */
export const seesAddress = (address: Address, view: ScopeView, sight: Visibility): boolean =>
  holds(ownersAt(address, view), targetsAt([address], view), sight);

function holds(owners: Owners, targets: readonly string[], { estate, seen, quantity = 'some' }: Visibility): boolean {
  const isHeld = (owner: string): boolean => seen.some((bounds: Bounds) => covers(bounds, { estate, targets, owner }));
  return quantity === 'some' ? owners.some(isHeld) : owners.every(isHeld);
}

/** The former owners must approve too. */
const ownersFor = (action: Action, view: ScopeView, { quantity }: Visibility): Owners =>
  quantity === 'every' ? [...ownersOf(action, view), ...formerOwners(action, view)] : ownersOf(action, view);

function ownersOf(action: Action, view: ScopeView): Owners {
  if (action.documents.length > 0)
    return action.documents.map(({ address, owner }) => owner ?? documentOwner(address, view));
  if (action.verb === 'delete' && action.owners !== undefined && action.owners.length > 0) return action.owners;
  return ownersAt(action.address, view);
}

/** The owners that the store knows, by id and by address; none of a new resource. */
function formerOwners(action: Action, view: ScopeView): Owners {
  const known = formers.get(view) ?? Map.groupBy(view.input.knowledge.settled.values(), ({ address }) => address);
  formers.set(view, known);
  const itself = 'observed' in action ? view.input.knowledge.settled.get(action.observed.id) : undefined;
  const former = [...(known.get(action.address) ?? []), ...(itself === undefined ? [] : [itself])];
  return former.flatMap(({ terms }) => atLeastNobody(terms.owners));
}

const formers = new WeakMap<ScopeView, ReadonlyMap<Address, readonly Settled[]>>();

const targetsOf = ({ address, documents }: Action, view: ScopeView): readonly string[] =>
  targetsAt([address, ...documents.map((document) => document.address)], view);

const documentOwner = (address: Address, { input }: ScopeView): string =>
  input.wanted.documents.get(address)?.owner ?? '';

function ownersAt(address: Address, view: ScopeView): Owners {
  if (view.input.wanted.documents.has(address)) return [documentOwner(address, view)];
  const known = owners.get(view) ?? ownersIn(view);
  owners.set(view, known);
  return atLeastNobody(known.get(address));
}

const owners = new WeakMap<ScopeView, ReadonlyMap<Address, Owners>>();

/** The owners of a desired resource by its documents; of another one by its last write. */
const ownersIn = (view: ScopeView): ReadonlyMap<Address, Owners> =>
  new Map([
    ...[...view.input.knowledge.settled.values()].map(({ address, terms }) => [address, terms.owners ?? []] as const),
    ...view.input.wanted.desired.map(
      ({ address, documents }) =>
        [address, documents.map((document) => document.owner ?? documentOwner(document.address, view))] as const,
    ),
  ]);

/** Of what no document wants: of all targets of its place, as the inventory has it. */
function targetsAt(addresses: readonly Address[], view: ScopeView): readonly string[] {
  const { wanted } = view.input;
  const known = wants.get(view) ?? new Map(wanted.desired.map(({ address, documents }) => [address, documents]));
  wants.set(view, known);
  const documents = addresses.flatMap((address) => [
    ...[address, documentOfReplica(address)],
    ...(known.get(address) ?? []).map((one) => one.address),
  ]);
  const named = documents.flatMap((address) => wanted.documents.get(address)?.targets ?? []);
  return named.length > 0 ? named : wanted.targets;
}

const wants = new WeakMap<ScopeView, ReadonlyMap<Address, Desired['documents']>>();

const atLeastNobody = (owners: Owners = []): Owners => (owners.length === 0 ? [''] : owners);

function seesFinding(finding: Finding, view: ScopeView, sight: Visibility): boolean {
  if ('address' in finding) return seesAddress(finding.address, view, sight);
  if (!('id' in finding)) return true;
  if (finding.of !== undefined) return seesAddress(finding.of, view, sight);
  const owners = atLeastNobody(view.input.knowledge.settled.get(finding.id)?.terms.owners);
  return holds(owners, view.input.wanted.targets, sight);
}

/**
 * The revision and generation of a plan, for a caller. Without a view of all of the estate it has neither the numbers of ledger
 * entries and writes, nor the rejected sources and reasons: only that some are rejected, and since when.
 */
export function boundWithin(bound: PlanBound, { estate, seen }: Pick<EstateAsked, 'estate' | 'seen'>): PlanBound {
  if (seesAll(seen, estate)) return bound;
  const { serial: _, cost: _cost, looserGuards: _guards, sources, ...rest } = bound;
  return { ...rest, ...(sources && { sources: sources.map(({ state, since }) => ({ state, since })) }) };
}

/** True where everything that may be held lies within one of these. */
export const subjectWithin = (
  bounds: readonly Bounds[],
  of: PauseSubject,
  estate: Pick<OpenedEstate, 'name' | 'compiled'>,
): boolean => bounds.some((one) => covers(one, subjectOf(of, estate)));

/** A resource in no specs any more belongs to everybody who has all of the estate. */
export function subjectOf(
  of: PauseSubject,
  { name: estate, compiled }: Pick<OpenedEstate, 'name' | 'compiled'>,
): Subject {
  switch (of.by) {
    case 'estate':
      return { estate };
    case 'target':
      return { estate, targets: [of.name] };
    case 'owner':
      return { estate, owner: of.name };
    case 'address': {
      const scope = compiled.scopes.find(({ scope: key }) => of.name.startsWith(`${key}/`));
      const desired = scope?.wanted.desired.find(({ address }) => address === of.name);
      const document = scope?.wanted.documents.get(desired?.documents[0]?.address ?? of.name);
      return document === undefined ? { estate } : { estate, targets: document.targets, owner: document.owner ?? '' };
    }
  }
}

/**
 * A caller who sees all of an estate sees every plan of it. Others see their own plans, where all that these were made of still
 * lies within their read access: a plan does not outlive the rights that it was made with.
 */
export function seesPlan({ estate, by, seen }: ProposalHead, asker: PlanReader): boolean {
  if (asker.reads.some((bounds) => covers(bounds, { estate }))) return true;
  if (by.caller !== asker.by.caller || seen === undefined) return false;
  const within = seen.filter((one) => reaches(one, estate)).map((one) => ({ ...one, estates: [estate] }));
  return within.length > 0 && within.every((inner) => asker.reads.some((outer) => encloses(outer, inner)));
}
