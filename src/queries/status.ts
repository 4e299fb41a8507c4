import type { Bounds } from '../core/access/grant.ts';
import type { CalendarEntry } from '../core/change-windows.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import { byCriticality, type Criticality } from '../core/criticality.ts';
import { titleOf } from '../core/documents/document.ts';
import { isFight } from '../core/fights.ts';
import { isStanding } from '../core/grace.ts';
import type { Status } from '../core/inventory/row.ts';
import { heldStatuses, type WithheldChanges, withheldChangesIn } from '../core/inventory/withheld-changes.ts';
import { type WithheldDrift, withheldDriftIn, withheldStatuses } from '../core/inventory/withheld-drift.ts';
import type { Knowledge } from '../core/knowledge.ts';
import { loosenedGuards } from '../core/loosened-guards.ts';
import type { EndedPatch, Patch } from '../core/patch.ts';
import type { ViolationCount } from '../core/policy/rules.ts';
import type { ScopeKey } from '../core/resource.ts';
import { compareText } from '../core/text.ts';
import type { Lifetime } from '../core/ttl.ts';
import { unfinishedReplacements } from '../core/unfinished-replacements.ts';
import type { Estate } from '../estate/load.ts';
import type { Approval, ListedHealing, Pause, Quarantined, StoppedRollout } from '../ports/fleet-state.ts';
import type { KeptRow, RowQuery } from '../ports/inventory-rows.ts';
import type { Generation } from '../ports/knowledge.ts';
import type { HeldLease } from '../ports/leases.ts';
import type { BreakGlass, EstateAsked, InGrace, Planned, Replacement } from '../ports/queries.ts';
import type { ScopeReconciles } from '../ports/reconciles.ts';
import { followScope, type Pin, type SourceState } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import { everyMsOf } from './cadence.ts';
import { calendarOf, recentBreakGlass } from './change-windows.ts';
import { patchesOf } from './patches.ts';

/** The status of an estate, by its store alone. */
export type EstateStatus = Spoken & InHand;

interface Spoken {
  readonly estate: string;
  /** The newest; absent before the first. */
  readonly generation?: Pick<Generation, 'number' | 'revision'>;
  /** Of the specs in the folder: they are not active where the newest generation has another revision. */
  readonly folder: { readonly dir: string; readonly revision: string };
  /** Most critical first. */
  readonly scopes: readonly ScopeStatus[];
}

/** A lifetime, for people. `rest`: of an estate that has ended. */
export interface ListedLifetime extends Lifetime {
  readonly rest?: Rest;
}

/**
 * The remaining resources of an ended estate, by the newest observations. `unproven`: scopes without a complete observation since the end.
 * Without either the estate is proven to be empty.
 */
export interface Rest {
  readonly resources: number;
  readonly unproven: readonly ScopeKey[];
}

/** Changes of a scope that a limit withholds until a person approves them, by its last observation. */
interface HeldByLimit {
  readonly scope: ScopeKey;
  /** The number of resources that wait for the same. */
  readonly count: number;
  readonly why: string;
}

/** The violations of one policy by one effect and mode. `count`: of resources and rules; a resource that breaks two rules of a policy counts twice. */
export interface PolicyViolations extends Pick<ViolationCount, 'policy' | 'effect' | 'mode'> {
  readonly count: number;
}

interface ListedViolations {
  readonly resources: number;
  readonly policies: readonly PolicyViolations[];
}

interface InHand {
  /** The guards that the generation before has and the newest one has looser, for people: they end with the next change. */
  readonly looserGuards: readonly string[];
  /** Rules of policies that existing resources break, of any author; the worst first. `resources`: the number of these. */
  readonly violations: ListedViolations;
  /** The number of resources that are ours and that no document wants. */
  readonly orphans: number;
  readonly limited: readonly HeldByLimit[];
  /** Other withheld changes: those of a limit, and objects in their grace, have lists of their own. */
  readonly withheldChanges: readonly WithheldChanges[];
  readonly pauses: readonly Pause[];
  readonly patches: readonly Patch[];
  /** Of the last seven days. */
  readonly endedPatches: readonly EndedPatch[];
  readonly lifetimes: readonly ListedLifetime[];
  readonly quarantined: readonly Quarantined[];
  readonly leases: readonly HeldLease[];
  readonly sources: readonly SourceState[];
  /** The worker that follows the sources; absent: none does, so newer commits do not count. */
  readonly follower?: string;
  readonly pin?: Pin;
  readonly unmanagedScopes: readonly UnmanagedScopes[];
  readonly withheldDrift: readonly WithheldDrift[];
  readonly fights: readonly ListedHealing[];
  /** Windows and freezes of the newest generation. */
  readonly calendar: readonly CalendarEntry[];
  /** Of the last seven days. */
  readonly breakGlass: readonly BreakGlass[];
}

