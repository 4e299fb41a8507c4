// Plain JavaScript for any Node from 18 on.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean,
 *   os?: string | string[], cpu?: string | string[], libc?: string | string[] }} LockedPackage
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lock
 */

/**
 * Packages that package-lock.json requires here and node_modules lacks, or holds in another version. npm leaves its own
 * record of what it put there, written last: a broken-off install has none, and everything is missing.
 *
 * @param {string} root the folder of package-lock.json
 * @returns {string[]} paths such as `node_modules/zod`
 */
export function missingPackages(root) {
  return differing(read(join(root, 'package-lock.json')), read(join(root, 'node_modules', '.package-lock.json')));
}

/**
 * @param {string} file
 * @returns {Lock}
 */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * @param {Lock} wanted
 * @param {Lock} held
 * @param {{ platform: string, arch: string }} [machine]
 */
export function differing(wanted, held, machine = process) {
  return Object.entries(wanted.packages ?? {})
    .filter(([path, want]) => path !== '' && !mayBeAbsent(want, machine) && !isSame(want, held.packages?.[path]))
    .map(([path]) => path);
}

/**
 * @param {LockedPackage} want
 * @param {LockedPackage | undefined} have
 */
function isSame(want, have) {
  return have !== undefined && have.version === want.version && have.integrity === want.integrity;
}

/**
 * The machine's C library is not checked: a package bound to one may be absent.
 *
 * @param {LockedPackage} want
 * @param {{ platform: string, arch: string }} machine
 */
function mayBeAbsent(want, { platform, arch }) {
  if (want.optional !== true && want.devOptional !== true) return false;
  return want.libc !== undefined || !allows(want.os, platform) || !allows(want.cpu, arch);
}

/**
 * npm's own rule: a list of names, or of names excluded with `!`.
 *
 * @param {string | string[] | undefined} rule
 * @param {string} value
 */
function allows(rule, value) {
  const names = typeof rule === 'string' ? [rule] : (rule ?? []);
  if (names.includes(`!${value}`)) return false;
  const included = names.filter((name) => !name.startsWith('!'));
  return included.length === 0 || included.includes(value) || included.includes('any');
}
