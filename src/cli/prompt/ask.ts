import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { printableLines } from '../../core/text.ts';
import { Complaint } from '../complaint.ts';
import { exitCodes } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';

/** `flag`: what answers it where nobody can be asked. */
export interface Question {
  readonly text: string;
  readonly flag: string;
}

/**
 * Whether a person typed exactly `yes`. Asked on stderr, for stdout is data. Without a terminal it is a complaint that
 * names the flag: a program that waits for nobody is stuck for ever.
 */
export async function askYes(terminal: Terminal, question: Question, signal: AbortSignal): Promise<boolean> {
  if (terminal.input === null) {
    throw new Complaint('This needs an answer, and there is no terminal to ask on.', {
      why: question.text,
      next: `Add ${question.flag} to go ahead without being asked.`,
      code: exitCodes.error,
    });
  }
  terminal.err.write(`\n${printableLines(question.text)}\n  Only 'yes' is accepted: `);
  return (await firstLine(terminal.input, signal)).trim() === 'yes';
}

/** '' if the input ends before a line does. */
async function firstLine(input: Readable, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input, signal });
  try {
    for await (const line of lines) return line;
    signal.throwIfAborted();
    return '';
  } finally {
    lines.close();
  }
}
