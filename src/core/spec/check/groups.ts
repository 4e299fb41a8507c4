import { error, type Problem, warning } from '../problem.ts';
import { type GroupUse, groupsIn } from '../spec-groups.ts';
import type { SpecSet } from '../spec-set.ts';
import { suggest } from '../suggest.ts';
import { place } from './place.ts';

/**
 * Groups need no document, so a misspelt one is a new one. A rule for, or a peer of, a group that no instance of the
 * network is in does nothing: a warning, as the instances may come later. `all` is ours.
 */
export function* groups(set: SpecSet): Iterable<Problem> {
  const uses = groupsIn(set);
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
  yield* alike(uses);
}

/**
 * Azure takes names in any case for one, and so do people:
 * https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules
 */
function* alike(uses: readonly GroupUse[]): Iterable<Problem> {
  for (const same of Map.groupBy(uses, ({ network, name }) => `${network} ${name.toLowerCase()}`).values()) {
    const first = same.find(({ fills }) => fills) ?? same[0];
    for (const { document, name, path } of same) {
      if (!first || name === first.name || name.toLowerCase() === 'all') continue;
      const message = `the group \`${name}\` differs in case only from ${first.name} (${place(first.document.at(first.path))})`;
      yield error('group-case', document.at(path), message, { expected: first.name });
    }
  }
}
