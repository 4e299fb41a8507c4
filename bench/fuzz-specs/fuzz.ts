import { renderProblem } from '../../src/core/documents/problem.ts';
import type { parseSpecs } from '../../src/source/parse-specs.ts';
import { bombs } from './bombs.ts';
import { mutate } from './mutate.ts';
import { randomFrom } from './random.ts';
import { seeds } from './seeds.ts';

export interface Fuzzing {
  /** Malformed ones: those that a mutation left sound do not count. */
  readonly documents: number;
  readonly seed: number;
  readonly parse: typeof parseSpecs;
}

export interface Outcome {
  readonly documents: number;
  readonly crashes: number;
  readonly slow: number;
  readonly slowestMs: number;
  /** The first few that went wrong, to be looked at. */
  readonly failures: readonly Failure[];
}

interface Failure {
  readonly why: string;
  readonly text: string;
}

export const LIMIT_MS = 250;

/** Reads spoiled documents and the bombs; a crash is anything thrown, and any change of a prototype. */
export function fuzz({ documents, seed, parse }: Fuzzing): Outcome {
  const random = randomFrom(seed);
  const tally: Tally = { crashes: 0, slow: 0, slowestMs: 0, failures: [] };
  const before = prototypes();
  for (const { name, path, text, harmless } of bombs) {
    if (tryOne(tally, parse, { path, text }) === 'sound' && !harmless)
      fail(tally, 'crashes', { why: `${name} was not refused`, text });
  }
  for (let malformed = 0; malformed < documents; ) {
    const seedText = random.pick(seeds, '');
    const text = mutate(seedText, seeds, random);
    const path = text.startsWith('{') && random.whole(2) === 0 ? 'spec.json' : 'spec.yaml';
    if (tryOne(tally, parse, { path, text }) !== 'sound') malformed += 1;
    if (malformed % 1000 === 0 && prototypes() !== before) {
      fail(tally, 'crashes', { why: 'a prototype changed', text });
      break;
    }
  }
  if (prototypes() !== before) fail(tally, 'crashes', { why: 'a prototype changed', text: '' });
  return { ...tally, documents: documents + bombs.length };
}

interface Tally {
  crashes: number;
  slow: number;
  slowestMs: number;
  readonly failures: Failure[];
}

interface File {
  readonly path: string;
  readonly text: string;
}

/** A slow one is read again: what the first time was the compiler's work is not our hang, which would come back. */
function tryOne(tally: Tally, parse: Fuzzing['parse'], file: File): 'sound' | 'refused' | 'crashed' {
  try {
    const first = timed(parse, file);
    const ms = first.ms > LIMIT_MS ? Math.min(first.ms, timed(parse, file).ms) : first.ms;
    tally.slowestMs = Math.max(tally.slowestMs, ms);
    if (ms > LIMIT_MS) fail(tally, 'slow', { why: `${Math.round(ms)} ms`, text: file.text });
    return first.refused ? 'refused' : 'sound';
  } catch (cause) {
    fail(tally, 'crashes', { why: String(cause), text: file.text });
    return 'crashed';
  }
}

/** Reading waits for nothing, so the thread's time on the processor is its time, however busy the machine is. */
function timed(parse: Fuzzing['parse'], file: File): { readonly ms: number; readonly refused: boolean } {
  const start = process.threadCpuUsage();
  const { problems } = parse([file], '2027-01-31');
  for (const problem of problems) renderProblem(problem);
  const { user, system } = process.threadCpuUsage(start);
  const ms = (user + system) / 1000;
  return { ms, refused: problems.some(({ severity, code }) => severity === 'error' && !LONELY.includes(code)) };
}

/** A document alone lacks its targets, and an estate: that is not what it is refused for here. */
const LONELY: readonly string[] = ['no-estate', 'unknown-reference'];

const MOST_FAILURES = 5;

function fail(tally: Tally, what: 'crashes' | 'slow', failure: Failure): void {
  tally[what] += 1;
  if (tally.failures.length < MOST_FAILURES) tally.failures.push({ ...failure, text: failure.text.slice(0, 400) });
}

/** What every object inherits, as text: their keys, and that none of these can be set through data. */
function prototypes(): string {
  const all = [Object.prototype, Array.prototype, String.prototype, Map.prototype, Function.prototype];
  return JSON.stringify(all.map((prototype) => Reflect.ownKeys(prototype).map(String)));
}
