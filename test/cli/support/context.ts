import { cliDependencies } from '../../../src/bootstrap/cli-dependencies.ts';
import type { CliProcess, Context } from '../../../src/cli/context.ts';
import { fakeTerminal } from './fake-terminal.ts';
import { realClock } from './in-process.ts';

/** The context of one command, as `runCli` makes it, over these parts of a process. */
export function contextOn(process: Partial<CliProcess> = {}): Context {
  const { terminal = fakeTerminal(), clock = realClock, signal = new AbortController().signal } = process;
  const dependencies = process.dependencies ?? cliDependencies(clock);
  return { terminal, dependencies, clock, signal, readSpecs: dependencies.readSpecs, finish: () => undefined };
}
