import type { JsonSize } from '../../src/core/json-bounds.ts';

/**
 * A piece of some JSON: JSON of its own, with the lists and objects around it. `joins`: in so many lists, from the outermost on,
 * its first item goes on with the last item of the pieces before it.
 */
export interface JsonPiece {
  readonly text: Uint8Array<ArrayBuffer>;
  readonly joins: number;
}

/** Why JSON is not cut. `grammar`: brackets, commas or keys are not where JSON has them. */
export class JsonUncut extends Error {
  readonly reason: 'grammar' | keyof typeof longest;
  constructor(reason: JsonUncut['reason']) {
    super(`JSON is not cut for its ${reason}`);
    this.name = 'JsonUncut';
    this.reason = reason;
  }
}

/**
 * Bytes of a text, which is not cut; bytes of a key, which each piece repeats; members of a large object, which whoever reads it
 * takes at once.
 */
export const longest = { text: 2 * 1024 * 1024, key: 1024, members: 10_000 } as const;

/** A large list or object that is being cut. `passed`: how many items were; `hasItemsHere`: whether the piece has one. */
interface Open {
  readonly isList: boolean;
  readonly end: number;
  /** Behind the last item or member that was passed. */
  at: number;
  passed: number;
  hasItemsHere: boolean;
  /** Of the member that is open, with its colon. */
  key: Uint8Array;
  /** True for the list that each piece has. */
  isAlways: boolean;
}

/** An item, or a member with its key. */
interface Item {
  readonly begin: number;
  readonly value: number;
}

export interface Cut {
  readonly size: JsonSize;
  /** Large lists are empty in the pieces. */
  readonly withoutLists?: boolean;
  /** A list of the outermost object: each piece has it, be it empty, as its reader asks for it. */
  readonly always?: string;
}

const [quote, backslash, comma, colon, openList, closeList, openObject, closeObject] = [
  0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d,
];
const utf8 = new TextDecoder();
const nothing = new Uint8Array();
const commaText = Uint8Array.of(comma);

/**
 * Cuts long JSON into pieces that a parser reads one after another, each within a turn of the loop; `joinPiece` makes one value of
 * theirs. Lists and objects are cut, texts are not. To cut a piece off takes about a millisecond. Throws `JsonUncut`.
 *
 *   [{"id":1,"list":[1,2,3]},{"id":2}]  →  [{"id":1,"list":[1,2]}]  and  [{"list":[3]},{"id":2}], which joins 1
 */
export class JsonCutter {
  private readonly bytes: Uint8Array;
  private readonly large: ReadonlyMap<number, number>;
  private readonly cut: Cut;
  private readonly root: Open;
  private readonly open: Open[] = [];
  private readonly written: Uint8Array[] = [];
  /** Items beside one another that are written as they stand. */
  private run: { readonly from: number; to: number } | undefined;
  private held = { bytes: 0, parts: 0 };
  private hasAlways = false;

  /** `large`: by where they begin, the ends of all lists, objects and texts that are larger than a piece; the whole is one. */
  constructor(bytes: Uint8Array, large: ReadonlyMap<number, number>, cut: Cut) {
    this.bytes = bytes;
    this.large = large;
    this.cut = cut;
    const begin = this.skipBlanks(hasOrderMark(bytes) ? 3 : 0);
    const end = large.get(begin);
    if (end === undefined || !this.isBracket(begin) || this.skipBlanks(end) < bytes.length)
      throw new JsonUncut('grammar');
    this.root = this.enter(begin, end);
  }

  get isDone(): boolean {
    return this.open.length === 0;
  }

  /** The next piece; undefined after the last. */
  next(): JsonPiece | undefined {
    if (this.isDone) return undefined;
    const joins = this.reopen();
    for (let top = this.open.at(-1); top !== undefined; top = this.open.at(-1)) if (!this.take(top)) break;
    for (const { isList } of this.open.toReversed()) this.write(Uint8Array.of(isList ? closeList : closeObject));
    this.endRun();
    this.addAlways();
    return { text: joined(this.written.splice(0)), joins };
  }

