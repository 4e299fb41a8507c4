import { canonical } from '../../../src/core/ledger/canonical.ts';
import { type EstateCount, estateCount, type Place, placeKey } from '../../../src/core/ledger/estate-count.ts';
import {
  allowanceIn,
  fieldOf,
  type Limits,
  plus,
  stricterCostLimit,
  stricterLimits,
} from '../../../src/core/limits.ts';
import { costCount } from '../../../src/core/plan/cost-limit.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type {
  Intended,
  IntentDraft,
  Ledger,
  LedgerFilter,
  OnTheWay,
  Reconcile,
  Settlement,
} from '../../../src/ports/ledger.ts';
import { reserving, settledUses, unapproved } from '../../../src/store/approvals.ts';
import { areGuardsOver, isGuarded, overruled, staleness } from '../../../src/store/intents.ts';
import { birthChanges } from '../../../src/store/launch-health.ts';
import {
  type ActionKey,
  actionKey,
  fieldsOf,
  heldPlace,
  type IntentRecord,
  intentBody,
  keyText,
  noteBody,
  placeOf,
  settlementBody,
} from '../../../src/store/ledger-entries.ts';
import { notCounted } from '../../../src/store/scope-costs.ts';
import {
  type Settleable,
  type SettledChanges,
  type Settling,
  settledAs,
  settledChanges,
  settling,
  withoutOutdated,
} from '../../../src/store/settled-changes.ts';
import { tombstonesIn } from '../../../src/store/tombstones.ts';
import { usableApprovals } from './approvals.ts';
import { saveBirths } from './launch-health.ts';
import {
  append,
  type CountedPlace,
  checkLease,
  countedAt,
  type EstateMemory,
  estateOf,
  type IntentMemory,
  leaseKey,
  type Memory,
  ownedBy,
  pendingIntent,
  type ScopeMemory,
  scopeOf,
} from './memory.ts';

export function memoryLedger(memory: Memory, clock: Clock): Ledger {
  return {
    intend: async (reconcile, drafts) => intend({ memory, reconcile, at: clock.now() }, drafts),
    settle: async (reconcile, settlements) => settle({ memory, reconcile, at: clock.now() }, settlements),
    note: async (estate, note) =>
      append(estateOf(memory, estate), { at: clock.now(), type: 'note', body: noteBody(estate, note) }),
    guardEpoch: async (estate) => memory.estates.get(estate)?.guard.epoch ?? 0,
    now: async () => clock.now(),
    onTheWay: async (estate) => onTheWay(estateOf(memory, estate)),
    entries: (filter) => entries(memory, filter),
  };
}

const onTheWay = ({ open, guard }: EstateMemory): readonly OnTheWay[] =>
  [...open.values()]
    .filter(({ record: { action }, guardEpoch }) => !callsNothing.has(action.verb) && guardEpoch < guard.epoch)
    .map(({ record, scope }) => ({
      ...{ intent: record.intent, scope },
      ...{ address: record.action.address, verb: record.action.verb },
    }))
    .toSorted((a, b) => (`${a.scope} ${a.address}` < `${b.scope} ${b.address}` ? -1 : 1));

const callsNothing: ReadonlySet<string> = new Set(['forget', 'tombstone']);

interface Write {
  readonly memory: Memory;
  readonly reconcile: Reconcile;
  readonly at: number;
}

function intend(write: Write, drafts: readonly IntentDraft[]): readonly Intended[] {
  checkLease(write.memory, write.reconcile, write.at);
  const estate = estateOf(write.memory, write.reconcile.estate);
  const count = drafts.some(({ counts }) => counts) ? countOf(write, estate) : undefined;
  const { reserved, refused } = reserving(drafts, usableApprovals(write.memory, write.reconcile, write.at));
  const answers = drafts.map((draft) =>
    refused.has(draft) && guardEpochOf(write, estate) !== undefined
      ? unapproved
      : intendOne(write, estate, draft, count),
  );
  const { approvedIntents } = write.memory.fleet;
  for (const { nth, ...use } of reserved) {
    const answer = answers[nth];
    if (!answer?.ok) continue;
    const key = `${answer.intent} ${use.seq}`;
    if (!approvedIntents.has(key))
      approvedIntents.set(key, { ...use, done: false, estate: estate.name, intent: answer.intent });
  }
  return answers;
}

