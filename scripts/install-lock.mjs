// Plain JavaScript for any Node from 18 on.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Runs `work` while no other process runs it under the same lock file, which holds its owner's process id. A lock whose
 * owner has died is taken over; two processes finding such a one in the same microseconds may both run.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {{ everyMs?: number, onWait?: (owner: number) => void }} [options]
 * @returns {Promise<T>}
 */
export async function withInstallLock(file, work, { everyMs = 250, onWait } = {}) {
  let told = false;
  while (!take(file)) {
    const owner = ownerOf(file);
    if (owner !== undefined && !isAlive(owner)) rmSync(file, { force: true });
    else {
      if (owner !== undefined && !told) onWait?.(owner);
      told ||= owner !== undefined;
      await pause(everyMs);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** @param {string} file */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * @param {string} file
 * @returns {number | undefined} undefined while the lock is being written or has just gone
 */
function ownerOf(file) {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
