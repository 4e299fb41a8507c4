import pino from 'pino';
import { printableLines } from '../core/text.ts';
import type { Field, Fields, Log } from '../ports/clock-and-log.ts';

interface LogSettings {
  readonly form: 'text' | 'json';
  readonly level: Level;
}

type Level = (typeof levels)[number];
const levels = ['debug', 'info', 'warn', 'error'] as const;

/**
 * Writes one line for each message: `time level message field=value …`, or one JSON object with the same in it. `json`:
 * keys `time` (ISO 8601, UTC), `level`, `message` and the fields. A terminal obeys nothing in either.
 */
export function createLog(out: { write(text: string): void }, { form, level }: LogSettings): Log {
  const write =
    form === 'json' ? (line: string) => out.write(printableLines(line)) : (line: string) => out.write(textLine(line));
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  return logOn(logger);
}

/** `SETPOINT_LOG` (`text` or `json`) and `SETPOINT_LOG_LEVEL`. Throws for a value that is none of theirs. */
export function logSettings(env: NodeJS.ProcessEnv): LogSettings {
  return {
    form: oneOf(env, 'SETPOINT_LOG', ['text', 'json'] as const, 'text'),
    level: oneOf(env, 'SETPOINT_LOG_LEVEL', levels, 'info'),
  };
}

function oneOf<T extends string>(env: NodeJS.ProcessEnv, name: string, allowed: readonly T[], usual: T): T {
  const said = env[name];
  if (said === undefined || said === '') return usual;
  const found = allowed.find((each) => each === said);
  if (found !== undefined) return found;
  throw new Error(`${name} is "${said}": write one of ${allowed.join(', ')}, or leave it out for ${usual}`);
}

function logOn(logger: pino.Logger): Log {
  return {
    debug: (message, fields) => logger.debug(named(fields), message),
    info: (message, fields) => logger.info(named(fields), message),
    warn: (message, fields) => logger.warn(named(fields), message),
    error: (message, fields) => logger.error(named(fields), message),
    with: (fields) => logOn(logger.child(named(fields))),
  };
}

/** Every field that may be written: whatever else an object brings along stays out. */
const known: Readonly<Record<Field, true>> = {
  estate: true,
  scope: true,
  reconcileId: true,
  address: true,
  cloud: true,
  kind: true,
  verb: true,
  action: true,
  rateLimit: true,
  generation: true,
  revision: true,
  round: true,
  count: true,
  settled: true,
  failed: true,
  withheld: true,
  findings: true,
  outcome: true,
  code: true,
  requestId: true,
  durationMs: true,
  forMs: true,
  worker: true,
  holder: true,
  epoch: true,
  url: true,
  caller: true,
  task: true,
  route: true,
  webhook: true,
  issuer: true,
  metric: true,
  source: true,
  witness: true,
  detail: true,
  reason: true,
};

/** A cloud's own words may be pages long. */
const longest = 1000;

function named(fields: Fields = {}): Fields {
  const kept = Object.entries(fields).flatMap(([name, value]) => {
    if (!Object.hasOwn(known, name)) return [];
    if (typeof value === 'string') return [[name, value.length > longest ? `${value.slice(0, longest)}…` : value]];
    return typeof value === 'number' || typeof value === 'boolean' ? [[name, value]] : [];
  });
  return Object.fromEntries(kept);
}

/** A line of JSON as one for people: `time level message field=value …`. What a terminal would obey is written as an escape. */
function textLine(json: string): string {
  const line: Readonly<Record<string, unknown>> = JSON.parse(json);
  const { time, level, message, ...fields } = line;
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`);
  return `${time} ${level} ${plain(String(message))}${pairs.join('')}\n`;
}

/** Quoted where it would not read as one word. */
const shown = (value: unknown): string => {
  const text = String(value);
  return /^[^\s"=\p{C}]+$/u.test(text) ? text : plain(JSON.stringify(text));
};

const plain = (text: string): string =>
  text.replaceAll(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
