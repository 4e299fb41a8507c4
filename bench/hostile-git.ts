import { guards as real } from '../src/source/git/guards.ts';
import type { Figure } from './figure.ts';
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
const firstOfEach = [...new Map(trees.toReversed().map((row) => [row[0], row])).values()];

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

/** Variables that somebody gave this process. */
export const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a configuration of a user': { GIT_CONFIG_GLOBAL: '{outside}/gitconfig' },
  'a configuration of the machine': { GIT_CONFIG_SYSTEM: '{outside}/gitconfig', GIT_CONFIG_NOSYSTEM: '0' },
  'a home with a configuration': { HOME: '{outside}/home', XDG_CONFIG_HOME: '{outside}/home' },
  'a setting': { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '{outside}/hooks' },
  'a setting in the old way': { GIT_CONFIG_PARAMETERS: "'core.hooksPath={outside}/hooks'" },
  'a template with hooks': { GIT_TEMPLATE_DIR: '{outside}' },
  'programs in the place of its own': { GIT_EXEC_PATH: '{outside}/hooks' },
  'another ssh': {
    GIT_SSH: '{outside}/hooks/post-checkout',
    GIT_SSH_COMMAND: 'touch {marker}',
    GIT_PROXY_COMMAND: 'touch {marker}',
  },
  'who answers questions': {
    GIT_ASKPASS: '{outside}/hooks/post-checkout',
    SSH_ASKPASS: '{outside}/hooks/post-checkout',
  },
  'another repository': { GIT_DIR: '{outside}', GIT_OBJECT_DIRECTORY: '{outside}', GIT_COMMON_DIR: '{outside}' },
  'objects from elsewhere': { GIT_ALTERNATE_OBJECT_DIRECTORIES: '{outside}/objects', GIT_NAMESPACE: 'x' },
  'a trace into a file': {
    GIT_TRACE: '{marker}',
    GIT_TRACE2_EVENT: '{marker}',
    GIT_TRACE_CURL: '{marker}',
    GIT_TRACE_PACKET: '{marker}',
  },
  'every protocol': { GIT_ALLOW_PROTOCOL: 'ext:file:https:ssh', GIT_PROTOCOL_FROM_USER: '1' },
  'other refs in the place of these': { GIT_REPLACE_REF_BASE: 'refs/heads/', GIT_GRAFT_FILE: '{outside}/canary.yaml' },
};
