// Plain JavaScript for any Node from 18 on: it runs before the pinned Node is known to exist.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The first major version that strips types, and that everything here is written for. */
export const NEEDED_MAJOR = 24;

/**
 * The Node binary pinned among the dependencies that `from` (an absolute path or file URL) sees.
 *
 * @param {string} from
 * @param {{ platform: string, arch: string }} [machine]
 * @returns {string | undefined} an absolute path, or undefined where no package holds a binary
 */
export function pinnedNode(from, machine = process) {
  const { resolve } = createRequire(from);
  return binaryOf(`node-${machine.platform}-${machine.arch}`, resolve);
}

/**
 * @param {string} name
 * @param {(request: string) => string} resolve
 */
function binaryOf(name, resolve) {
  try {
    const binary = join(dirname(resolve(`${name}/package.json`)), 'bin', 'node');
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The Node to run our programs with: the pinned one, else the running one if it is new enough.
 *
 * @param {string} from as for {@link pinnedNode}
 * @returns {string | undefined}
 */
export function suitableNode(from) {
  return pinnedNode(from) ?? (isSuitable(process.versions.node) ? process.execPath : undefined);
}

/** @param {string} version such as `20.11.1` */
export function isSuitable(version) {
  return Number.parseInt(version, 10) >= NEEDED_MAJOR;
}