function intendOne(write: Write, estate: EstateMemory, draft: IntentDraft, count?: EstateCount): Intended {
  const { memory, reconcile, at } = write;
  if (isGuarded(draft) && guardEpochOf(write, estate) === undefined) return overruled;
  const action = actionKey(draft);
  const { applied } = scopeOf(estate, reconcile.scope);
  const stale = staleness(reconcile, action.address, applied.get(action.address)?.generation);
  if (stale !== undefined) return stale;
  const key = openKey(reconcile.scope, action);
  const open = estate.open.get(estate.openActions.get(key) ?? '')?.record;
  const place = open ? undefined : placeOf(reconcile, draft);
  const why = (open ? undefined : takeCost(write, estate, draft)) ?? (place && count?.take(place));
  if (why !== undefined) return { ok: false, reason: 'limit', why };
  const { generation } = reconcile.authority;
  const intent = open?.intent ?? memory.nextId();
  const attempt = (open?.attempt ?? 0) + 1;
  const record: IntentRecord = { intent, action, attempt, at, generation, fields: fieldsOf(draft) };
  const settled = estate.open.get(intent)?.settled ?? null;
  const details = JSON.parse(canonical(draft.details));
  estate.open.set(intent, { record, scope: reconcile.scope, details, settled, guardEpoch: estate.guard.epoch });
  estate.openActions.set(key, intent);
  if (place && !holders(estate, { ...place, generation }).length) move(estate, { ...place, generation }, -1);
  if (place) estate.places.set(intent, { ...heldPlace(place, intent), generation, at });
  append(estate, { at, type: 'intent', body: intentBody(reconcile, draft, record) });
  return { ok: true, intent, attempt };
}

/** As `heldGuardEpoch` of the real store. */
function guardEpochOf({ memory, reconcile, at }: Write, { guard }: EstateMemory): number | undefined {
  if (areGuardsOver(reconcile, at)) return undefined;
  const judged = reconcile.guardEpoch ?? memory.leases.get(leaseKey(reconcile.estate, reconcile.scope))?.guardEpoch;
  return judged === guard.epoch ? guard.epoch : undefined;
}

type OfGeneration = Place & Pick<CountedPlace, 'generation'>;

/** Places of the same subject. */
const holders = ({ places }: EstateMemory, place: OfGeneration): readonly CountedPlace[] =>
  [...places.values()].filter(
    (one) => one.by === place.by && one.generation === place.generation && placeKey(one) === placeKey(place),
  );

/** Subtracts a change with a place from the remaining work of its scope, and adds it once the place is returned. */
function move({ scopeCounts }: EstateMemory, { by, as, scope, generation }: OfGeneration, more: number): void {
  const kept = scopeCounts.get(scope);
  if (by !== 'generation' || kept?.generation !== generation) return;
  const { [fieldOf[as]]: now } = kept.count;
  scopeCounts.set(scope, { ...kept, count: plus(kept.count, as, Math.max(more, -now)) });
}

const openKey = (scope: string, action: ActionKey): string => `${scope} ${keyText(action)}`;

function limitsOf({ reconcile }: Write, estate: EstateMemory): Limits {
  const { generation } = reconcile.authority;
  const active = estate.generations.find(({ number }) => number === generation);
  if (!active) throw new Error(`generation ${generation} of estate ${reconcile.estate} was never accepted`);
  const before = estate.generations.findLast(({ number }) => number < generation);
  return stricterLimits(active.guards.limits, before?.guards.limits);
}

