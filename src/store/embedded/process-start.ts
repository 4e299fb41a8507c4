import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process started, as text that differs for any two processes that ever had the same id; undefined where none runs.
 * A process id alone says nothing: ids are used again.
 */
export function processStart(pid: number): string | undefined {
  return process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
}

/** The command line of a process; '' where none runs or it may not be seen. */
export function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return ps(pid, 'command');
  } catch {
    return '';
  }
}

/** Field 22 of proc_pid_stat(5) is the start in clock ticks since boot; field 3 is `Z` for one that is dead and not yet reaped. */
function startOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

function startByPs(pid: number): string | undefined {
  try {
    return ps(pid, 'lstart') || undefined;
  } catch {
    return undefined;
  }
}

const ps = (pid: number, column: string): string =>
  execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  }).trim();
