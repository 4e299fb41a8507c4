import { canonical } from '../../src/core/ledger/canonical.ts';
import { type Head, peopleChain, rootOf, type SignedCheckpoint } from '../../src/core/ledger/chain.ts';
import { verification } from '../../src/core/ledger/verification.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { EntryPages, Reconcile } from '../../src/ports/ledger.ts';
import type { KeptOperations } from '../../src/ports/provider.ts';
import { type Audit, defaultUnsignedLimitMs, type Estates, type Store } from '../../src/ports/store.ts';
import { exportLine } from '../../src/store/audit.ts';
import { takeoverOf } from '../../src/store/estates.ts';
import { storeFailureOf } from '../../src/store/health.ts';
import { matches } from '../../src/store/ledger.ts';
import { noteBody } from '../../src/store/ledger-entries.ts';
import { settledChanges } from '../../src/store/settled-changes.ts';
import { sha256 } from '../../src/store/signing.ts';
import { memoryEvents } from './memory-store/events.ts';
import { memoryFigures } from './memory-store/figures.ts';
import { memoryFleet } from './memory-store/fleet.ts';
import { memoryIdempotentResponses } from './memory-store/idempotency.ts';
import { memoryRows } from './memory-store/inventory-rows.ts';
import { memoryGenerations, memoryInventory } from './memory-store/knowledge.ts';
import { memoryTouches } from './memory-store/last-modified.ts';
import { memoryLeases } from './memory-store/leases.ts';
import { change, memoryLedger } from './memory-store/ledger.ts';
import { append, checkLease, estateOf, type Memory, memory, scopeOf } from './memory-store/memory.ts';
import { memoryReconciles } from './memory-store/reconciles.ts';
import { memoryAuthors, memoryProposals, memorySources } from './memory-store/sources.ts';
import { memoryTokens } from './memory-store/tokens.ts';

const memoryEntryPages = ({ estates }: Memory): EntryPages => ({
  page: async ({ estate, filter, newestFirst, limit, after }) => {
    const { address, types, since, until } = filter;
    const all = [...(estates.get(estate)?.chain.entries ?? [])];
    const found = (newestFirst ? all.reverse() : all)
      .filter(({ seq }) => after === undefined || (newestFirst ? seq < after : seq > after))
      .filter(({ body, type }) => (address ?? body['address']) === body['address'] && (types?.includes(type) ?? true))
      .filter(({ at }) => at >= (since ?? at) && at < (until ?? at + 1))
      .filter((entry) => matches(entry, filter));
    const entries = structuredClone(found.slice(0, limit));
    const next = found.length > limit ? entries.at(-1)?.seq : undefined;
    return { entries, ...(next === undefined ? {} : { next }) };
  },
  count: async (estate, address) =>
    (estates.get(estate)?.chain.entries ?? []).filter(({ body }) => (address ?? body['address']) === body['address'])
      .length,
});

function memoryOperations(memory: Memory): KeptOperations {
  const of = (estate: string, scope: string) => scopeOf(estateOf(memory, estate), scope).operations;
  return {
    list: async (estate, scope) => [...of(estate, scope)].map(([id, state]) => ({ id, state })),
    keep: async (estate, scope, { id, state }) => void of(estate, scope).set(id, state),
    drop: async (estate, scope, id) => void of(estate, scope).delete(id),
  };
}

/** A database in memory, held to the same laws as the real store. What is committed survives every connection. */
export interface MemoryDatabase {
  /** One process's connection. */
  connect(): MemoryStore;
}

export interface ReplicatedDatabase extends MemoryDatabase {
  /** As it is now. Called later, the database is that again, as after a failover to a replica that got nothing since. */
  replica(): () => void;
}

/** `stall`: this process stops renewing its leases, as one that crashed or was paused; they run out 12 s later. */
export type MemoryStore = Store & { stall(): void };

