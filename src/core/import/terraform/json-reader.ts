/** A place in a text, and what is wrong there. It quotes nothing of the text, which may hold secrets. */
export interface JsonProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** The value that `read` makes of a JSON text, or the first problem. `depth`: of lists and objects in one another. */
export function readJson<T>(
  text: string,
  depth: number,
  read: (reader: JsonReader) => T,
): { readonly value: T } | { readonly problem: JsonProblem } {
  try {
    const reader = new JsonReader(text, depth);
    const value = read(reader);
    reader.end();
    return { value };
  } catch (stop) {
    if (!(stop instanceof Broken)) throw stop;
    return { problem: { message: stop.message, ...placeIn(text, stop.offset) } };
  }
}

/** An escape that the end of the text cuts in two. */
const isCut = (text: string, at: number): boolean =>
  text.length - at < 6 && /^\\(?:u[0-9a-fA-F]*)?$/.test(text.slice(at));

function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  let [line, begin] = [1, 0];
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    begin = at + 1;
  }
  return { line, column: offset - begin + 1 };
}

/** Leaves the recursion; never leaves this file. */
class Broken extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export type Scalar = string | number | boolean | null;

const [quote, backslash, letterU] = [0x22, 0x5c, 0x75];
const longest = 4096;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const word = /(?:true|false|null)(?!\w)/y;
const blanks = /[ \t\r\n]*/y;
const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Reads JSON (RFC 8259) value by value, and makes nothing of the values that its caller skips. Own code because `JSON.parse` makes
 * objects of a whole state, reports no reliable place, and quotes the text in its errors. O(n).
 */
export class JsonReader {
  private offset = 0;
  private depth = 0;
  private readonly text: string;
  private readonly most: number;

  constructor(text: string, most: number) {
    this.text = text;
    this.most = most;
  }

  /** `visit` reads or skips exactly one value for each key. */
  object(visit: (key: string) => void): void {
    this.enter('{', 'an object');
    if (!this.takes('}')) {
      do {
        this.skipBlanks();
        const key = this.readText() ?? '';
        if (!this.takes(':')) this.fail('a colon is missing here');
        visit(key);
      } while (this.takes(','));
      if (!this.takes('}')) this.fail('a comma or } is missing here');
    }
    this.depth -= 1;
  }

  /** `visit` reads or skips exactly one value each time. */
  list(visit: () => void): void {
    this.enter('[', 'a list');
    if (!this.takes(']')) {
      do visit();
      while (this.takes(','));
      if (!this.takes(']')) this.fail('a comma or ] is missing here');
    }
    this.depth -= 1;
  }

  /** Undefined for lists, objects and texts of more than 4,096 characters. */
  scalar(): Scalar | undefined {
    const mark = this.peek();
    if (mark === '"') return this.readText();
    if (mark !== '{' && mark !== '[') return this.readWord();
    this.skip();
    return undefined;
  }

  skip(): void {
    const mark = this.peek();
    if (mark === '{') this.object(() => this.skip());
    else if (mark === '[') this.list(() => this.skip());
    else if (mark === '"') this.scanText();
    else this.readWord();
  }

  /** The first character of the next value; '' at the end. */
  peek(): string {
    this.skipBlanks();
    return this.text[this.offset] ?? '';
  }

  /** Ends the reading with a problem at this place. */
  fail(message: string): never {
    const isOver = this.offset >= this.text.length;
    throw new Broken(isOver ? `the text ends in the middle: ${message}` : message, this.offset);
  }

  end(): void {
    if (this.peek() !== '') this.fail('nothing more was expected here');
  }

  private enter(mark: string, expected: string): void {
    if (!this.takes(mark)) this.fail(`${expected} was expected here`);
    this.depth += 1;
    if (this.depth > this.most) this.fail(`this is nested deeper than ${this.most} levels`);
  }

  private takes(mark: string): boolean {
    if (this.peek() !== mark) return false;
    this.offset += 1;
    return true;
  }

  private skipBlanks(): void {
    blanks.lastIndex = this.offset;
    blanks.test(this.text);
    this.offset = blanks.lastIndex;
  }

  private readWord(): Scalar {
    for (const pattern of [number, word]) {
      pattern.lastIndex = this.offset;
      const found = pattern.exec(this.text)?.[0];
      if (found === undefined) continue;
      this.offset += found.length;
      return JSON.parse(found) as Scalar; // why: both patterns match such words only
    }
    return this.fail('a value was expected here: text in double quotes, a number, { or [');
  }

  private readText(): string | undefined {
    const begin = this.offset;
    this.scanText();
    if (this.offset - begin > longest) return undefined;
    return JSON.parse(this.text.slice(begin, this.offset)) as string; // why: `scanText` has checked it
  }

  private scanText(): void {
    const { text } = this;
    if (text[this.offset] !== '"') this.fail('text in double quotes was expected here');
    let at = this.offset + 1;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quote) break;
      if (code === backslash) at = this.lastOfEscape(at);
      else if (code < 0x20) this.failAt(at, 'text in quotes holds no control character');
    }
    if (at >= text.length) this.failAt(text.length, 'a closing double quote is missing');
    this.offset = at + 1;
  }

  private lastOfEscape(at: number): number {
    escapes.lastIndex = at;
    if (!escapes.test(this.text) && !isCut(this.text, at)) this.failAt(at, 'this is no escape of JSON');
    return at + (this.text.charCodeAt(at + 1) === letterU ? 5 : 1);
  }

  private failAt(offset: number, message: string): never {
    this.offset = offset;
    return this.fail(message);
  }
}
