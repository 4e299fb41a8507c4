import { strictest } from '../../mode.ts';
import type { FirewallRuleDoc, InstanceDoc, NetworkDoc, TargetDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { placeOf, scopeOf, targetsOf } from '../placement.ts';
import { error, type Problem } from '../problem.ts';
import { ofKind, type SpecSet } from '../spec-set.ts';
import { place } from './place.ts';

/**
 * Two targets may lie in one scope, but then they are seen with the same eyes (credentials, endpoint), roll out alike, and
 * nothing may stand twice under one address: a network reaches a place once, GCP projects excepted, where all its targets
 * share it.
 */
export function* oneScope(set: SpecSet): Iterable<Problem> {
  for (const [first, ...others] of Map.groupBy(set.targets.values(), ({ value }) => scopeOf(value)).values()) {
    if (first) yield* differences(first, others);
  }
  for (const document of [...set.networks.values(), ...set.instances]) yield* twice(set, document);
  for (const network of set.networks.values()) yield* modes(set, network);
  for (const rule of set.rules) yield* half(set, rule);
}

/** One network cannot be governed by two modes. */
function* modes(set: SpecSet, network: Located<NetworkDoc>): Iterable<Problem> {
  const estate = ofKind(set.documents, 'Estate')[0]?.value.spec.mode;
  const modeOf = ({ value }: Located<TargetDoc>) => strictest([value.spec.mode, estate]);
  for (const [project, [first, ...others]] of sharing(set, network.value)) {
    for (const other of others) {
      if (!first || modeOf(other) === modeOf(first)) continue;
      const [name, one] = [network.value.metadata.name, first.value.metadata.name];
      const message = `${name} is one network in all of ${project}, and ${one} (${place(first.at())}) has mode ${modeOf(first)}, not ${modeOf(other)}`;
      yield error('scope-conflict', other.at(['spec', 'mode']), message, { expected: 'the same mode in both' });
    }
  }
}

/** A GCP network holds its rules for all of its regions: one that names only some of its targets would hold for the others too. */
function* half(set: SpecSet, rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const { targets, network } = rule.value.spec;
  const document = set.networks.get(network);
  if (targets === undefined || !document) return;
  for (const [project, all] of sharing(set, document.value)) {
    const missing = all.map(({ value }) => value.metadata.name).filter((name) => !targets.includes(name));
    if (missing.length === 0 || missing.length === all.length) continue;
    const message = `${network} is one network in all of ${project}: this rule would hold on ${missing.join(', ')} as well`;
    const expected = `${missing.join(', ')} too, or a group that only the machines meant are in`;
    yield error('shared-network', rule.at(['spec', 'targets']), message, { expected });
  }
}

/** https://cloud.google.com/vpc/docs/vpc: networks and their firewall rules are global in their project. */
const sharing = (set: SpecSet, { spec }: NetworkDoc): ReadonlyMap<string, Located<TargetDoc>[]> =>
  Map.groupBy(
    targetsOf(set, spec.targets).filter(({ value }) => value.spec.provider === 'gcp'),
    ({ value }) => scopeOf(value),
  );

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
    for (const field of ['credentials', 'endpoint', 'rollout'] as const) {
      if (JSON.stringify(other.value.spec[field]) === JSON.stringify(first.value.spec[field])) continue;
      const message = `targets of one scope (${scopeOf(first.value)}) with different ${field}: the other is at ${place(first.at())}`;
      yield error('scope-conflict', other.at(['spec', field]), message, { expected: `the same ${field} in both` });
    }
  }
}