/** Deterministic: ids count up from 1. `store`: the database's id. */
export function memoryDatabase(clock: Clock, store = '00000000-0000-4000-8000-000000000000'): ReplicatedDatabase {
  const data = memory(store);
  return {
    connect: () => connect(data, clock),
    replica: () => {
      const { nextId: _, leases, ...tables } = data;
      const kept = structuredClone(tables);
      return () => {
        Object.assign(data, structuredClone(kept));
        // why: a former holder finds that it is not there
        leases.clear();
      };
    },
  };
}

function connect(data: Memory, clock: Clock): MemoryStore {
  const leases = memoryLeases(data, clock);
  return {
    ledger: memoryLedger(data, clock),
    inventory: memoryInventory(data, clock),
    generations: memoryGenerations(data, clock),
    leases,
    operations: memoryOperations(data),
    fleet: memoryFleet(data, clock),
    sources: memorySources(data, clock),
    touches: memoryTouches(data, clock),
    events: memoryEvents(data),
    rows: memoryRows(data, clock),
    reconciles: memoryReconciles(data, clock),
    figures: memoryFigures(data),
    entryPages: memoryEntryPages(data),
    tokens: memoryTokens(data, clock),
    idempotentResponses: memoryIdempotentResponses(data, clock),
    proposals: memoryProposals(data, clock),
    authors: memoryAuthors(data),
    estates: memoryEstates(data, clock),
    audit: memoryAudit(data, clock),
    health: { readable: async () => {}, writable: async () => {}, failureOf: storeFailureOf },
    close: async () => {},
    stall: leases.stall,
  };
}

function counted<T extends object>(all: readonly T[]): readonly (T & { readonly count: number })[] {
  const groups = [...Map.groupBy(all, (one) => JSON.stringify(Object.values(one)))].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return groups.flatMap(([, [first, ...rest]]) => (first === undefined ? [] : [{ ...first, count: 1 + rest.length }]));
}

const memoryEstates = (data: Memory, clock: Clock): Estates => ({
  store: data.store,
  list: async () => [...data.estates.keys()].sort(),
  alive: async () => {},
  openIntents: async () => {
    const open = [...data.estates.values()].flatMap((estate) => [...estate.open.values()]);
    const byCloud = Map.groupBy(open, ({ scope }) => scope.slice(0, scope.indexOf('/')));
    return [...byCloud.keys()].sort().map((cloud) => ({ cloud, count: byCloud.get(cloud)?.length ?? 0 }));
  },
  violations: async (estate) => {
    const now = data.rows.versions.filter(({ ended, of }) => ended === null && of.estate === (estate ?? of.estate));
    const all = now.flatMap(({ of: { row } }) =>
      (row.violations ?? []).map(({ policy, effect, mode }) => {
        const { criticality = 'normal' } = row.whose;
        return { cloud: row.place.cloud, policy, effect, mode, criticality };
      }),
    );
    return counted(all);
  },
  outOfSync: async () => {
    const now = data.rows.versions.filter(({ ended, of: { row } }) => ended === null && row.state.status !== 'InSync');
    return counted(
      now.map(({ of: { row } }) => {
        const { criticality = 'normal' } = row.whose;
        return { cloud: row.place.cloud, status: row.state.status, criticality };
      }),
    );
  },
  holdings: async (name) =>
    [...(data.estates.get(name)?.scopes ?? [])]
      .flatMap(([scope, { claims }]) => (claims.size === 0 ? [] : [{ scope, resources: claims.size }]))
      .sort((a, b) => (a.scope < b.scope ? -1 : 1)),
  takeover: async (reconcile, accepted, reason) =>
    takeover(data, clock.now(), reconcile, takeoverOf(reconcile, accepted, reason)),
});

function takeover(
  data: Memory,
  at: number,
  reconcile: Reconcile,
  { claims, note }: ReturnType<typeof takeoverOf>,
): number {
  checkLease(data, reconcile, at);
  const estate = estateOf(data, reconcile.estate);
  const scope = scopeOf(estate, reconcile.scope);
  change(scope, { ...settledChanges([]), claims }, at);
  for (const [address, { generation }] of scope.applied) scope.applied.set(address, { generation, body: undefined });
  for (const [id, birth] of scope.births)
    if (birth.before) scope.births.set(id, { ...birth, before: { ...birth.before, body: undefined } });
  return append(estate, { at, type: 'note', body: noteBody(reconcile.estate, note) });
}

