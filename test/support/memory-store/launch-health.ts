import { type Birth, type BirthVerdict, withEndedRollouts } from '../../../src/core/knowledge.ts';
import { canonical } from '../../../src/core/ledger/canonical.ts';
import { type Address, documentOfReplica } from '../../../src/core/resource.ts';
import type { Reconcile } from '../../../src/ports/ledger.ts';
import { type BirthChanges, birthNote } from '../../../src/store/launch-health.ts';
import {
  append,
  type BirthMemory,
  type EstateMemory,
  type RolloutMemory,
  type ScopeMemory,
  scopeOf,
} from './memory.ts';

export function saveBirths({ births, applied }: ScopeMemory, { born, released }: BirthChanges): void {
  for (const id of released) if (births.get(id)?.failed === undefined) births.delete(id);
  for (const birth of born)
    if (!births.has(birth.id)) births.set(birth.id, structuredClone({ ...birth, before: applied.get(birth.address) }));
}

export function readBirths({ births }: ScopeMemory, { standing = 0, butGraces = 0 }: Partial<RolloutMemory> = {}) {
  const all: readonly Birth[] = [...births.values()]
    .map(({ before: _, ...birth }) => structuredClone(birth))
    .sort((a, b) => a.launchedAt - b.launchedAt || (a.id < b.id ? -1 : 1));
  return withEndedRollouts(all, Math.max(standing, butGraces));
}

export function judgeBirths(
  estate: EstateMemory,
  reconcile: Reconcile,
  verdicts: readonly BirthVerdict[],
  at: number,
): void {
  const scope = scopeOf(estate, reconcile.scope);
  for (const verdict of verdicts) {
    const birth = scope.births.get(verdict.id);
    if (birth !== undefined) judge(birth, verdict, { estate, reconcile, scope, at });
  }
}

interface Place {
  readonly estate: EstateMemory;
  readonly reconcile: Reconcile;
  readonly scope: ScopeMemory;
  readonly at: number;
}

function judge(birth: BirthMemory, verdict: BirthVerdict, place: Place): void {
  const { births } = place.scope;
  switch (verdict.as) {
    case 'ready':
      births.set(birth.id, {
        ...birth,
        readySince: birth.readySince ?? verdict.at,
        ...(birth.proven || verdict.proven ? { proven: true } : {}),
      });
      break;
    case 'unready': {
      const { readySince: _, ...unready } = birth;
      births.set(birth.id, unready);
      break;
    }
    case 'survived':
      for (const one of births.values()) if (one.id === birth.id || isRowOf(birth, one)) births.delete(one.id);
      break;
    case 'failed':
      fail(birth, verdict, place);
  }
}

const isRowOf = (birth: BirthMemory, { address, attributes, failed, launchedAt }: BirthMemory): boolean =>
  failed !== undefined &&
  documentOfReplica(address) === documentOfReplica(birth.address) &&
  canonical(attributes) === canonical(birth.attributes) &&
  launchedAt <= birth.launchedAt;

function fail(
  birth: BirthMemory,
  { why, wasReady }: Extract<BirthVerdict, { readonly as: 'failed' }>,
  { estate, reconcile, scope, at }: Place,
): void {
  if (birth.failed !== undefined) return;
  const { id, address, generation, before } = birth;
  scope.births.set(id, { ...birth, failed: why });
  const back = wasReady ? undefined : (before?.generation ?? generation);
  if (back !== undefined && scope.applied.get(address)?.generation === generation)
    scope.applied.set(address, { generation: back, body: before?.body });
  append(estate, { at, type: 'note', body: birthNote(reconcile, { id, address, generation, why }, back) });
}

export function forgiveBirths({ births }: ScopeMemory, document?: Address): readonly Address[] {
  const forgiven = [...births.values()].filter(
    ({ failed, address }) =>
      failed !== undefined && (document ?? documentOfReplica(address)) === documentOfReplica(address),
  );
  for (const { id } of forgiven) births.delete(id);
  return forgiven.map(({ address }) => documentOfReplica(address));
}
