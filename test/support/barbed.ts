/** Control characters that a terminal obeys: colours, a cleared screen, a bell, a title, another line, reversed text. */
export const barbs = '\u001b[45m\u001b[2J\u0007\u001b]0;x\u0007\u009b2J\r\n\u2028\t\u007f\u202e\u2066';

/** Members whose values are our own words. */
const words = new Set([
  ...['type', 'kind', 'verb', 'cause', 'because', 'effect', 'claim', 'by', 'what', 'state', 'role', 'severity'],
  ...['direction', 'protocol', 'mode', 'stillBoundBy', 'digest', 'hash', 'status', 'next'],
]);

/** The same, with barbs about every text that is not of ours, and about the names of labels. `but`: members that are left so. */
export function barbed<T>(value: T, ...but: readonly string[]): T {
  return about(value, { name: '', inside: '' }, new Set([...words, ...but])) as T; // why: only texts change
}

/** A member, and the one that it is in. */
interface Member {
  readonly name: string;
  readonly inside: string;
}

function about(value: unknown, { name, inside }: Member, kept: ReadonlySet<string>): unknown {
  if (typeof value === 'string') {
    const isWord = kept.has(name) || (inside === 'origin' && name === 'reason');
    return value === '' || isWord || isTime(value) ? value : stung(value);
  }
  if (Array.isArray(value)) return value.map((one) => about(one, { name, inside }, kept));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      name === 'labels' ? stung(key) : key,
      about(one, { name: key, inside: name }, kept),
    ]),
  );
}

const stung = (text: string): string => `${barbs}${text}${barbs}`;

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);

/** The control characters of a text, except line breaks and our colours. */
export const obeyed = (text: string): readonly string[] =>
  text.replaceAll(ours, '').match(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu) ?? [];

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
const ours = /\u001b\[(?:1|2|22|31|32|33|35|36|39)m/g;
