import type { InstanceDoc, NetworkDoc, TargetDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { placeOf, scopeOf } from '../placement.ts';
import { error, type Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';
import { place } from './place.ts';

/**
 * Two targets may lie in one scope, but then they are seen with the same eyes (credentials, endpoint) and nothing may
 * stand twice under one address: a network reaches a place once, GCP projects excepted, where all its targets share it.
 */
export function* oneScope(set: SpecSet): Iterable<Problem> {
  for (const [first, ...others] of Map.groupBy(set.targets.values(), ({ value }) => scopeOf(value)).values()) {
    if (first) yield* differences(first, others);
  }
  for (const document of [...set.networks.values(), ...set.instances]) yield* twice(set, document);
}

function* twice(set: SpecSet, document: Located<NetworkDoc | InstanceDoc>): Iterable<Problem> {
  const { kind, metadata, spec } = document.value;
  const seen = new Map<string, string>();
  for (const [index, name] of spec.targets.entries()) {
    const target = set.targets.get(name)?.value;
    const address = target && addressPlace(target, kind);
    if (address === undefined) continue;
    const first = seen.get(address) ?? name;
    seen.set(address, first);
    if (first === name) continue;
    const message = `${metadata.name} would stand twice in ${address}: ${first} and ${name} are the same place`;
    yield error('duplicate-address', document.at(['spec', 'targets', index]), message, { expected: 'one of the two' });
  }
}

/** What must differ between two targets of a document; undefined: they may share it. */
function addressPlace(target: TargetDoc, kind: 'Network' | 'Instance'): string | undefined {
  if (target.spec.provider !== 'gcp') return placeOf(target);
  return kind === 'Network' ? undefined : `${scopeOf(target)}/${target.spec.zone ?? target.spec.region}`;
}

function* differences(first: Located<TargetDoc>, others: readonly Located<TargetDoc>[]): Iterable<Problem> {
  for (const other of others) {
    for (const field of ['credentials', 'endpoint'] as const) {
      if (JSON.stringify(other.value.spec[field]) === JSON.stringify(first.value.spec[field])) continue;
      const message = `targets of one scope (${scopeOf(first.value)}) with different ${field}: the other is at ${place(first.at())}`;
      yield error('scope-conflict', other.at(['spec', field]), message, { expected: `the same ${field} in both` });
    }
  }
}
