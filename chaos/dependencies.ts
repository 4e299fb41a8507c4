import { cliDependencies } from '../src/bootstrap/cli-dependencies.ts';
import type { CliDependencies } from '../src/cli/context.ts';
import { runCli } from '../src/cli/program.ts';
import type { Output, Terminal } from '../src/cli/terminal.ts';
import type { Store } from '../src/ports/store.ts';
import { connect } from '../src/store/connection.ts';
import { postgresLeases } from '../src/store/leases.ts';
import { openStore } from '../src/store/open-store.ts';
import { appRole } from '../src/store/roles.ts';
import { clockAt, ourClock, type Pace } from './clock.ts';

/** The settings of each process of a trial. */
export interface ProcessSettings {
  readonly pace: Pace;
  readonly databaseUrl: string;
  /** Its lease outlives it by so long, in our time. */
  readonly leaseMs: number;
}

/** The command line's own dependencies, at another pace: only its leases, which the database times too, keep our time. */
export function dependenciesAt({ pace, databaseUrl, leaseMs }: ProcessSettings): CliDependencies {
  const clock = clockAt(pace);
  return {
    ...cliDependencies(clock, databaseUrl),
    openStore: async (folder, _opening, say) => {
      // why: windows go by the database's clock, and must pass at this pace too
      const opening = { folder, databaseUrl, clock, databaseClock: clock, onProgress: say };
      const store = await openStore({ ...opening, create: true, leaseMs });
      return leasedInOurTime(store, databaseUrl, leaseMs);
    },
  };
}

function leasedInOurTime(store: Store, databaseUrl: string, leaseMs: number): Store {
  const db = connect({ config: { connectionString: databaseUrl }, role: appRole }, leaseMs);
  const leases = postgresLeases(db, ourClock, { ttlMs: leaseMs, onRelease: async () => {} });
  const close = async (): Promise<void> => {
    try {
      await leases.close();
      await db.destroy();
    } finally {
      await store.close();
    }
  };
  return { ...store, leases, close };
}

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * The second process: this one, which was never at the failpoint and knows nothing of the first but the store. Runs one verb
 * of the command line, with dependencies of its own.
 */
export async function second(args: readonly string[], settings: ProcessSettings): Promise<Said> {
  const out = heard();
  const err = heard();
  const terminal: Terminal = { out: out.output, err: err.output, input: null };
  const outside = {
    terminal,
    dependencies: dependenciesAt(settings),
    clock: clockAt(settings.pace),
    signal: new AbortController().signal,
  };
  const code = await runCli(args, outside, 'chaos');
  return { code, out: out.text(), err: err.text() };
}

function heard(): { readonly output: Output; text(): string } {
  const parts: string[] = [];
  const output: Output = { write: (text) => void parts.push(text), colour: false, live: false, columns: 120 };
  return { output, text: () => parts.join('') };
}
