import { AnswerRefused, tooLarge } from '../shared/json-answer.ts';
import { isTurnOver, nextTurn } from '../shared/turns.ts';
import { asked, bounds } from './rate-limits.ts';

/** An element: its text, or its children by their tags. Several children of one tag are a list. */
export type XmlValue = string | XmlElement | XmlValue[];
export interface XmlElement {
  [tag: string]: XmlValue;
}

/**
 * The root element as the SDK's own parser reads it: `parseXML` of @aws-sdk/xml-builder, then `getValueFromTextNode` of
 * @smithy/core. That parser takes 90 to 140 ms for a page of 1,000 instances, and holds the loop for all of it. This one works
 * in turns, and needs no stack for what is nested. Attributes count as children. Throws the parser's own errors, and
 * `AnswerRefused` for an answer beyond its bounds.
 */
export async function parseXml(bytes: Uint8Array): Promise<XmlValue> {
  const reader = new XmlReader(bytes);
  if (isTurnOver()) await nextTurn();
  for (let tokens = 1; ; tokens += 1) {
    const root = reader.readToken();
    if (root !== undefined) return root;
    if ((tokens % atOnce === 0 || reader.isInPieces) && isTurnOver()) await nextTurn();
  }
}

/** So many tokens are some 10 µs of work, and so many bytes of a text at most 2 ms. */
const atOnce = 32;
const pieceLength = 32 * 1024;
const searchedAtOnce = 256 * 1024;

/** An element that is not closed yet. */
interface Open {
  /** Its tag, a character for each byte. */
  readonly tag: string;
  attributes?: XmlElement;
  children?: XmlElement;
  /** Its texts, and of these all that are more than the blanks of a layout. */
  text: string;
  kept?: string;
}

/** A text that is being read, piece by piece. */
interface Text {
  readonly end: number;
  /** A section of CDATA has no entities. */
  readonly hasEntities: boolean;
  read: string;
  readonly done: (text: string) => void;
}

/** A mark that ends a comment, a section of CDATA or an instruction, and how far it was looked for. */
interface Search {
  readonly mark: string;
  from: number;
  readonly found: (at: number) => void;
}

