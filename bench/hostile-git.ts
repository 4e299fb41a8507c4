import { guards as real } from '../src/source/git/guards.ts';
import type { Figure } from './figure.ts';
import { environments } from './hostile-git/environments.ts';
import { hostileWorld } from './hostile-git/hostile-world.ts';
import { type AddressRow, judgeAddresses, judgeEnvironments } from './hostile-git/judge-addresses.ts';
import { judgeFetched, judgeTrees } from './hostile-git/judge-trees.ts';
import { names, paths, trees, urls } from './hostile-git/rows.ts';

/** Every address, branch, ref and folder of the rows. */
export const addresses: readonly AddressRow[] = [
  ...rowsOf('url', urls),
  ...rowsOf('branch', names),
  ...rowsOf('ref', names),
  ...rowsOf('path', paths),
];

/** The first of each class. */
export const firstOfEach = [...new Map(trees.toReversed().map((row) => [row[0], row])).values()];

/**
 * Crafted repositories, and hostile addresses, refs and environments. The value is those of which something outside was read,
 * something was run, or that were not refused; asked: 0.
 */
export async function hostileGit(guards = real): Promise<readonly Figure[]> {
  const world = hostileWorld();
  try {
    const breaches = [
      ...(await judgeTrees(world, trees, guards)),
      ...(await judgeFetched(world, firstOfEach, guards)),
      ...(await judgeAddresses(world, addresses, guards)),
      ...(await judgeEnvironments(world, environments, guards)),
    ];
    for (const breach of breaches) console.error(JSON.stringify(breach));
    const outside = breaches.filter(({ how }) => how !== 'taken').length;
    const unit = `of ${trees.length} repositories and ${addresses.length} addresses`;
    return [
      { name: 'hostile-git', value: outside, unit: `read or run, ${unit}`, floor: 0 },
      { name: 'hostile-git-taken', value: breaches.length - outside, unit: `not refused, ${unit}`, floor: 0 },
    ];
  } finally {
    world.remove();
  }
}

function rowsOf(use: AddressRow['use'], classes: Readonly<Record<string, readonly string[]>>): readonly AddressRow[] {
  return Object.entries(classes).flatMap(([of, texts]) => texts.map((text) => ({ use, of, text })));
}

if (import.meta.main) {
  for (const figure of await hostileGit()) console.log(JSON.stringify(figure));
}
