import { type JsonBounds, JsonScan, type JsonSize } from '../../src/core/json-bounds.ts';
import { JsonCutter, type JsonPiece, JsonUncut, joinPiece, longest } from './json-pieces.ts';
import { isTurnOver, nextTurn } from './turns.ts';

/** The bounds of an answer that is JSON. */
export interface AnswerBounds extends JsonBounds {
  readonly bytes: number;
}

/** The call that an answer is to, for the message of a failure. */
export interface Asked {
  readonly cloud: string;
  readonly action: string;
}

/** JSON that a parser and an SDK read within some 15 ms. Longer answers are read in pieces. */
const short: JsonSize = { bytes: 256 * 1024, parts: 5_000 };

/** An answer that has no list to leave out, and is longer than this without its lists, is none that a cloud gives to a write. */
const mostOfWrite: JsonSize = { bytes: longest.text, parts: 20_000 };

const scannedAtOnce = 64 * 1024;

/** The code of the failure by which a smaller page may be asked for. */
export const tooLarge = 'AnswerTooLarge';

/** Thrown before any of the answer was read, or with all of it lost. */
export class AnswerRefused extends Error {
  readonly code: typeof tooLarge | 'UnreadableAnswer' | 'AnswerNotEnded';
  constructor(code: AnswerRefused['code'], { cloud, action }: Asked, found: string) {
    super(
      `${cloud} answered ${action} with ${found}. Setpoint ignores such an answer. Check the endpoint of the target, and any proxy on the way to it.`,
    );
    this.name = 'AnswerRefused';
    this.code = code;
  }
}

/** The most that is read of an answer, and the time limit from its headers to its end. */
export interface ReadBounds {
  readonly bytes: number;
  readonly ms: number;
}

/** The body of an answer as it comes. */
export interface Body {
  readonly chunks: AsyncIterable<Uint8Array | string>;
  /** Closes its connection, also while a chunk is awaited. */
  giveUp(): void;
}

/** Reads to the end, or gives up at the first byte too many or when its time is over. Throws `AnswerRefused` then. */
export async function readBytes(
  body: Body | undefined,
  bounds: ReadBounds,
  asked: Asked,
): Promise<Uint8Array<ArrayBuffer>> {
  if (body === undefined) return new Uint8Array();
  const late = Promise.withResolvers<never>();
  const refusal = new AnswerRefused('AnswerNotEnded', asked, `a body that did not end within ${bounds.ms / 1000} s`);
  // why: whatever becomes of the connection, the loop holds this timer, and the timer holds the read
  const timer = setTimeout(() => late.reject(refusal), bounds.ms);
  try {
    return await joined(await Promise.race([chunksIn(body, bounds.bytes, asked), late.promise]));
  } catch (error) {
    body.giveUp();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function chunksIn({ chunks }: Body, most: number, asked: Asked): Promise<readonly Uint8Array[]> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    length += bytes.length;
    if (length > most) throw new AnswerRefused(tooLarge, asked, `more than ${inUnits(most)}`);
    read.push(bytes);
  }
  return read;
}

async function joined(chunks: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of chunks) {
    whole.set(bytes, at);
    at += bytes.length;
    if (isTurnOver()) await nextTurn();
  }
  return whole;
}

/** Holds an answer against its bounds, in turns of the loop, before a parser makes objects of it. Throws `AnswerRefused`. */
export async function scanAnswer(
  bytes: Uint8Array<ArrayBuffer>,
  bounds: AnswerBounds,
  asked: Asked,
): Promise<JsonAnswer> {
  const scan = new JsonScan(bytes, bounds, short);
  for (let end = scannedAtOnce; scan.scanTo(Math.min(end, bytes.length)) && end < bytes.length; end += scannedAtOnce)
    if (isTurnOver()) await nextTurn();
  if (scan.excess === 'gap') throw new AnswerRefused('UnreadableAnswer', asked, 'what is no JSON');
  if (scan.excess !== undefined) throw new AnswerRefused(tooLarge, asked, foundIn(scan.excess, bounds));
  // why: one that is short and no JSON is refused by its parser
  if (!scan.isClosed && bytes.length > short.bytes)
    throw new AnswerRefused('UnreadableAnswer', asked, 'JSON that does not end');
  if (isTurnOver()) await nextTurn();
  return new JsonAnswer(bytes, scan.large, asked);
}