export interface ScopeStatus {
  readonly scope: ScopeKey;
  readonly criticality: Criticality;
  /** The observation interval, and the latest time of the next one, where that is known. */
  readonly everyMs: number;
  readonly nextAt?: number;
  /** The newest generation that workers fully applied; 0: none. */
  readonly appliedGeneration: number;
  readonly approvals: readonly Approval[];
  readonly stopped: readonly StoppedRollout[];
  readonly replacements: readonly Replacement[];
  /** Objects whose documents are gone, and that still run; those that go first come first. */
  readonly inGrace: readonly InGrace[];
  /** A reconcile that somebody asked for and nobody has made yet: why. */
  readonly reconcileRequest?: string;
}

export async function estateStatusOf(estate: Estate, store: Store): Promise<EstateStatus> {
  const { name, dir, tree, scopes } = estate;
  const [generation, previous, { rows: held }, pauses, quarantined, leases, sources, pin, dropped] = await Promise.all([
    store.generations.current(name),
    store.generations.previous(name),
    heldRows({ seen: [{ estates: [name] }], filter: { estates: [name] } }, store),
    store.fleet.pauses.active(name),
    store.fleet.quarantine.list(name),
    store.leases.held(name),
    store.sources.states.list(name),
    store.sources.pins.current(name),
    unmanagedScopes(estate, store),
  ]);
  const isOrphan = { estates: [name], statuses: ['Orphan'] } as const;
  const blocked = held.filter(({ state }) => state.status === 'Blocked');
  const [calendar, breakGlass, reconciles, healed, violations, orphans] = await Promise.all([
    calendarOf(name, store),
    recentBreakGlass(name, store),
    store.reconciles.scopes(name),
    store.fleet.fights.list({ estate: name }),
    violationsOf(name, store),
    store.rows.count({ seen: [{ estates: [name] }], filter: isOrphan }),
  ]);
  const ofScope = new Map(reconciles.map((one) => [one.scope, one]));
  const inOrder = scopes.toSorted((a, b) => byCriticality(a.cadence.criticality, b.cadence.criticality));
  const { active: patches, ended } = await patchesOf(name, { store });
  const now = await store.ledger.now();
  const follower = leases.find(({ scope }) => scope === followScope)?.holder;
  return {
    estate: name,
    ...(generation === undefined ? {} : { generation: { number: generation.number, revision: generation.revision } }),
    folder: { dir, revision: tree.revision },
    scopes: await Promise.all(
      inOrder.map(async (one) => ({
        ...paceOf(one, ofScope.get(one.scope)),
        ...(await scopeStatusOf(one.scope, { estate: name, blocked, newest: generation?.number ?? 0 }, store)),
      })),
    ),
    looserGuards: generation && previous ? loosenedGuards(previous.guards, generation.guards) : [],
    violations,
    orphans,
    limited: byLimits(blocked),
    withheldChanges: withheldChangesIn(held).filter(({ code }) => code !== 'limit' && code !== 'grace'),
    pauses,
    patches,
    endedPatches: ended.filter(({ end }) => end.at > now - recentMs),
    lifetimes: await lifetimesOf(estate, store),
    quarantined,
    leases,
    sources,
    follower,
    unmanagedScopes: dropped,
    withheldDrift: withheldDriftIn(held.filter(({ state }) => withheldStatuses.includes(state.status))),
    fights: healed.filter(isFight),
    calendar,
    breakGlass,
    pin,
  };
}

async function violationsOf(estate: string, { estates, rows }: Store): Promise<ListedViolations> {
  const [counts, resources] = await Promise.all([
    estates.violations(estate),
    rows.count({ seen: [{ estates: [estate] }], filter: { estates: [estate], violates: ['*'] } }),
  ]);
  const byPolicy = Map.groupBy(counts, ({ policy, effect, mode }) => JSON.stringify([policy, effect, mode]));
  const policies = [...byPolicy.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { policy, effect, mode } = first;
    return [{ policy, effect, mode, count: same.reduce((sum, { count }) => sum + count, 0) }];
  });
  return { resources, policies: policies.toSorted(byWorst) };
}