  /** Before the bracket that ends the piece. */
  private addAlways(): void {
    const { always } = this.cut;
    if (always === undefined || this.hasAlways || this.root.isList) return;
    const list = `${this.root.hasItemsHere ? ',' : ''}"${always}":[]`;
    this.written.splice(-1, 0, new TextEncoder().encode(list));
  }

  /** Begins a piece within all that is open, and answers in how many lists it goes on with an item. */
  private reopen(): number {
    this.held = { bytes: 0, parts: 0 };
    this.hasAlways = false;
    for (const [i, each] of this.open.entries()) {
      each.hasItemsHere = false;
      this.write(Uint8Array.of(each.isList ? openList : openObject));
      if (i + 1 < this.open.length) this.beginItem(each);
    }
    return this.open.slice(0, -1).filter(({ isList }) => isList).length;
  }

  /** Takes an item more, or the end. False where the piece has no room for it. */
  private take(top: Open): boolean {
    const at = this.skipBlanks(top.at);
    if (at === top.end - 1) return this.leave(top);
    if (top.passed > 0 && this.bytes[at] !== comma) throw new JsonUncut('grammar');
    const item = this.itemAt(top, top.passed > 0 ? this.skipBlanks(at + 1) : at);
    const end = this.large.get(item.value);
    if (end === undefined || !this.isBracket(item.value)) return this.takeWhole(top, item, end);
    if (this.cut.withoutLists && this.bytes[item.value] === openList) return this.takeEmpty(top, end);
    this.beginItem(top);
    this.passTo(end, top);
    this.write(this.bytes.subarray(item.value, item.value + 1));
    this.enter(item.value, end);
    return true;
  }

  private itemAt(top: Open, begin: number): Item {
    if (top.isList) return { begin, value: begin };
    if (this.bytes[begin] !== quote) throw new JsonUncut('grammar');
    const end = this.large.get(begin) ?? this.endOfText(begin);
    const at = this.skipBlanks(end);
    if (this.bytes[at] !== colon) throw new JsonUncut('grammar');
    if (end - begin > longest.key) throw new JsonUncut('key');
    if (top.passed === longest.members) throw new JsonUncut('members');
    top.key = this.bytes.subarray(begin, at + 1);
    top.isAlways = top === this.root && this.cut.always === JSON.parse(utf8.decode(this.bytes.subarray(begin, end)));
    return { begin, value: this.skipBlanks(at + 1) };
  }

  private takeWhole(top: Open, { begin, value }: Item, textEnd: number | undefined): boolean {
    const small = textEnd === undefined ? this.smallAt(value) : { end: textEnd, parts: 0 };
    const { end } = small;
    const parts = small.parts + (top.isList ? 1 : 2);
    if (end - value > longest.text) throw new JsonUncut('text');
    const { held, cut, run } = this;
    const isFull = held.bytes + end - begin > cut.size.bytes || held.parts + parts > cut.size.parts;
    if (isFull && held.bytes > 0) return false;
    this.held = { bytes: held.bytes + end - begin, parts: held.parts + parts };
    if (run !== undefined && run.to === top.at && top.hasItemsHere) run.to = end;
    else {
      if (top.hasItemsHere) this.write(commaText);
      this.endRun();
      this.run = { from: begin, to: end };
    }
    this.hasItem(top);
    this.passTo(end, top);
    return true;
  }

  private takeEmpty(top: Open, end: number): boolean {
    this.beginItem(top);
    this.write(Uint8Array.of(openList, closeList));
    this.passTo(end, top);
    return true;
  }

  private hasItem(open: Open): void {
    open.hasItemsHere = true;
    if (open.isAlways) this.hasAlways = true;
  }

  private passTo(end: number, top: Open): void {
    top.at = end;
    top.passed += 1;
  }

  private beginItem(open: Open): void {
    if (open.hasItemsHere) this.write(commaText);
    if (!open.isList) this.write(open.key);
    this.hasItem(open);
  }