const foundIn = (excess: 'depth' | 'parts', { depth, parts }: AnswerBounds): string =>
  excess === 'depth'
    ? `lists and objects nested deeper than ${depth}`
    : `more than ${parts.toLocaleString('en')} keys, values and brackets`;

const inUnits = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`;

/** An answer within its bounds. */
export class JsonAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  private readonly large: ReadonlyMap<number, number>;
  private readonly asked: Asked;

  constructor(bytes: Uint8Array<ArrayBuffer>, large: ReadonlyMap<number, number>, asked: Asked) {
    this.bytes = bytes;
    this.large = large;
    this.asked = asked;
  }

  /** True where it is to be read in pieces. */
  get isLong(): boolean {
    return this.large.size > 0;
  }

  /** `always`: a list of the answer that each piece has, be it empty. */
  pieces(always?: string): Pieces {
    const cut = { size: short, always };
    return new Pieces(this.asked, () => new JsonCutter(this.bytes, this.large, cut));
  }

  /** For the answer to a write, of which nobody reads the long lists. */
  withoutLongLists(): Uint8Array<ArrayBuffer> {
    const cut = { size: mostOfWrite, withoutLists: true };
    const pieces = new Pieces(this.asked, () => new JsonCutter(this.bytes, this.large, cut));
    const { text } = pieces.next();
    if (!pieces.isDone) throw new AnswerRefused(tooLarge, this.asked, `more than ${inUnits(mostOfWrite.bytes)}`);
    return text;
  }
}

/** The pieces of a long answer, one after another. Throws `AnswerRefused` where it is no JSON. */
export class Pieces {
  /** The number that was taken, and `joins` of the last. */
  taken = 0;
  joins = 0;
  private readonly asked: Asked;
  private readonly cutter: JsonCutter;

  constructor(asked: Asked, make: () => JsonCutter) {
    this.asked = asked;
    this.cutter = this.withRefusal(make);
  }

  get isDone(): boolean {
    return this.cutter.isDone;
  }

  next(): JsonPiece {
    const piece = this.withRefusal(() => this.cutter.next());
    if (piece === undefined) throw new Error(`${this.asked.action} has no piece more`);
    this.taken += 1;
    this.joins = piece.joins;
    return piece;
  }

  private withRefusal<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw error instanceof JsonUncut ? refusalOf(error, this.asked) : error;
    }
  }
}

function refusalOf({ reason }: JsonUncut, asked: Asked): AnswerRefused {
  const { text, key, members } = longest;
  const found = {
    grammar: 'what is no JSON',
    text: `a text of more than ${inUnits(text)}`,
    key: `a key of more than ${inUnits(key)}`,
    members: `an object of more than ${members.toLocaleString('en')} members`,
  };
  return new AnswerRefused(reason === 'grammar' ? 'UnreadableAnswer' : tooLarge, asked, found[reason]);
}

/**
 * Reads an answer by `read`, and once more for each further piece, in a turn of its own: `read` takes the next of
 * `exchange.pieces` in place of an answer of the cloud. What was read is joined.
 */
export async function readWhole<T>(
  exchange: { readonly pieces?: Pieces | undefined },
  read: () => Promise<T>,
): Promise<T> {
  let whole: unknown = await read();
  const { pieces } = exchange;
  while (pieces !== undefined && !pieces.isDone) {
    await nextTurn();
    const { taken } = pieces;
    const piece = await read();
    if (pieces.taken === taken) throw new Error('a long answer was not read to its end');
    whole = joinPiece(whole, piece, pieces.joins);
  }
  return whole as T; // why: it was read as one, piece by piece
}
