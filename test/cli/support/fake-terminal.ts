import { type Readable, PassThrough as ReconcileThrough } from 'node:stream';
import type { Output, Terminal } from '../../../src/cli/terminal.ts';

/** A terminal that remembers; `input` speaks the given text, or is absent. */
export interface FakeTerminal extends Terminal {
  stdout(): string;
  stderr(): string;
}

export function fakeTerminal(options: { readonly says?: string; readonly live?: boolean } = {}): FakeTerminal {
  const out = captured(false);
  const err = captured(options.live ?? false);
  return {
    out: out.output,
    err: err.output,
    input: options.says === undefined ? null : spoken(options.says),
    stdout: out.text,
    stderr: err.text,
  };
}

function captured(live: boolean): { readonly output: Output; text(): string } {
  const parts: string[] = [];
  const write = (text: string): void => void parts.push(text);
  return { output: { write, colour: false, live, columns: 80 }, text: () => parts.join('') };
}

function spoken(text: string): Readable {
  const stream = new ReconcileThrough();
  stream.end(text);
  return stream;
}
