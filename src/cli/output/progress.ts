import type { DoneVerb } from '../../core/action.ts';
import { printable } from '../../core/text.ts';
import type { Progress as Event, Waiting } from '../../engine/control.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import type { Output } from '../terminal.ts';
import { count, formatDuration } from './format.ts';

/** The current work, one line per scope; silent for the first second, for most runs need no explaining. */
export interface Progress {
  /** `key`: the scope, or '' where there is one thing only. */
  show(key: string, text: string): void;
  /** The last line of one of several: printed where the whole takes longer than that second. */
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
  const shown = new Map<string, { text: string; at: number }>();
  const pending: string[] = [];
  const isQuiet = (now: number): boolean => now - startedAt < quietMs;
  const writeFinished = (now: number): void => {
    if (!isQuiet(now)) for (const line of pending.splice(0)) output.write(line);
  };
  return {
    finish: (key, text) => {
      const now = clock.now();
      pending.push(`${lineOf(key, text, now - startedAt)}\n`);
      writeFinished(now);
    },
    show: (key, text) => {
      const now = clock.now();
      writeFinished(now);
      const last = shown.get(key);
      if (isQuiet(now) || last?.text === text || (last && now - last.at < plainEveryMs)) return;
      shown.set(key, { text, at: now });
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

const doing = {
  create: 'creating',
  update: 'updating',
  replace: 'replacing',
  delete: 'deleting',
  adopt: 'adopting',
  forget: 'forgetting',
  tombstone: 'begins the grace of',
} as const satisfies Record<DoneVerb, string>;

const waitingFor = {
  budget: 'waiting for the rate limit',
  backoff: 'waiting before a retry',
  ready: 'waiting until it is ready',
  gone: 'waiting until it is gone',
  visible: 'waiting until the cloud shows the change',
} as const satisfies Record<Waiting, string>;

/**
 * Shows the events of one scope's reconciles as one calm line: the current step and the progress. It leaves out the
 * observations of a wait: the line with the awaited state stays until the next step. The line begins with the scope, and its
 * addresses leave it out.
 */
export function reportScope(scope: string, progress: Progress): (event: Event) => void {
  const seen = new Map<string, number>();
  let settled = 0;
  let isWaiting = false;
  return (event) => {
    if (event.at === 'called' || event.at === 'waited') return;
    if (event.at === 'observing') seen.set(event.kind, event.seen);
    if (event.at === 'settled') settled += 1;
    isWaiting = event.at === 'waiting' ? event.atMostMs !== undefined : isWaiting && isObservation(event);
    if (isWaiting && event.at !== 'waiting') return;
    progress.show(scope, eventLine(event, { seen: sum(seen), settled }).replaceAll(`${scope}/`, ''));
  };
}

const isObservation = (event: Event): boolean =>
  event.at === 'observing' || (event.at === 'planned' && event.actions === 0);

const sum = (seen: ReadonlyMap<string, number>): number => [...seen.values()].reduce((all, n) => all + n, 0);

function eventLine(event: Event, so: { readonly seen: number; readonly settled: number }): string {
  const done = so.settled === 0 ? '' : `${so.settled} done, `;
  switch (event.at) {
    case 'observing':
      return `observing, ${count(so.seen, 'object')} so far`;
    case 'planned':
      return `plan ${event.round}: ${count(event.actions, 'action')} to do`;
    case 'acting':
      return `${done}${doing[event.verb]} ${many(event.addresses)}`;
    case 'settled':
      return `${done}${event.failure === undefined ? doing[event.verb] : 'failed:'} ${event.address}`;
    case 'withheld':
      return `${done}withholding: ${event.finding.why}`;
    case 'waiting':
      if (event.atMostMs !== undefined)
        return `${done}waiting for ${event.detail} to appear (at most ${formatDuration(event.atMostMs)})`;
      return `${done}${waitingFor[event.why]}${forAbout(event.forMs)}: ${event.detail}`;
    case 'waited':
    case 'called':
      return '';
  }
}

const many = ([first = '', ...rest]: readonly string[]): string =>
  rest.length === 0 ? first : `${first} and ${rest.length} more`;

const forAbout = (ms: number | undefined): string => (ms === undefined ? '' : ` (${formatDuration(ms)})`);
