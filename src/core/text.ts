/** Order by code units: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * The same value with every text in it, names of members too, as a terminal may be given it: control characters, line breaks
 * among them, and characters that are not seen or turn text round are written as JSON escapes them. What clouds, stores,
 * servers and specs say goes through here before colours and line breaks of ours come in. Classes and times stay as they are.
 */
export function printable<T>(value: T): T {
  return shown(value) as T; // why: only characters of texts change
}

/** A text whose line breaks are ours already, such as JSON: all else is escaped, and escaped JSON says the same. */
export const printableLines = (text: string): string => text.replaceAll(obeyedInLines, escaped);

/** ZWNJ and ZWJ stay: languages and emoji are written with them, and no terminal obeys them. */
const obeyed = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const obeyedInLines = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function shown(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(obeyed, escaped);
  if (Array.isArray(value)) return value.map(shown);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [shown(name), shown(one)]));
}

const isPlain = (value: unknown): value is object => Object.prototype.toString.call(value) === '[object Object]';

const escaped = (character: string): string => brief[character] ?? [...units(character)].map(unit).join('');

const brief: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function* units(character: string): Iterable<number> {
  for (let i = 0; i < character.length; i += 1) yield character.charCodeAt(i);
}

const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

/** `a, b and 3 more`: the first texts, and the number of the others. `left`: the number of those that are not given at all. */
export function listed(texts: readonly string[], most = 5, left = 0): string {
  const more = Math.max(0, texts.length - most) + left;
  return `${texts.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The text as the end of a sentence; '' stays. */
export const withFullStop = (text: string): string => (text === '' || /[.!?]$/.test(text) ? text : `${text}.`);

/** The text as a part of a longer sentence. */
export const withoutFullStop = (text: string): string => text.replace(/\.$/, '');

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** True where `*` of the glob stands for any text. In one pass, whatever the glob: names are of whoever made the object. */
export function isGlobOf(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  const last = rest.pop();
  if (last === undefined) return text === glob;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return from + last.length <= text.length;
}

/** As one word of a shell. */
export const shellWord = (text: string): string =>
  /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