/** Checkpoints here are signed with nothing but a hash: enough to keep the laws. */
function memoryAudit(data: Memory, clock: Clock): Audit {
  const signed: SignedCheckpoint[] = [];
  const proof = { hash: sha256, keys: ['memory'], isSigned: () => true };
  const ofEstate = (name: string) => signed.filter(({ estate }) => estate === name);
  const movedOf = (name: string) => {
    const known = new Set(ofEstate(name).flatMap(({ heads }) => heads.map(canonical)));
    const heads = [...estateOf(data, name).chain.heads.values()].map(({ head }) => head);
    return heads
      .filter((head) => head.number > 0 && !known.has(canonical(head)))
      .sort((a, b) => (a.of < b.of ? -1 : 1));
  };
  const behind = (name: string, { of, number }: Head): number =>
    number -
    (ofEstate(name)
      .findLast(({ heads }) => heads.some((head) => head.of === of))
      ?.heads.find((head) => head.of === of)?.number ?? 0);
  return {
    head: async (name) => estateOf(data, name).chain.entries.length,
    verify: async (name, { witness, unsignedLimitMs: limitMs = defaultUnsignedLimitMs } = {}) => {
      const { seal, heads, entries } = estateOf(data, name).chain;
      const unsignedLimit = { now: clock.now(), limitMs };
      const claimed = {
        store: data.store,
        estate: name,
        checkpoints: signed,
        unsignedLimit,
        ...(witness && { witness }),
      };
      const check = verification(claimed, proof);
      const isWhole = check.follow({ seal }) && entries.every((entry) => check.follow(entry));
      return check.end(isWhole ? { first: seal, heads: [...heads.values()].map(({ head }) => head) } : undefined);
    },
    async *export(name) {
      const { seal, entries } = estateOf(data, name).chain;
      for (const item of [{ seal }, ...entries]) yield exportLine(data.store, name, item);
    },
    checkpoint: async (name) => {
      const heads = movedOf(name);
      if (heads.length === 0) return undefined;
      const last = ofEstate(name).at(-1);
      const checkpoint = {
        ...{ store: data.store, estate: name, at: clock.now(), heads },
        ...{ number: (last?.number ?? 0) + 1, previous: last === undefined ? '' : rootOf(last, sha256) },
        ...{ key: 'memory', signature: '' },
      };
      signed.push(checkpoint);
      return checkpoint;
    },
    checkpoints: async (name) => ofEstate(name),
    reach: async (name) => {
      const { entries } = estateOf(data, name).chain;
      const moved = new Map(movedOf(name).map((head) => [head.of, head.number - behind(name, head)]));
      const behindOf = entries.filter(
        ({ chain }) => (chain.number ?? 0) > (moved.get(chain.of ?? '') ?? chain.number ?? 0),
      );
      const [first] = behindOf;
      const last = ofEstate(name).at(-1);
      return {
        head: entries.length,
        signedUpTo: (first?.seq ?? entries.length + 1) - 1,
        ...(last && { checkpoint: { number: last.number, at: last.at } }),
        ...(first && { unsigned: { entries: behindOf.length, seq: first.seq, at: first.at } }),
      };
    },
    unsigned: async () =>
      [...data.estates.keys()].sort().flatMap((estate) => {
        const moved = movedOf(estate);
        const entries = moved.reduce((sum, head) => sum + behind(estate, head), 0);
        const words = moved.filter(({ of }) => of === peopleChain).reduce((sum, head) => sum + behind(estate, head), 0);
        return entries === 0 ? [] : [{ estate, entries, words, checkpoint: ofEstate(estate).at(-1)?.number ?? 0 }];
      }),
    // why: this database and its checkpoints are one: nothing outside it could show a loss
    lost: async () => [],
    acceptLoss: async () => {
      throw new Error('nothing is lost');
    },
    claimKey: async () => 'memory',
    ownKey: async () => 'memory',
    deliver: async () => [],
  };
}
