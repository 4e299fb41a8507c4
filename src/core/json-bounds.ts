/**
 * The bounds of some JSON. `depth`: of lists and objects in one another. `parts`: keys, values and brackets. `gap`: bytes of a number,
 * or of blanks, outside of texts; as many as one likes where it is left out.
 */
export interface JsonBounds {
  readonly depth: number;
  readonly parts: number;
  readonly gap?: number;
}

/** So much JSON as a parser reads without a pause. */
export interface JsonSize {
  readonly bytes: number;
  readonly parts: number;
}

const endless: JsonSize = { bytes: Number.POSITIVE_INFINITY, parts: Number.POSITIVE_INFINITY };

const [quote, backslash, comma, colon, openList, closeList, openObject, closeObject] = [
  0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d,
];

/** By byte: how many parts it begins, and how much deeper it leads, outside of texts. */
const [beginning, ending] = [1, 2];
const marks = new Uint8Array(256);
for (const each of [comma, colon, openList, openObject]) marks[each] = beginning;
for (const each of [closeList, closeObject, quote]) marks[each] = ending;

/** Counts on the bytes alone, before a parser makes objects of them. */
export function fitsBounds(body: Uint8Array, most: JsonBounds): boolean {
  const scan = new JsonScan(body, most);
  scan.scanTo(body.length);
  return scan.excess === undefined;
}

/**
 * One look at each byte of some JSON, as far at a time as its caller likes: every byte of a character beyond ASCII is over 127, so
 * none is taken for a mark. It tells whether brackets and texts end, and no more of the grammar.
 */
export class JsonScan {
  /** Lists, objects and texts that are larger than a piece: where each begins, and where it has ended. */
  readonly large = new Map<number, number>();
  /** The bound that the JSON is over. Nothing behind it was looked at. */
  excess: keyof JsonBounds | undefined;

  private readonly bytes: Uint8Array;
  private readonly most: JsonBounds;
  private readonly piece: JsonSize;
  private at = 0;
  private parts = 1;
  /** The start of each open list and object, and the parts before it. */
  private readonly begins: number[] = [];
  private readonly before: number[] = [];
  private textBegins: number | undefined;
  private marked = 0;
  private hasEnds = true;

  constructor(bytes: Uint8Array, most: JsonBounds, piece = endless) {
    this.bytes = bytes;
    this.most = most;
    this.piece = piece;
  }

  /** True where every bracket and text that began has ended. */
  get isClosed(): boolean {
    return this.hasEnds && this.begins.length === 0 && this.textBegins === undefined;
  }

  /** Looks as far as `end`. False where it is of no use to look further. */
  scanTo(end: number): boolean {
    const { bytes } = this;
    let { at } = this;
    for (; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.textBegins !== undefined) {
        if (byte === backslash) at += 1;
        else if (byte === quote) this.endText(this.textBegins, at + 1);
      } else if (marks[byte] !== 0 && !this.take(byte, at)) return false;
    }
    this.at = at;
    return this.textBegins !== undefined || this.isGapWithin(at);
  }

  private take(byte: number, at: number): boolean {
    if (!this.isGapWithin(at)) return false;
    this.marked = at;
    if (byte === quote) this.textBegins = at;
    else if (marks[byte] === ending) return this.close(at + 1);
    else {
      this.parts += 1;
      if (byte === openList || byte === openObject) this.open(at);
      if (this.parts > this.most.parts) this.excess = 'parts';
      if (this.begins.length > this.most.depth) this.excess = 'depth';
    }
    return this.excess === undefined;
  }

  private isGapWithin(at: number): boolean {
    if (at - this.marked > (this.most.gap ?? endless.bytes)) this.excess = 'gap';
    return this.excess === undefined;
  }

  private open(at: number): void {
    this.begins.push(at);
    this.before.push(this.parts - 1);
  }

  private close(end: number): boolean {
    const begin = this.begins.pop();
    const before = this.before.pop();
    if (begin === undefined || before === undefined) this.hasEnds = false;
    else if (end - begin > this.piece.bytes || this.parts - before > this.piece.parts) this.large.set(begin, end);
    return this.hasEnds;
  }

  private endText(begin: number, end: number): void {
    if (end - begin > this.piece.bytes) this.large.set(begin, end);
    this.textBegins = undefined;
    this.marked = end;
  }
}
