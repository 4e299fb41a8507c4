import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { styleText } from 'node:util';

/** Data goes to `out`, progress and errors to `err`; `input` is null where nobody can be asked. */
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

/** Aborts on the first Ctrl-C or SIGTERM; a second one ends the process at once. Call `release` when done. */
interface Interrupt {
  readonly signal: AbortSignal;
  release(): void;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** `end` is what a second signal does. */
export function onInterrupt(source: NodeJS.Process, end: () => void): Interrupt {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) end();
    else controller.abort(new Interrupted());
  };
  for (const name of signals) source.on(name, stop);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of signals) source.off(name, stop);
    },
  };
}

/** The reason that every wait ends with after Ctrl-C. */
class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/**
 * Keeps Node's warnings of these names from the terminal; all others are printed as before. `MetadataLookupWarning`: Google's library
 * warns on each machine outside Google Cloud, as no metadata server answers there. The error that follows names the missing credentials.
 */
export function muteWarnings(on: EventEmitter, names: readonly string[]): void {
  const printers = on.listeners('warning');
  on.removeAllListeners('warning');
  on.on('warning', (warning: Error) => {
    if (!names.includes(warning.name)) for (const print of printers) print.call(on, warning);
  });
}
