import { fightKey, isFight, ruleField } from '../../../src/core/fights.ts';
import type { Knowledge, PendingIntent } from '../../../src/core/knowledge.ts';
import type { Observation, Observed } from '../../../src/core/observed.ts';
import { baseRevision } from '../../../src/core/patch.ts';
import type { Address, ScopeKey } from '../../../src/core/resource.ts';
import { unfinishedReplacements } from '../../../src/core/unfinished-replacements.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import { type Generations, type Inventory, Overtaken } from '../../../src/ports/knowledge.ts';
import { Pinned } from '../../../src/ports/sources.ts';
import { acceptedOf, isOfAny, liftedBy } from '../../../src/store/generations.ts';
import { mostExpiredIntents } from '../../../src/store/knowledge.ts';
import { noteBody } from '../../../src/store/ledger-entries.ts';
import { resourceChanges, resourceKey, seenFirst } from '../../../src/store/observations.ts';
import { standingChanges } from '../../../src/store/settled-changes.ts';
import { authorityOf, confirmedIn, documentsNamed, endedNote } from '../../../src/store/tombstones.ts';
import { listedFights } from './fleet.ts';
import { newestTouches } from './last-modified.ts';
import { judgeBirths, readBirths } from './launch-health.ts';
import { apply } from './ledger.ts';
import {
  append,
  checkLease,
  type EstateMemory,
  estateOf,
  type Memory,
  pendingIntent,
  publishEventsIn,
  type ScopeMemory,
  scopeOf,
  spentBy,
  whereKey,
} from './memory.ts';
import { decide, decideLifetimes } from './patches.ts';

export function memoryInventory(memory: Memory, clock: Clock): Inventory {
  return {
    knowledge: async (estate, scope) => ({
      ...knowledge(memory, estate, scope),
      readAt: clock.now(),
      healed: new Map(
        listedFights(memory, { estate, scope }, clock.now())
          .filter((one) => isFight(one) || one.field === ruleField)
          .map(({ scope: _, closes: __, ...one }) => [fightKey(one), one]),
      ),
    }),
    record: async (estate, observation) => record(scopeOf(estateOf(memory, estate), observation.scope), observation),
    latest: async (estate, only) =>
      [...estateOf(memory, estate).scopes]
        .filter(([key]) => only === undefined || key === only)
        .sort(byKey)
        .flatMap(([, scope]) => newest(scope)),
    halfReplaced: async (estate) => {
      const scopes = [...estateOf(memory, estate).scopes.keys()];
      return new Set(scopes.filter((scope) => unfinishedReplacements(knowledge(memory, estate, scope)).length > 0));
    },
    onceProtected: async (estate) => {
      const scopes = [...estateOf(memory, estate).scopes];
      const ids = scopes.flatMap(([key, { claims }]) => [...claims.keys()].map((id) => [id, key] as const));
      const once = ids.filter(([id, key]) => memory.fleet.onceProtected.has(`${key} ${id}`));
      return new Map([...Map.groupBy(once, ([id]) => id)].map(([id, all]) => [id, all.map(([, key]) => key)]));
    },
    unrecorded: async (intents) => {
      const estates = [...memory.estates.values()];
      return new Set(
        intents.filter((intent) => !estates.some(({ open, closed }) => open.has(intent) || closed.has(intent))),
      );
    },
    buried: async (estate, scope, ids) => {
      for (const id of ids) scopeOf(estateOf(memory, estate), scope).ended.delete(id);
    },
    converged: async (estate, addresses) => {
      for (const { unstuck } of estateOf(memory, estate).scopes.values())
        for (const address of addresses) unstuck.delete(address);
    },
    births: async (reconcile, verdicts) => {
      checkLease(memory, reconcile);
      judgeBirths(estateOf(memory, reconcile.estate), reconcile, verdicts, clock.now());
    },
    tombstones: async (reconcile, { kept, ended }) => {
      checkLease(memory, reconcile, clock.now());
      const estate = estateOf(memory, reconcile.estate);
      const { generation } = reconcile.authority;
      if (estate.generations.at(-1)?.number !== generation) return;
      const scope = scopeOf(estate, reconcile.scope);
      for (const id of kept) {
        const known = scope.tombstones.get(id);
        if (known) scope.tombstones.set(id, { ...known, generation });
      }
      for (const id of ended) {
        const known = scope.tombstones.get(id);
        scope.tombstones.delete(id);
        const body = known && noteBody(reconcile.estate, endedNote(reconcile, { id, ...known }));
        if (body) append(estate, { at: clock.now(), type: 'note', body });
      }
    },
    confirm: async (reconcile, standing) => {
      checkLease(memory, reconcile, clock.now());
      apply(scopeOf(estateOf(memory, reconcile.estate), reconcile.scope), standingChanges(reconcile, standing));
    },
    history: async (estate, id) =>
      [...estateOf(memory, estate).scopes.values()]
        .flatMap(({ sightings }) => sightings.filter(({ resource }) => resource.id === id))
        .sort((a, b) => b.at - a.at)
        .slice(0, 100),
  };
}

