import { runCli } from '../src/cli/program.ts';
import type { Output, Terminal } from '../src/cli/terminal.ts';
import { type Ground, houseAt } from './house.ts';
import { clockAt } from './pace.ts';

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * The second process: this one, which was never at the failpoint and knows nothing of the first but the store. Runs one verb
 * of the command line, with a house of its own.
 */
export async function second(args: readonly string[], ground: Ground): Promise<Said> {
  const out = heard();
  const err = heard();
  const terminal: Terminal = { out: out.output, err: err.output, input: null };
  const outside = { terminal, house: houseAt(ground), clock: clockAt(ground.pace), stop: new AbortController().signal };
  const code = await runCli(args, outside, 'chaos');
  return { code, out: out.text(), err: err.text() };
}

function heard(): { readonly output: Output; text(): string } {
  const parts: string[] = [];
  const output: Output = { write: (text) => void parts.push(text), colour: false, live: false, columns: 120 };
  return { output, text: () => parts.join('') };
}
