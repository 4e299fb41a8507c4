import type { Readable } from 'node:stream';
import { Complaint } from '../complaint.ts';
import type { Terminal } from '../terminal.ts';
import { type TypedLine, typed } from './typed-line.ts';

/** Asked on stderr; nothing of the answer is shown. `otherwise`: how it can be given where nobody can be asked. */
export async function askSecret(
  { input, err }: Terminal,
  question: { readonly text: string; readonly otherwise: string },
  signal: AbortSignal,
): Promise<string> {
  if (input === null)
    throw new Complaint('This needs an answer, and there is no terminal to ask on.', {
      why: question.text,
      next: question.otherwise,
    });
  const keys: Keys = input;
  err.write(`${question.text}: `);
  keys.setRawMode?.(true);
  try {
    return await hiddenLine(keys, signal);
  } finally {
    keys.setRawMode?.(false);
    // why: a terminal that is still read from keeps the process alive
    keys.pause();
    err.write('\n');
  }
}

/** A terminal's input, which can be told to show nothing of what is typed. */
interface Keys extends Readable {
  setRawMode?(raw: boolean): unknown;
}

/** '' if the input ends before a line does. */
function hiddenLine(input: Readable, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let line: TypedLine = { text: '' };
    const leave = (settle: () => void): void => {
      input.off('data', hear).off('end', ended).off('error', failed);
      signal.removeEventListener('abort', aborted);
      settle();
    };
    const hear = (piece: unknown): void => {
      line = typed(line, String(piece));
      if (line.ended === 'whole') leave(() => resolve(line.text));
      else if (line.ended !== undefined) failed(new Complaint(said[line.ended]));
    };
    const ended = (): void => leave(() => resolve(''));
    const failed = (error: unknown): void => leave(() => reject(error));
    const aborted = (): void => failed(signal.reason);
    input.on('data', hear).on('end', ended).on('error', failed);
    signal.addEventListener('abort', aborted);
    if (signal.aborted) aborted();
  });
}

const said = {
  stopped: 'Stopped by you, before anything was changed.',
  'too-long': 'That is longer than anything that was asked for.',
} as const;