function knowledge(memory: Memory, name: string, key: ScopeKey): Knowledge {
  const estate = estateOf(memory, name);
  const scope = scopeOf(estate, key);
  const touches = newestTouches(memory, { estate: name, scope: key });
  return {
    estate: name,
    store: memory.store,
    settled: new Map(scope.claims),
    pending: pending(estate, key),
    applied: new Map(
      [...scope.applied].flatMap(([address, { generation, body }]) =>
        body ? [[address, { ...structuredClone(body), generation }]] : [],
      ),
    ),
    unstuck: new Map([...scope.unstuck].map(([address, { times }]) => [address, times])),
    incarnations: new Map(scope.incarnations),
    ended: new Map([...scope.ended].map(([id, { was: _, ...ended }]) => [id, ended])),
    births: readBirths(scope, memory.fleet.rollouts.get(whereKey({ estate: name, scope: key }))),
    expiredIntents: new Map([...scope.expiredIntents].slice(-mostExpiredIntents)),
    ...(touches.size === 0 ? {} : { touches }),
    ...(scope.looked?.outerFilters ? { outerFilters: structuredClone(scope.looked.outerFilters) } : {}),
    ...(scope.looked?.images ? { images: structuredClone(scope.looked.images) } : {}),
    ...(scope.tombstones.size === 0 ? {} : { tombstones: tombstones(memory, estate, scope) }),
  };
}

function tombstones(memory: Memory, { name, generations }: EstateMemory, scope: ScopeMemory) {
  const { withdrawn, approvedIntents } = memory.fleet;
  const known = [...scope.tombstones].map(([id, { intent, byPerson, ...stone }]) => {
    const seqs = [...approvedIntents.values()]
      .flatMap((use) => (use.intent === intent ? [use.seq] : []))
      .sort((a, b) => a - b);
    const isWithdrawn = seqs.some((seq) => withdrawn.has(`${name} ${seq}`));
    const approval = seqs.length === 0 ? undefined : { seqs, withdrawn: isWithdrawn };
    return [id, { ...stone, ...authorityOf(byPerson, approval) }] as const;
  });
  const oldest = Math.min(...known.map(([, { generation }]) => generation));
  return confirmedIn(
    new Map(known),
    generations
      .slice(0, -1)
      .flatMap(({ number, guards }) => (number > oldest ? [{ number, documents: documentsNamed(guards) }] : [])),
  );
}

function pending(estate: EstateMemory, key: ScopeKey): readonly PendingIntent[] {
  return [...estate.open.values()].filter(({ scope }) => scope === key).map(pendingIntent);
}

