import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from '../cli/program.ts';
import { muteWarnings, onInterrupt, processTerminal } from '../cli/terminal.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import { cliDependencies } from './cli-dependencies.ts';

/** This file lies in src/bootstrap/ of a checkout, in dist/src/bootstrap/ of the package. */
function versionOf(folder: string): string {
  for (const above of ['../..', '../../..']) {
    try {
      const text = readFileSync(`${folder}/${above}/package.json`, 'utf8');
      const { name, version }: { name?: string; version?: string } = JSON.parse(text);
      if (name === 'setpoint' && version !== undefined) return version;
    } catch {}
  }
  return 'unknown';
}

const clock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};

// why: stores, keys, mirrors and plans are of this user alone, whatever the shell's umask and whichever program writes them
process.umask(0o077);

muteWarnings(process, ['MetadataLookupWarning']);

const interrupt = onInterrupt(process, () => process.exit(130));
process.exitCode = await runCli(
  process.argv.slice(2),
  { terminal: processTerminal(process), dependencies: cliDependencies(clock), clock, signal: interrupt.signal },
  versionOf(import.meta.dirname),
);
interrupt.release();