/** Enforced denials come first, then enforced rules, denials in audit, and the rest; of each the most frequent. */
const byWorst = (a: PolicyViolations, b: PolicyViolations): number =>
  badness(b) - badness(a) || b.count - a.count || compareText(a.policy, b.policy);

const badness = ({ effect, mode }: PolicyViolations): number =>
  (mode === 'enforce' ? 2 : 0) + (effect === 'deny' ? 1 : 0);

/** The lifetimes of an estate: the next to end first, and at last those that have ended. */
async function lifetimesOf({ name, scopes, tree }: Estate, store: Store): Promise<readonly ListedLifetime[]> {
  const listed = await store.fleet.lifetimes.list(name);
  const untils = new Map(listed.map(({ document, until }) => [document, until]));
  const networks = new Map(
    tree.documents.flatMap((one) => {
      const { spec } = one.value;
      return 'network' in spec ? [[titleOf(one.value), `Network ${spec.network}`] as const] : [];
    }),
  );
  // why: a document ends with its network and its estate
  const all = listed.map((one) => {
    const holders = [networks.get(one.document) ?? '', `Estate ${name}`].flatMap((holder) => untils.get(holder) ?? []);
    return { ...one, until: Math.min(one.until, ...holders) };
  });
  all.sort((a, b) => Number(a.endedAt !== undefined) - Number(b.endedAt !== undefined) || a.until - b.until);
  const own = all.find(({ document, endedAt }) => endedAt !== undefined && document === `Estate ${name}`);
  if (own?.endedAt === undefined) return all;
  const ours = { estates: [name], statuses: standing, claims: ['ours', 'orphan'] };
  const [resources, looks] = await Promise.all([
    store.rows.count({ seen: [{ estates: [name] }], filter: ours }),
    store.rows.looks(name),
  ]);
  const since = own.endedAt;
  const proven = new Set(looks.flatMap(({ scope, at, gaps }) => (at > since && gaps.length === 0 ? [scope] : [])));
  const asked = [...scopes.map(({ scope }) => scope), ...looks.map(({ scope }) => scope)];
  const rest = {
    resources,
    unproven: [...new Set(asked)].filter((scope) => !proven.has(scope)).toSorted(compareText),
  };
  return all.map((one) => (one === own ? { ...one, rest } : one));
}

/** The statuses of resources that may stand on a cloud and be ours. */
const standing = ['InSync', 'Drifted', 'Pending', 'Settling', 'Blocked', 'Failed', 'Orphan', 'Paused'] as const;

/** The time for which status shows an ended patch. */
const recentMs = 7 * 86_400_000;

export const heldByLimits = async (estate: string, store: Pick<Store, 'rows'>): Promise<readonly HeldByLimit[]> =>
  byLimits(await blockedRows({ seen: [{ estates: [estate] }] }, store));

function byLimits(blocked: readonly KeptRow[]): readonly HeldByLimit[] {
  const held = new Map<string, HeldByLimit>();
  for (const { place, state } of blocked) {
    const { code, reason: why } = state;
    const key = `${place.scope} ${why}`;
    if (code === 'limit') held.set(key, { scope: place.scope, why, count: (held.get(key)?.count ?? 0) + 1 });
  }
  return [...held.values()];
}

interface EstateKnown {
  readonly estate: string;
  readonly blocked: readonly KeptRow[];
  readonly newest: number;
}

function paceOf(
  scope: CompiledScope,
  reconciles: ScopeReconciles | undefined,
): Pick<ScopeStatus, 'criticality' | 'everyMs' | 'nextAt'> {
  const nextAt = reconciles?.last?.ending?.nextAt;
  return {
    criticality: scope.cadence.criticality,
    everyMs: everyMsOf(scope, reconciles),
    ...(nextAt === undefined ? {} : { nextAt }),
  };
}

async function scopeStatusOf(
  scope: ScopeKey,
  { estate, blocked, newest }: EstateKnown,
  { fleet, inventory }: Store,
): Promise<Omit<ScopeStatus, 'criticality' | 'everyMs' | 'nextAt'>> {
  const where = { estate, scope };
  const [knowledge, appliedGeneration, approvals, stopped, { request, reason }] = await Promise.all([
    inventory.knowledge(estate, scope),
    fleet.rollouts.standing(where),
    fleet.approvals.active(where),
    fleet.rollouts.stopped(where),
    fleet.requests.pendingState(where),
  ]);
  const replacements = halfReplacedIn(knowledge, blocked);
  return {
    scope,
    appliedGeneration,
    approvals,
    stopped,
    replacements,
    inGrace: inGraceIn(knowledge, newest),
    ...(request === 0 ? {} : { reconcileRequest: reason ?? '' }),
  };
}

