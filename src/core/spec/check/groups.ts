import type { FirewallRuleDoc, InstanceDoc } from '../document.ts';
import type { Located } from '../located.ts';
import type { Path } from '../position.ts';
import { error, type Problem, warning } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';
import { suggest } from '../suggest.ts';

/**
 * Groups need no document, so a misspelt one is a new one. A rule for, or a peer of, a group that no instance of the
 * network is in does nothing: a warning, as the instances may come later. `all` is ours.
 */
export function* groups(set: SpecSet): Iterable<Problem> {
  const uses = [...set.rules.flatMap(inRule), ...set.instances.flatMap(inInstance)];
  const filled = new Map<string, Set<string>>();
  for (const { network, name } of uses.filter((use) => use.fills)) {
    filled.set(network, (filled.get(network) ?? new Set()).add(name));
  }
  for (const { document, network, name, path, fills } of uses) {
    const at = document.at(path);
    if (name.toLowerCase() === 'all') {
      const expected = 'another name; leave group out to mean every instance of the network';
      yield error('reserved-group', at, '`all` is the group that every instance is in', { expected });
    }
    const members = filled.get(network) ?? new Set<string>();
    if (fills || name.toLowerCase() === 'all' || members.has(name)) continue;
    const didYouMean = suggest(name, members);
    yield warning('empty-group', at, `no instance of ${network} is in the group \`${name}\``, { didYouMean });
  }
}

interface Use {
  readonly document: Located<unknown>;
  readonly network: string;
  readonly name: string;
  readonly path: Path;
  /** Whether it puts an instance into the group. */
  readonly fills: boolean;
}

function inRule(document: Located<FirewallRuleDoc>): readonly Use[] {
  const { network, group, peers } = document.value.spec;
  const use = (name: string, path: Path): Use => ({ document, network, name, path, fills: false });
  return [
    ...(group === undefined ? [] : [use(group, ['spec', 'group'])]),
    ...peers.groups.map((name, index) => use(name, ['spec', 'peers', 'groups', index])),
  ];
}

function inInstance(document: Located<InstanceDoc>): readonly Use[] {
  const { network, groups = [], on } = document.value.spec;
  const use = (name: string, path: Path): Use => ({ document, network, name, path, fills: true });
  return [
    ...groups.map((name, index) => use(name, ['spec', 'groups', index])),
    ...Object.entries(on).flatMap(([target, own]) =>
      (own.groups ?? []).map((name, index) => use(name, ['spec', 'on', target, 'groups', index])),
    ),
  ];
}
