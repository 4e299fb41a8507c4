import { canonical } from '../../../src/core/ledger/canonical.ts';
import { type EstateCount, estateCount, stricterLimits } from '../../../src/core/ledger/estate-count.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Intended, IntentDraft, Ledger, LedgerFilter, Pass, Settlement } from '../../../src/ports/ledger.ts';
import { type ActionKey, actionKey, keyText } from '../../../src/store/action-key.ts';
import { intentBody, noteBody, settlementBody } from '../../../src/store/entry-body.ts';
import { staleness } from '../../../src/store/intending.ts';
import { fieldsOf, type IntentRecord, placeOf } from '../../../src/store/intent-record.ts';
import { type SettledChanges, settledChanges, settling } from '../../../src/store/settled-changes.ts';
import { countedAt, ownedBy } from './counted.ts';
import {
  append,
  checkLease,
  type EstateMemory,
  estateOf,
  type IntentMemory,
  type Memory,
  type ScopeMemory,
  scopeOf,
} from './memory.ts';

export function memoryLedger(memory: Memory, clock: Clock): Ledger {
  return {
    intend: async (pass, drafts) => intend({ memory, pass, at: clock.now() }, drafts),
    settle: async (pass, settlements) => settle({ memory, pass, at: clock.now() }, settlements),
    note: async (estate, note) =>
      append(estateOf(memory, estate), { at: clock.now(), type: 'note', body: noteBody(estate, note) }),
    entries: (filter) => entries(memory, filter),
  };
}

interface Write {
  readonly memory: Memory;
  readonly pass: Pass;
  readonly at: number;
}

function intend(write: Write, drafts: readonly IntentDraft[]): readonly Intended[] {
  checkLease(write.memory, write.pass, write.at);
  const estate = estateOf(write.memory, write.pass.estate);
  const count = drafts.some(({ counts }) => counts) ? countOf(write, estate) : undefined;
  return drafts.map((draft) => intendOne(write, estate, draft, count));
}

function intendOne(write: Write, estate: EstateMemory, draft: IntentDraft, count?: EstateCount): Intended {
  const { memory, pass, at } = write;
  const action = actionKey(draft);
  const { applied } = scopeOf(estate, pass.scope);
  const stale = staleness(pass, action.address, applied.get(action.address)?.generation);
  if (stale !== undefined) return stale;
  const key = openKey(pass.scope, action);
  const open = estate.open.get(estate.openActions.get(key) ?? '')?.record;
  const place = open ? undefined : placeOf(draft);
  const why = place && count?.take(place);
  if (why !== undefined) return { ok: false, reason: 'limit', why };
  const { generation } = pass.authority;
  const intent = open?.intent ?? memory.nextId();
  const attempt = (open?.attempt ?? 0) + 1;
  const record: IntentRecord = { intent, action, attempt, at, generation, fields: fieldsOf(draft) };
  estate.open.set(intent, { record, scope: pass.scope, details: JSON.parse(canonical(draft.details)) });
  estate.openActions.set(key, intent);
  if (place) estate.places.set(intent, { ...place, generation, at });
  append(estate, { at, type: 'intent', body: intentBody(pass, draft, record) });
  return { ok: true, intent, attempt };
}

const openKey = (scope: string, action: ActionKey): string => `${scope} ${keyText(action)}`;

function countOf({ pass, at }: Write, estate: EstateMemory): EstateCount {
  const { generation, allowDeletes } = pass.authority;
  const inForce = estate.generations.find(({ number }) => number === generation);
  if (!inForce) throw new Error(`generation ${generation} of estate ${pass.estate} was never accepted`);
  const before = estate.generations.findLast(({ number }) => number < generation);
  const limits = stricterLimits(inForce.guards.limits, before?.guards.limits);
  const ran = countedAt(estate, generation, at);
  const bounds = {
    limits,
    owned: ownedBy(estate, ran),
    ...(allowDeletes === undefined ? {} : { allowed: allowDeletes }),
  };
  return estateCount(bounds, ran);
}

function settle({ memory, pass, at }: Write, settlements: readonly Settlement[]): void {
  checkLease(memory, pass);
  const estate = estateOf(memory, pass.estate);
  const named = settlements.map(({ intent }) => estate.open.get(intent)).filter((open) => open?.scope === pass.scope);
  const open = new Map(named.flatMap((one) => (one ? [[one.record.intent, one.record]] : [])));
  const all = settling(pass, settlements, open);
  const changes = settledChanges(all);
  for (const { settlement, record } of all)
    append(estate, { at, type: 'settlement', body: settlementBody(pass, settlement, record) });
  for (const id of changes.returned) estate.places.delete(id);
  for (const id of changes.closed) {
    const closing = estate.open.get(id);
    if (closing) close(estate, closing);
  }
  const scope = scopeOf(estate, pass.scope);
  scope.neverShown.push(...changes.neverShown);
  change(scope, changes, at);
}

function close(estate: EstateMemory, { record, scope }: IntentMemory): void {
  estate.open.delete(record.intent);
  estate.openActions.delete(openKey(scope, record.action));
}

export function change(scope: ScopeMemory, changes: SettledChanges, at: number): void {
  for (const id of changes.written) {
    const claim = scope.claims.get(id);
    if (claim) scope.claims.set(id, { ...claim, lastWriteAt: at });
  }
  for (const [id, effect] of changes.claims) {
    if (effect === 'release') scope.claims.delete(id);
    else {
      const { subject, terms } = effect;
      scope.claims.set(id, { address: subject.address, kind: subject.kind, lastWriteAt: at, terms });
    }
  }
  apply(scope, changes.applied);
  for (const [address, { fields, generation }] of changes.updated) {
    const last = scope.unstuck.get(address);
    const again = last?.fields === fields && last.generation === generation;
    scope.unstuck.set(address, { fields, generation, times: again ? last.times + 1 : 1 });
  }
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