class XmlReader {
  private readonly bytes: Buffer;
  /** The bytes, a character for each: markup is ASCII. Texts are decoded from the bytes, so that none of them holds the page. */
  private readonly page: string;
  private at = 0;
  private readonly open: Open[] = [];
  private readonly tags = new Map<string, string>();
  private text: Text | undefined;
  private search: Search | undefined;
  private inTag = false;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.page = this.bytes.toString('latin1');
  }

  /** A text, or a search for the end of something, is read in pieces. */
  get isInPieces(): boolean {
    return this.text !== undefined || this.search !== undefined;
  }

  /** Reads a bit further. The root's value, once that is whole. */
  readToken(): XmlValue | undefined {
    const inner = this.open.at(-1);
    if (this.search !== undefined) this.searchOn(this.search);
    else if (this.text !== undefined) this.readPiece(this.text);
    else if (inner === undefined) this.readProlog();
    else if (this.inTag) return this.readInTag(inner);
    else if (this.at >= this.page.length) throw failed(`missing closing tag </${nameOf(inner.tag)}>.`);
    else if (this.page.charCodeAt(this.at) !== lessThan) this.readText(inner);
    else if (this.page.charCodeAt(this.at + 1) === slash) return this.readClosing(inner);
    else this.readMarkup(inner);
    return undefined;
  }

  private readProlog(): void {
    this.skipBlanks();
    if (this.at >= this.page.length) throw failed('no root element.');
    if (this.isNext('<?')) this.skipTo('?>');
    else if (this.isNext('<!--')) this.skipTo('-->');
    else if (this.page.slice(this.at, this.at + 9).toUpperCase() === '<!DOCTYPE') this.skipDoctype();
    else if (this.isNext('<')) this.readOpening();
    else throw failed('unexpected content.');
  }

  private skipDoctype(): void {
    const mark = /[[\]>]/g;
    mark.lastIndex = this.at + 9;
    let depth = 0;
    for (let found = mark.exec(this.page); found !== null; found = mark.exec(this.page)) {
      if (found[0] === '[') depth += 1;
      else if (found[0] === ']') depth -= 1;
      else if (depth === 0) {
        this.at = mark.lastIndex;
        return;
      }
    }
    throw failed('unclosed DOCTYPE.');
  }

  private readMarkup(inner: Open): void {
    if (this.isNext('<!--')) this.skipTo('-->');
    else if (this.isNext('<?')) this.skipTo('?>');
    else if (this.isNext('<![CDATA[')) {
      this.at += 9;
      this.searchFor(']]>', (end) => {
        this.text = { end, hasEntities: false, read: '', done: (text) => this.take(inner, text, end + 3) };
      });
    } else {
      inner.children ??= {};
      this.readOpening();
    }
  }

  private readText(inner: Open): void {
    const next = this.page.indexOf('<', this.at);
    const end = next < 0 ? this.page.length : next;
    if (end - this.at <= pieceLength) this.take(inner, decoded(this.textTo(end), true), end);
    else this.text = { end, hasEntities: true, read: '', done: (text) => this.take(inner, text, end) };
  }

  private take(inner: Open, text: string, next: number): void {
    this.at = next;
    inner.text += text;
    checkLength(inner.text);
    if (!isLayout(text)) inner.kept = (inner.kept ?? '') + text;
  }

  private readPiece(text: Text): void {
    if (this.at < text.end) {
      const end = this.pieceEnd(text.end);
      text.read += decoded(this.textTo(end), text.hasEntities);
      checkLength(text.read);
      this.at = end;
      return;
    }
    this.text = undefined;
    text.done(text.read);
  }

  /** Cuts no entity, line end or character in two: these are short. */
  private pieceEnd(end: number): number {
    const { page } = this;
    const most = this.at + pieceLength;
    if (most >= end) return end;
    const last = page.slice(most - longestEntity, most).lastIndexOf('&');
    if (last >= 0) return most - longestEntity + last;
    if (page[most] === '\n' && page[most - 1] === '\r') return most - 1;
    // why: a character has at most four bytes; a longer sequence is invalid
    const back = [0, 1, 2, 3].find((count) => !isWithinCharacter(page.charCodeAt(most - count)));
    return most - (back ?? 0);
  }

  private readOpening(): void {
    const start = this.at + 1;
    let end = start;
    while (end < this.page.length && !endsTag(this.page.charCodeAt(end))) end += 1;
    const tag = this.page.slice(start, end);
    this.at = end;
    this.open.push({ tag: this.tags.get(tag) ?? this.keep(tag), text: '' });
    this.inTag = true;
  }

  /** A copy: a slice holds the page, and tags live as long as the parsed answer. */
  private keep(tag: string): string {
    const copy = Buffer.from(tag, 'latin1').toString('latin1');
    this.tags.set(copy, copy);
    return copy;
  }

  /** An attribute, or the end of the opening tag. */
  private readInTag(inner: Open): XmlValue | undefined {
    const { page } = this;
    this.skipBlanks();
    const isAttribute = page[this.at] !== '>' && page[this.at] !== '/' && this.readAttribute(inner);
    if (isAttribute) return undefined;
    if (this.at >= page.length) throw failed('unexpected end of input.');
    this.inTag = false;
    if (page[this.at] === '/') {
      if (page[this.at + 1] !== '>') throw failed('expected > at the end of self-closing tag.');
      this.at += 2;
      return this.close(inner.attributes ?? '');
    }
    if (page[this.at] !== '>') throw failed('expected > at the end of opening tag.');
    this.at += 1;
    return undefined;
  }

  private readAttribute(inner: Open): boolean {
    const { page } = this;
    const start = this.at;
    while (this.at < page.length && !'= \t\r\n>/?'.includes(page[this.at] ?? '')) this.at += 1;
    const name = nameOf(page.slice(start, this.at));
    this.skipBlanks();
    if (page[this.at] !== '=') return false;
    this.at += 1;
    this.skipBlanks();
    const quote = page[this.at] ?? '';
    this.at += 1;
    const next = page.indexOf(quote, this.at);
    const end = next < 0 || quote === '' ? page.length : next;
    this.text = { end, hasEntities: true, read: '', done: (value) => this.addAttribute(inner, { name, value, end }) };
    return true;
  }

  private addAttribute(inner: Open, { name, value, end }: { name: string; value: string; end: number }): void {
    this.at = end + 1;
    inner.attributes ??= {};
    if (name !== prototype) inner.attributes[name] = value;
  }

  private readClosing(inner: Open): XmlValue | undefined {
    const { tag } = inner;
    const start = this.at + 2;
    const end = start + tag.length;
    if (this.page.startsWith(tag, start) && this.page.charCodeAt(end) === greaterThan) this.at = end + 1;
    else {
      this.at = start;
      const last = this.page.indexOf('>', start);
      if (last < 0) throw failed('expected ">" not found.');
      const closing = this.textTo(last).trim();
      if (closing !== nameOf(tag)) throw failed(`mismatched tags <${nameOf(tag)}> and </${closing}>.`);
      this.at = last + 1;
    }
    return this.close(elementOf(inner));
  }

  /** Undefined, or the root's value. */
  private close(value: XmlValue): XmlValue | undefined {
    const tag = nameOf(this.open.pop()?.tag ?? '');
    const outer = this.open.at(-1);
    if (outer === undefined) return rootOf(tag, value);
    outer.children ??= {};
    add(outer.children, tag, textIn(value) ?? value);
    return undefined;
  }

  private isNext(text: string): boolean {
    return this.page.startsWith(text, this.at);
  }

  private skipBlanks(): void {
    if (!isBlank(this.page.charCodeAt(this.at))) return;
    const next = /[^ \t\r\n]/g;
    next.lastIndex = this.at;
    this.at = next.exec(this.page)?.index ?? this.page.length;
  }

  private skipTo(mark: string): void {
    this.searchFor(mark, (at) => {
      this.at = at + mark.length;
    });
  }

  private searchFor(mark: string, found: Search['found']): void {
    this.search = { mark, from: this.at, found };
    this.searchOn(this.search);
  }

  private searchOn(search: Search): void {
    const { mark, from, found } = search;
    const at = this.page.slice(from, from + searchedAtOnce + mark.length - 1).indexOf(mark);
    if (at >= 0) {
      this.search = undefined;
      found(from + at);
      return;
    }
    search.from = from + searchedAtOnce;
    if (search.from >= this.page.length) throw failed(`expected "${mark}" not found.`);
  }

  private textTo(end: number): string {
    return this.bytes.toString('utf8', this.at, end);
  }
}