/** As `takeCosts` of the real store. */
function takeCost(write: Write, estate: EstateMemory, draft: IntentDraft): string | undefined {
  const { scope, authority } = write.reconcile;
  const { raisesCostBy = 0 } = draft;
  const newest = estate.generations.at(-1)?.guards.limits.cost;
  const limit = raisesCostBy > 0 ? stricterCostLimit(limitsOf(write, estate).cost, newest) : undefined;
  if (limit === undefined) return undefined;
  const own = estate.scopeCosts.get(scope);
  if (own === undefined) return notCounted;
  const all = [...estate.scopeCosts].map(([key, cost]) => ({ scope: key, ...cost }));
  const count = costCount({ limit, allowCost: authority.allowCost }, { scope, ...own }, all);
  const why = count.take(raisesCostBy, draft.approval !== undefined);
  const plannedIncrease = Math.max(0, own.plannedIncrease - count.taken);
  estate.scopeCosts.set(scope, { ...own, monthly: own.monthly + count.taken, plannedIncrease });
  return why;
}

function countOf(write: Write, estate: EstateMemory): EstateCount {
  const { reconcile, at } = write;
  const { generation } = reconcile.authority;
  const ran = countedAt(estate, generation, at);
  const bounds = {
    limits: limitsOf(write, estate),
    owned: ownedBy(estate, ran),
    ...allowanceIn(reconcile.authority),
  };
  return estateCount(bounds, ran);
}

function settleUses(
  { fleet: { approvedIntents, approvals } }: Memory,
  { estate, scope }: Reconcile,
  { spent, returned }: ReturnType<typeof settledUses>,
): void {
  for (const [key, use] of [...approvedIntents]) {
    if (returned.includes(use.intent)) approvedIntents.delete(key);
    if (!spent.includes(use.intent)) continue;
    const later = approvals.filter(
      (one) => one.estate === estate && one.scope === scope && one.seq > use.seq && one.actions.includes(use.digest),
    );
    for (const seq of [use.seq, ...later.map((one) => one.seq)])
      approvedIntents.set(`${use.intent} ${seq}`, { ...use, seq, done: true });
  }
}

function settle({ memory, reconcile, at }: Write, settlements: readonly Settlement[]): void {
  checkLease(memory, reconcile);
  const estate = estateOf(memory, reconcile.estate);
  const told = settling(reconcile, settlements, settleable(estate, reconcile.scope, settlements));
  const { applied } = scopeOf(estate, reconcile.scope);
  const all = withoutOutdated(told, new Map([...applied].map(([address, { generation }]) => [address, generation])));
  const changes = settledChanges(all);
  for (const { settlement, record } of all)
    append(estate, { at, type: 'settlement', body: settlementBody(reconcile, settlement, record) });
  for (const one of told) noteSettled(estate, one);
  const uses = settledUses(all);
  settleUses(memory, reconcile, uses);
  for (const id of changes.returned) {
    const place = estate.places.get(id);
    estate.places.delete(id);
    if (place && !holders(estate, place).length) move(estate, place, 1);
  }
  const scope = scopeOf(estate, reconcile.scope);
  closeIntents(estate, scope, changes);
  saveBirths(scope, birthChanges(all));
  change(scope, changes, at);
  for (const id of changes.claims.keys()) scope.tombstones.delete(id);
  for (const { id, forMs, ...made } of tombstonesIn(all))
    scope.tombstones.set(id, { ...made, since: at, until: at + forMs });
  for (const [id, effect] of changes.claims)
    if (effect !== 'release' && effect.do === 'claim' && effect.terms.protect)
      memory.fleet.onceProtected.add(`${reconcile.scope} ${id}`);
}

function noteSettled({ open, closed }: EstateMemory, one: Settling): void {
  const { intent } = one.record;
  const settled = settledAs(one);
  const [whileOpen, once] = [open.get(intent), closed.get(intent)];
  if (whileOpen) open.set(intent, { ...whileOpen, settled });
  if (once) closed.set(intent, { ...once, settled });
}

