import { printable } from '../../core/text.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import { formatDuration } from '../output/duration.ts';
import type { Output } from '../terminal.ts';

/** What is being done, one line per scope; silent for the first second, for most runs need no explaining. */
export interface Progress {
  /** `key`: the scope, or '' where there is one thing only. */
  show(key: string, text: string): void;
  /** The last word on one of several: told where the whole takes longer than that second. */
  finish(key: string, text: string): void;
  /** Removes the lines of a live terminal; the verdict follows on stdout. */
  end(): void;
}

/** Silent for this long; plain lines at most this often per key. */
const quietMs = 1000;
const plainEveryMs = 2000;

/** On a terminal the lines are redrawn in place; elsewhere each is a plain line, and the same text is not said twice. */
export function progressOn(output: Output, clock: Clock): Progress {
  const startedAt = clock.now();
  return output.live ? liveProgress(output, clock, startedAt) : plainProgress(output, clock, startedAt);
}

function plainProgress(output: Output, clock: Clock, startedAt: number): Progress {
  const said = new Map<string, { text: string; at: number }>();
  const untold: string[] = [];
  const isQuiet = (now: number): boolean => now - startedAt < quietMs;
  const tellFinished = (now: number): void => {
    if (!isQuiet(now)) for (const line of untold.splice(0)) output.write(line);
  };
  return {
    finish: (key, text) => {
      const now = clock.now();
      untold.push(`${lineOf(key, text, now - startedAt)}\n`);
      tellFinished(now);
    },
    show: (key, text) => {
      const now = clock.now();
      tellFinished(now);
      const last = said.get(key);
      if (isQuiet(now) || last?.text === text || (last && now - last.at < plainEveryMs)) return;
      said.set(key, { text, at: now });
      output.write(`${lineOf(key, text, now - startedAt)}\n`);
    },
    end: () => undefined,
  };
}

function liveProgress(output: Output, clock: Clock, startedAt: number): Progress {
  const texts = new Map<string, string>();
  let drawn = 0;
  const erase = () => {
    if (drawn > 0) output.write(`\x1b[${drawn}A\x1b[0J`);
    drawn = 0;
  };
  const draw = () => {
    erase();
    const elapsed = clock.now() - startedAt;
    for (const [key, text] of texts) output.write(`${lineOf(key, text, elapsed).slice(0, output.columns - 1)}\n`);
    drawn = texts.size;
  };
  const tick = setInterval(() => {
    if (clock.now() - startedAt >= quietMs && texts.size > 0) draw();
  }, 200).unref();
  return {
    show: (key, text) => void texts.set(key, text),
    finish: (key, text) => void texts.set(key, text),
    end: () => {
      clearInterval(tick);
      erase();
    },
  };
}

const lineOf = (key: string, text: string, elapsedMs: number): string =>
  printable(`${key === '' ? '' : `${key}: `}${text} (${formatDuration(elapsedMs)})`);