function elementOf({ attributes, children, text, kept }: Open): XmlValue {
  if (attributes === undefined && children === undefined) return isLayout(text) ? '' : text;
  const element = children ?? {};
  if (kept !== undefined) element['#text'] = kept;
  return Object.assign(element, attributes);
}

function rootOf(tag: string, value: XmlValue): XmlValue {
  const text = textIn(value);
  if (!text) return value;
  const { '#text': _, ...children } = value as XmlElement; // why: a text has no text in it, and a root is no list
  return { ...children, [tag]: text };
}

/** Of an element that has attributes or children too. */
const textIn = (value: XmlValue): XmlValue | undefined => (value as XmlElement)['#text']; // why: neither text nor list has one

/** Inherited properties of an element count as present: the SDK finds them too. */
function add(element: XmlElement, tag: string, value: XmlValue): void {
  if (tag === prototype) return;
  const before = element[tag];
  if (before === undefined) element[tag] = value;
  else if (!Array.isArray(before)) element[tag] = [before, value];
  else if (before.push(value) > bounds.items)
    throw beyond(`more than ${bounds.items.toLocaleString('en')} items in a list`);
}

function checkLength(text: string): void {
  if (text.length > bounds.text) throw beyond('a text of more than 1 MiB');
}

const beyond = (found: string): AnswerRefused => new AnswerRefused(tooLarge, asked, found);

/** In no answer of EC2. The SDK fails on it. */
const prototype = '__proto__';

const failed = (message: string): Error => new Error(`@aws-sdk XML parse error: ${message}`);

/** A tag or a name by its bytes. */
const nameOf = (bytes: string): string =>
  /[^\0-\x7f]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;

const isLayout = (text: string): boolean => text.includes('\n') && text.trim() === '';

function decoded(text: string, hasEntities: boolean): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return hasEntities && lines.includes('&') ? lines.replace(entity, decodeEntity) : lines;
}

const entity = /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|([a-zA-Z][a-zA-Z0-9]{0,30}));/g;
const longestEntity = 33;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntity(_: string, hex: string | undefined, decimal: string | undefined, name = ''): string {
  if (hex) return String.fromCharCode(Number.parseInt(hex, 16));
  if (decimal) return String.fromCharCode(Number.parseInt(decimal, 10));
  return named[name] ?? '';
}

const [lessThan, greaterThan, slash] = [0x3c, 0x3e, 0x2f];
const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;
const endsTag = (code: number): boolean => isBlank(code) || code === greaterThan || code === slash;
/** A byte of a character of several bytes, other than its first. */
const isWithinCharacter = (code: number): boolean => (code & 0xc0) === 0x80;