function record(scope: ScopeMemory, observation: Observation): void {
  if (scope.looked && scope.looked.at > observation.at) return;
  const { at, scope: key } = observation;
  const changes = resourceChanges(scope.resources, observation);
  for (const { change, resource, digest } of changes.written) {
    scope.resources.set(resourceKey(resource), { resource: structuredClone(resource), digest, listed: true });
    scope.sightings.push({ at, scope: key, change, resource: structuredClone(resource) });
  }
  for (const [keys, listed] of [
    [changes.relisted, true],
    [changes.unlisted, false],
  ] as const)
    for (const one of keys) {
      const known = scope.resources.get(one);
      if (known) scope.resources.set(one, { ...known, listed });
    }
  for (const one of changes.vanished) {
    const known = scope.resources.get(one);
    scope.resources.delete(one);
    if (known) scope.sightings.push({ at, scope: key, change: 'vanished', resource: known.resource });
  }
  const { resources, ...look } = observation;
  scope.looked = structuredClone(look);
  see(scope, resources, at);
}

/** Claims that were observed for the first time, and existing objects that were released as gone. */
function see(scope: ScopeMemory, resources: readonly Observed[], at: number): void {
  const unseen = [...scope.claims].flatMap(([id, claim]) => (claim.seenAt === undefined ? [id] : []));
  for (const id of seenFirst(unseen, resources)) {
    const claim = scope.claims.get(id);
    if (claim) scope.claims.set(id, { ...claim, seenAt: at });
  }
  const gone = [...scope.ended].flatMap(([id, ended]) => (ended.as === 'gone' && ended.at < at ? [id] : []));
  for (const id of seenFirst(gone, resources)) {
    const was = scope.ended.get(id)?.was;
    scope.ended.delete(id);
    if (was) scope.claims.set(id, { ...was, seenAt: at });
  }
}

function newest({ looked, resources }: ScopeMemory): readonly Observation[] {
  if (!looked) return [];
  const listed = [...resources].filter(([, { listed }]) => listed).sort(byKey);
  return [structuredClone({ ...looked, resources: listed.map(([, { resource }]) => resource) })];
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

function keepLifted({ fleet }: Memory, { scopes }: EstateMemory, lifted: readonly Address[]): void {
  for (const [key, { claims, applied }] of scopes)
    for (const [id, { address }] of claims)
      if (isOfAny(new Set(lifted), { address, documents: applied.get(address)?.body?.documents }))
        fleet.onceProtected.add(`${key} ${id}`);
}

export function memoryGenerations(memory: Memory, clock: Clock): Generations {
  const of = (name: string) => estateOf(memory, name);
  return {
    current: async (name) => of(name).generations.at(-1),
    previous: async (name) => {
      const base = baseRevision(of(name).generations.at(-1)?.revision ?? '');
      return of(name).generations.findLast(({ revision }) => baseRevision(revision) !== base);
    },
    numbered: async (name, wanted) => of(name).generations.find(({ number }) => number === wanted),
    at: async (name, time) =>
      of(name).generations.findLast(({ number }) => (of(name).acceptedAt.get(number) ?? 0) <= time),
    ofCommit: async (name, commit) =>
      of(name).generations.findLast(
        ({ revision }) => revision.startsWith(`git:${commit}`) || revision.includes(`=${commit}`),
      ),
    accept: async (name, revision, guards, { after, patches = { holding: [], ends: [] }, lifetimes } = {}) => {
      const { generations, guard } = of(name);
      const newest = generations.at(-1);
      if (newest?.revision === revision) return newest;
      const pin = memory.sources.pins.get(name);
      if (pin !== undefined && pin.revision !== baseRevision(revision)) throw new Pinned(pin);
      const newestNumber = newest?.number ?? 0;
      if (after !== undefined && after !== newestNumber) throw new Overtaken(name, after, newestNumber);
      const accepted = { number: newestNumber + 1, revision, guards: structuredClone(guards) };
      decide(of(name), patches, accepted, clock.now());
      decideLifetimes(of(name), lifetimes, accepted, clock.now());
      if (newest !== undefined) keepLifted(memory, of(name), liftedBy(newest.guards, guards));
      generations.push(accepted);
      of(name).acceptedAt.set(accepted.number, clock.now());
      guard.epoch += 1;
      publishEventsIn(memory.events, clock.now(), [acceptedOf(name, accepted.number, revision)]);
      return accepted;
    },
    spent: async (name, generation) => spentBy(of(name), generation, clock.now()),
  };
}
