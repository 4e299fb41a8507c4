import type { GroupDoc, NetworkDoc, TargetDoc } from '../document.ts';
import { error, type Problem, suggest, warning } from '../problem.ts';
import { adoptedOn, groupsIn, type SpecSet, statedName, targetsIn, targetsOf } from '../spec-set.ts';
import type { Located } from '../tree.ts';
import { place } from './names.ts';

/**
 * A group's document says each thing once, and only what its clouds hold.
 *
 *   the document                                        | is
 *   ----------------------------------------------------+----------------------------------------------------------
 *   is of the group `all` of a network without one      | an error
 *   adopts on a target where the network's entry does   | an error at both
 *   names and adopts on Google Cloud                    | an error: both say the tag or service account
 *   describes the group where no target is of AWS       | a warning
 *   is of a group that nothing names, like one that is  | a warning: it may be misspelt
 *   named                                               |
 */
export function* groupDocuments(set: SpecSet): Iterable<Problem> {
  const named = Map.groupBy(groupsIn(set), ({ network }) => network);
  for (const group of set.groups.values()) {
    const { metadata, spec } = group.value;
    const network = set.networks.get(spec.network);
    yield* ofAll(group, network);
    if (network !== undefined) yield* adoptedInBoth(group, network);
    yield* tagTwice(set, group);
    yield* undescribed(set, group);
    const names = [...new Set(named.get(spec.network)?.map(({ name }) => name))];
    const similar = suggest(metadata.name, names);
    if (names.includes(metadata.name) || metadata.name.toLowerCase() === 'all' || similar === undefined) continue;
    const message = `no rule and no instance of ${spec.network} names the group \`${metadata.name}\``;
    yield warning('empty-group', group.at(['metadata', 'name']), message, { didYouMean: similar });
  }
}

function* ofAll({ value, at }: Located<GroupDoc>, network: Located<NetworkDoc> | undefined): Iterable<Problem> {
  const { name } = value.metadata;
  if (name.toLowerCase() !== 'all' || (name === 'all' && network?.value.spec.allGroup !== false)) return;
  const expected = 'another name; `all` is the document of the group of every instance, where the network has one';
  yield error('reserved-group', at(['metadata', 'name']), '`all` is the group of every instance', { expected });
}

/** Two ids of one object are told by `adoptedOnce`. */
function* adoptedInBoth(group: Located<GroupDoc>, network: Located<NetworkDoc>): Iterable<Problem> {
  const { name, adopt = {} } = group.value.metadata;
  for (const [index, entry] of network.value.spec.groups.entries()) {
    if (entry.name !== name) continue;
    for (const target of Object.keys(adopt)) {
      const id = entry.adopt?.[target];
      if (id === undefined || id === adopt[target]) continue;
      const places = [
        [group.at(['metadata', 'adopt', target]), network.at(['spec', 'groups', index, 'adopt', target])],
        [network.at(['spec', 'groups', index, 'adopt', target]), group.at(['metadata', 'adopt', target])],
      ] as const;
      for (const [at, other] of places) {
        const message = `the group \`${name}\` adopts on ${target} at ${place(other)} too`;
        yield error('adopted-twice', at, message, { expected: 'one of the two' });
      }
    }
  }
}

function* tagTwice(set: SpecSet, group: Located<GroupDoc>): Iterable<Problem> {
  const { metadata, spec } = group.value;
  for (const { value: target } of targetsOf(set, Object.keys(spec.names ?? {}))) {
    const { name } = target.metadata;
    if (target.spec.provider !== 'gcp') continue;
    if (adoptedOn(set, { network: spec.network, name: metadata.name }, target) === undefined) continue;
    const message = `the group \`${metadata.name}\` adopts on ${name} too, and both say its network tag or service account`;
    yield error('adopted-twice', group.at(['spec', 'names', name]), message, { expected: 'one of the two' });
  }
}

function* undescribed(set: SpecSet, group: Located<GroupDoc>): Iterable<Problem> {
  const targets = targetsIn(set, group.value);
  if (group.value.spec.description === undefined || targets.length === 0) return;
  if (targets.some(({ value }) => value.spec.provider === 'aws')) return;
  const message = 'only a security group of AWS has a description: this one has no effect';
  yield warning('not-here', group.at(['spec', 'description']), message, { expected: 'no description' });
}

/** On one target of a network no two groups have one name, whether a document states it or the network gives it. */
export function* groupNames(set: SpecSet): Iterable<Problem> {
  const known = knownGroups(set);
  for (const document of set.groups.values()) {
    const { metadata, spec } = document.value;
    for (const { value: target } of targetsOf(set, Object.keys(spec.names ?? {}))) {
      const stated = spec.names?.[target.metadata.name] ?? '';
      const others = [...(known.get(spec.network) ?? [])].filter((name) => name !== metadata.name);
      const twin = others.find(
        (name) => calledOn(set, spec.network, name, target)?.toLowerCase() === stated.toLowerCase(),
      );
      if (twin === undefined) continue;
      const message = `\`${stated}\` is also the name of the group \`${twin}\` on ${target.metadata.name}`;
      const at = document.at(['spec', 'names', target.metadata.name]);
      yield error('duplicate-name', at, message, { expected: 'a name of its own' });
    }
  }
}

/** The groups of each network, in whatever way it has them. */
function knownGroups(set: SpecSet): ReadonlyMap<string, ReadonlySet<string>> {
  const known = new Map<string, Set<string>>();
  for (const [name, { value }] of set.networks)
    known.set(name, new Set([...(value.spec.allGroup ? ['all'] : []), ...value.spec.groups.map((one) => one.name)]));
  for (const { network, name } of groupsIn(set)) known.get(network)?.add(name);
  for (const { value } of set.groups.values()) known.get(value.spec.network)?.add(value.metadata.name);
  return known;
}

/** The name of a group on a target; undefined of an adopted object, whose name is on the cloud alone. */
function calledOn(set: SpecSet, network: string, name: string, target: TargetDoc): string | undefined {
  const adopted = adoptedOn(set, { network, name }, target);
  if (adopted !== undefined) return target.spec.provider === 'gcp' ? adopted : undefined;
  return statedName(set, { network, name, target: target.metadata.name }) ?? `${network}-${name}`;
}