export const inGraceIn = ({ tombstones = new Map() }: Knowledge, newest: number): readonly InGrace[] =>
  [...tombstones]
    .filter(([, tombstone]) => isStanding(tombstone, newest))
    .map(([id, { kind, address, since, until }]) => ({ id, kind, address, since, until }))
    .toSorted((a, b) => a.until - b.until || compareText(a.address, b.address));

/** Scopes that no target names any more while we own something there: no reconcile observes them. */
export interface UnmanagedScopes {
  readonly scope: ScopeKey;
  readonly resources: number;
}

export async function unmanagedScopes(
  { name, compiled }: Pick<Estate, 'name' | 'compiled'>,
  store: Store | undefined,
): Promise<readonly UnmanagedScopes[]> {
  const named = new Set(compiled.scopes.map(({ scope }) => scope));
  const holdings = (await store?.estates.holdings(name)) ?? [];
  return holdings.filter(({ scope }) => !named.has(scope));
}

/** At most so many pages are read. */
const mostPages = 10;
const rowsPerPage = 1000;

interface BlockedAsked {
  readonly seen: readonly Bounds[];
  /** Of 1,000 rows. Default: 10. */
  readonly pages?: number;
  readonly filter?: RowQuery['filter'];
}

/** Resources on which the last reconcile could not act, at most 10,000, sorted by address. */
export const blockedRows = async (asked: BlockedAsked, store: Pick<Store, 'rows'>): Promise<readonly KeptRow[]> =>
  (await rowsWith({ ...asked, statuses: ['Blocked'] }, store)).rows;

/** Resources on which the last reconcile did not act as it should, at most 1,000 a page, sorted by address. */
export const heldRows = (asked: BlockedAsked, store: Pick<Store, 'rows'>): Promise<RowsRead> =>
  rowsWith({ ...asked, filter: { ...asked.filter, held: true }, statuses: heldStatuses }, store);

/** `truncated`: there are more than were read. */
export interface RowsRead {
  readonly rows: readonly KeptRow[];
  readonly truncated: boolean;
}

interface StatusesAsked extends BlockedAsked {
  readonly statuses: readonly Status[];
}

/** Resources with one of these statuses by the newest observations, at most 10,000, sorted by address. */
async function rowsWith(
  { seen, filter = {}, statuses, pages = mostPages }: StatusesAsked,
  { rows }: Pick<Store, 'rows'>,
): Promise<RowsRead> {
  const all: KeptRow[] = [];
  let after: string | undefined;
  for (let page = 0; page < pages; page++) {
    const found = await rows.page({
      seen,
      filter: { ...filter, statuses },
      sort: { by: 'address', descending: false },
      limit: rowsPerPage,
      after,
    });
    all.push(...found.rows);
    after = found.next;
    if (after === undefined) break;
  }
  return { rows: all, truncated: after !== undefined };
}

/** `blocked`: rows that say why a replacement goes no further; of the same scope or of more. Sorted by address. */
export function halfReplacedIn(knowledge: Knowledge, blocked: readonly KeptRow[]): readonly Replacement[] {
  const reasons = new Map(blocked.map(({ called, state }) => [called.address, state.reason]));
  return unfinishedReplacements(knowledge).map((one): Replacement => {
    const heldBy = reasons.get(one.address);
    return heldBy === undefined ? one : { ...one, heldBy };
  });
}

/** Drift that workers do not heal, by the newest observations, as far as `seen` shows it. */
export async function withheldDrift(
  { estate, seen, targets }: EstateAsked,
  store: Pick<Store, 'rows'>,
): Promise<readonly WithheldDrift[]> {
  const filter = { estates: [estate], targets };
  return withheldDriftIn((await rowsWith({ statuses: withheldStatuses, seen, filter }, store)).rows);
}

/** The same answer, with the drift that workers leave alone. */
export async function withWithheld(planned: Planned, asked: EstateAsked, store: Pick<Store, 'rows'>): Promise<Planned> {
  const withheld = await withheldDrift(asked, store);
  return withheld.length === 0 ? planned : { ...planned, bound: { ...planned.bound, withheldDrift: withheld } };
}
