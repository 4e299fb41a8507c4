// Plain JavaScript for any Node from 18 on.
import { spawn } from 'node:child_process';
import { delimiter, join, sep } from 'node:path';
import { withInstallLock } from './install-lock.mjs';
import { missingPackages } from './installed.mjs';

/** Everything is wanted, whatever the user's own npm settings leave out; install scripts stay as they set them. */
const NPM_CI = ['ci', '--include=dev', '--include=optional', '--engine-strict=false', '--no-audit', '--no-fund'];

/**
 * Makes node_modules hold what package-lock.json names, with `npm ci`, if it does not. Costs a few milliseconds when
 * nothing is missing; safe to run from several processes at once.
 *
 * @param {string} root the folder of package-lock.json
 * @param {{ npm?: string, say?: (line: string) => void }} [options]
 * @returns {Promise<'present' | 'installed'>}
 */
export async function ensureInstalled(root, { npm = 'npm', say = (line) => console.error(`setpoint: ${line}`) } = {}) {
  if (missingPackages(root).length === 0) return 'present';
  const lock = join(root, '.install.lock');
  const onWait = (/** @type {number} */ owner) => say(`waiting for process ${owner}, which installs (${lock})`);
  return withInstallLock(lock, () => install(root, npm, say), { onWait });
}

/**
 * @param {string} root
 * @param {string} npm
 * @param {(line: string) => void} say
 * @returns {Promise<'present' | 'installed'>}
 */
async function install(root, npm, say) {
  const missing = missingPackages(root);
  if (missing.length === 0) return 'present';
  say(`installing ${missing.length} packages (npm ci)…`);
  const began = Date.now();
  const code = await run(npm, root);
  if (code !== 0) throw new Error(`npm ci failed with exit code ${code}; mend what it says above and run this again`);
  say(`installed in ${Math.round((Date.now() - began) / 1000)} s`);
  return 'installed';
}

/**
 * npm's words go to stderr: stdout belongs to the program that follows.
 *
 * @param {string} npm
 * @param {string} root
 * @returns {Promise<number | null>}
 */
function run(npm, root) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: pathWithout(root) };
    const child = spawn(npm, [...NPM_CI, '--loglevel=error'], { cwd: root, env, stdio: ['ignore', 2, 2] });
    child.on('error', reject);
    child.on('exit', resolve);
  });
}

/**
 * npm must not run on a Node that it is about to delete.
 *
 * @param {string} root
 */
function pathWithout(root) {
  const ours = join(root, 'node_modules') + sep;
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(ours))
    .join(delimiter);
}