  private enter(begin: number, end: number): Open {
    const isList = this.bytes[begin] === openList;
    if (this.bytes[end - 1] !== (isList ? closeList : closeObject)) throw new JsonUncut('grammar');
    const open = { isList, end, at: begin + 1, passed: 0, hasItemsHere: false, key: nothing, isAlways: false };
    this.open.push(open);
    return open;
  }

  private leave({ end }: Open): boolean {
    this.write(this.bytes.subarray(end - 1, end));
    this.open.pop();
    return true;
  }

  private write(text: Uint8Array): void {
    this.endRun();
    this.written.push(text);
  }

  private endRun(): void {
    if (this.run !== undefined) this.written.push(this.bytes.subarray(this.run.from, this.run.to));
    this.run = undefined;
  }

  private isBracket(at: number): boolean {
    return this.bytes[at] === openList || this.bytes[at] === openObject;
  }

  private skipBlanks(from: number): number {
    let at = from;
    while (isBlank(this.bytes[at] ?? 0)) at += 1;
    return at;
  }

  private endOfText(begin: number): number {
    for (let at = begin + 1; at < this.bytes.length; at += 1) {
      if (this.bytes[at] === quote) return at + 1;
      if (this.bytes[at] === backslash) at += 1;
    }
    throw new JsonUncut('grammar');
  }

  private smallAt(begin: number): { readonly end: number; readonly parts: number } {
    if (this.bytes[begin] === quote) return { end: this.endOfText(begin), parts: 0 };
    return this.isBracket(begin) ? this.smallTree(begin) : { end: this.endOfWord(begin), parts: 0 };
  }

  private smallTree(begin: number): { readonly end: number; readonly parts: number } {
    let [depth, parts] = [0, 0];
    for (let at = begin; at < this.bytes.length; at += 1) {
      const byte = this.bytes[at];
      if (byte === quote) at = this.endOfText(at) - 1;
      else if (byte === comma || byte === colon) parts += 1;
      else if (byte === openList || byte === openObject) [depth, parts] = [depth + 1, parts + 1];
      else if (byte === closeList || byte === closeObject) depth -= 1;
      if (depth === 0) return { end: at + 1, parts };
    }
    throw new JsonUncut('grammar');
  }

  /** Of a number, `true`, `false` or `null`: a parser tells which. */
  private endOfWord(begin: number): number {
    let at = begin;
    while (at < this.bytes.length && !endsWord.has(this.bytes[at] ?? 0)) at += 1;
    if (at === begin) throw new JsonUncut('grammar');
    return at;
  }
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const endsWord: ReadonlySet<number> = new Set([comma, closeList, closeObject, 0x20, 0x0a, 0x0d, 0x09]);

/** Of UTF-8, which a text may begin with. */
const hasOrderMark = ([first, second, third]: Uint8Array): boolean =>
  first === 0xef && second === 0xbb && third === 0xbf;

function joined(texts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(texts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const text of texts) {
    whole.set(text, at);
    at += text.length;
  }
  return whole;
}

/**
 * Adds to `whole` what a further piece says, as both were read; answers the whole. What a reader puts where a piece is silent,
 * such as an empty list or nothing at all, takes nothing away.
 */
export function joinPiece(whole: unknown, piece: unknown, joins: number): unknown {
  if (Array.isArray(whole) && Array.isArray(piece)) return joinList(whole, piece, joins);
  return isFields(whole) && isFields(piece) ? joinFields(whole, piece, joins) : (whole ?? piece);
}

function joinList(whole: unknown[], piece: readonly unknown[], joins: number): unknown[] {
  const goesOn = joins > 0 && whole.length > 0 && piece.length > 0;
  if (goesOn) whole.push(joinPiece(whole.pop(), piece[0], joins - 1));
  for (let i = goesOn ? 1 : 0; i < piece.length; i += 1) whole.push(piece[i]);
  return whole;
}

function joinFields(whole: Fields, piece: Fields, joins: number): Fields {
  for (const [key, value] of Object.entries(piece))
    if (key !== '__proto__') whole[key] = Object.hasOwn(whole, key) ? joinPiece(whole[key], value, joins) : value;
  return whole;
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
