import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { printableLines } from '../core/text.ts';
import { exitCodes, UserError } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** `flag`: what answers it where nobody can be asked. */
interface Question {
  readonly text: string;
  readonly flag: string;
}

/**
 * True where a person typed exactly `yes`. The question goes to stderr, for stdout is data. Without a terminal it is an error
 * that names the flag: a program without a reader would wait for ever.
 */
export async function askYes(terminal: Terminal, question: Question, signal: AbortSignal): Promise<boolean> {
  if (terminal.input === null) {
    throw new UserError('This command needs an answer, but it has no terminal.', {
      why: question.text,
      next: `Add ${question.flag} to continue without a question.`,
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

/** Several questions of one command. They share a reader: the next answer may be in what it has read already. */
export interface Conversation {
  /** The proposed answer for an empty line; undefined where there is none, or the input has ended. */
  ask(text: string, proposed?: string): Promise<string | undefined>;
  close(): void;
}

/** The questions go to stderr, for stdout is data. */
export function openConversation({ input, err }: Terminal, signal: AbortSignal): Conversation {
  if (input === null) throw new Error('questions need a terminal');
  const lines = createInterface({ input, signal });
  const answers = lines[Symbol.asyncIterator]();
  return {
    ask: async (text, proposed) => {
      err.write(`${printableLines(proposed === undefined ? text : `${text} [${proposed}]`)}: `);
      const { value, done } = await answers.next();
      signal.throwIfAborted();
      if (done) return undefined;
      return value.trim() || proposed;
    },
    close: () => lines.close(),
  };
}

/** Asked on stderr; nothing of the answer is shown. `otherwise`: how it can be given where nobody can be asked. */
export async function askSecret(
  { input, err }: Terminal,
  question: { readonly text: string; readonly otherwise: string },
  signal: AbortSignal,
): Promise<string> {
  if (input === null)
    throw new UserError('This command needs an answer, but it has no terminal.', {
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

/** A terminal's input, which can hide typed text. */
interface Keys extends Readable {
  setRawMode?(raw: boolean): unknown;
}

/** '' if the input ends before a line does. */
function hiddenLine(input: Readable, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let line: TypedLine = { text: '' };
    const leave = (settle: () => void): void => {
      input.off('data', onData).off('end', ended).off('error', failed);
      signal.removeEventListener('abort', aborted);
      settle();
    };
    const onData = (chunk: unknown): void => {
      line = applyKeys(line, String(chunk));
      if (line.ended === 'whole') leave(() => resolve(line.text));
      else if (line.ended !== undefined) failed(new UserError(abortText[line.ended]));
    };
    const ended = (): void => leave(() => resolve(''));
    const failed = (error: unknown): void => leave(() => reject(error));
    const aborted = (): void => failed(signal.reason);
    input.on('data', onData).on('end', ended).on('error', failed);
    signal.addEventListener('abort', aborted);
    if (signal.aborted) aborted();
  });
}

const abortText = {
  stopped: 'Interrupted before anything was changed.',
  'too-long': 'The input is too long.',
} as const;

/** A line that is being typed. `ended`: it is whole, was given up with Ctrl-C, or is longer than anything that was asked for. */
export interface TypedLine {
  readonly text: string;
  readonly ended?: 'whole' | 'stopped' | 'too-long';
}

const mostCharacters = 16_384;

/** With a terminal that shows and edits nothing: what some more keys make of a line. What follows its end is dropped. */
export function applyKeys(line: TypedLine, keys: string): TypedLine {
  let { text } = line;
  for (const key of keys) {
    const ended = endings[key];
    if (ended !== undefined && (key !== ctrlD || text === '')) return { text, ended };
    text = edited(text, key);
    if (text.length > mostCharacters) return { text: '', ended: 'too-long' };
  }
  return { text };
}

const ctrlD = '\x04';
const endings: Readonly<Record<string, 'whole' | 'stopped'>> = {
  '\r': 'whole',
  '\n': 'whole',
  '\x03': 'stopped',
  [ctrlD]: 'stopped',
};

/** Backspace takes a character, Ctrl-U all of them; other keys that are no characters do nothing. */
function edited(text: string, key: string): string {
  if (key === '\x7f' || key === '\b') return [...text].slice(0, -1).join('');
  if (key === '\x15') return '';
  return key < ' ' ? text : text + key;
}
