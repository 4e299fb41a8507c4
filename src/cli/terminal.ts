import type { Readable } from 'node:stream';
import { styleText } from 'node:util';

/** Data goes to `out`, progress and complaints to `err`; `input` is null where nobody can be asked. */
export interface Terminal {
  readonly out: Output;
  readonly err: Output;
  readonly input: Readable | null;
}

/** `live`: a terminal whose lines can be redrawn. `columns`: where a line must end. `width`: of a terminal; absent: none reads it. */
export interface Output {
  write(text: string): void;
  readonly colour: boolean;
  readonly live: boolean;
  readonly columns: number;
  readonly width?: number;
}

/** The process's own. Colour follows Node's rules: NO_COLOR, FORCE_COLOR, NODE_DISABLE_COLORS, TTY. */
export function processTerminal(process: NodeJS.Process): Terminal {
  return {
    out: output(process.stdout),
    err: output(process.stderr),
    input: process.stdin.isTTY && process.stderr.isTTY ? process.stdin : null,
  };
}

function output(stream: NodeJS.WriteStream): Output {
  // A reader that has seen enough, such as head(1), is no reason to stop halfway through an apply.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    write: (text) => void stream.write(text),
    colour: styleText('bold', 'x', { stream }) !== 'x',
    live: stream.isTTY === true && process.env['TERM'] !== 'dumb' && process.env['CI'] === undefined,
    columns: stream.columns || 120,
    ...(stream.columns ? { width: stream.columns } : {}),
  };
}