function closeIntents(estate: EstateMemory, { expiredIntents }: ScopeMemory, changes: SettledChanges): void {
  for (const id of changes.expiredIntents) {
    const closing = estate.open.get(id);
    if (closing) expiredIntents.set(id, pendingIntent(closing));
  }
  for (const id of changes.cameLate) expiredIntents.delete(id);
  for (const id of changes.closed) {
    const closing = estate.open.get(id);
    if (closing) close(estate, closing);
  }
}

function settleable(
  estate: EstateMemory,
  scope: string,
  settlements: readonly Settlement[],
): ReadonlyMap<string, Settleable> {
  const { open, closed } = estate;
  const { expiredIntents } = scopeOf(estate, scope);
  const known = settlements.flatMap(({ intent }) => {
    const isOpen = open.has(intent);
    const found = open.get(intent) ?? closed.get(intent);
    if (found?.scope !== scope) return [];
    const { record, settled } = found;
    return [[intent, { ...record, open: isOpen, expired: expiredIntents.has(intent), settled }] as const];
  });
  return new Map(known);
}

function close(estate: EstateMemory, { record, scope, settled }: IntentMemory): void {
  estate.open.delete(record.intent);
  estate.closed.set(record.intent, { record, scope, settled });
  estate.openActions.delete(openKey(scope, record.action));
}

export function change(scope: ScopeMemory, changes: SettledChanges, at: number): void {
  for (const id of changes.written) {
    const claim = scope.claims.get(id);
    if (claim) scope.claims.set(id, { ...claim, lastWriteAt: at });
  }
  for (const [id, effect] of changes.claims) changeClaim(scope, id, effect, at);
  apply(scope, changes.applied);
  for (const [address, { fields, generation }] of changes.updated) {
    const last = scope.unstuck.get(address);
    const again = last?.fields === fields && last.generation === generation;
    scope.unstuck.set(address, { fields, generation, times: again ? last.times + 1 : 1 });
  }
}

type ClaimChange = SettledChanges['claims'] extends ReadonlyMap<string, infer Change> ? Change : never;

function changeClaim(scope: ScopeMemory, id: string, effect: ClaimChange, at: number): void {
  const was = scope.claims.get(id);
  const known = scope.ended.get(id);
  const gone = known?.as === 'gone' ? known : undefined;
  const address = was?.address ?? known?.address;
  scope.claims.delete(id);
  scope.ended.delete(id);
  if (effect === 'release') return;
  const { subject } = effect;
  if (effect.do === 'end') {
    const kept = was ? { was } : {};
    scope.ended.set(id, { as: effect.as, kind: subject.kind, address: address ?? subject.address, at, ...kept });
    return;
  }
  // why: as the real store's triggers count
  if ((gone?.address ?? was?.address) !== subject.address)
    scope.incarnations.set(subject.address, (scope.incarnations.get(subject.address) ?? 0) + 1);
  const seen = was?.seenAt === undefined ? {} : { seenAt: was.seenAt };
  scope.claims.set(id, { address: subject.address, kind: subject.kind, lastWriteAt: at, ...seen, terms: effect.terms });
}

/** Never back to a lower generation. */
export function apply(scope: ScopeMemory, changes: SettledChanges['applied']): void {
  for (const [address, applied] of changes) {
    if ((scope.applied.get(address)?.generation ?? 0) > applied.generation) continue;
    scope.applied.set(address, structuredClone(applied));
  }
}

async function* entries(
  memory: Memory,
  { estate, address, after = 0, limit = Number.POSITIVE_INFINITY }: LedgerFilter,
) {
  const names = estate === undefined ? [...memory.estates.keys()].sort() : [estate];
  let left = limit;
  for (const name of names)
    for (const entry of memory.estates.get(name)?.chain.entries ?? []) {
      if (entry.seq <= after || (address !== undefined && entry.body['address'] !== address)) continue;
      if (left-- <= 0) return;
      yield entry;
    }
}
