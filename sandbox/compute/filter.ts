import { invalid } from './errors.ts';
import type { Json } from './records.ts';

export type Test = (resource: Json) => boolean;

/**
 * The `filter` of a list, over what the list would show: `field op value` with = != < <= > >= : (`field:*` asks whether it
 * is set) joined by AND, OR, NOT and parentheses, terms side by side meaning AND; or the older `field eq regexp` and `ne`,
 * which must match the whole field. https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances/list#query-parameters
 */
export function passes(filter: string): Test {
  const tokens = tokensOf(filter);
  const reading: Reading = { filter, tokens, at: 0 };
  const test = all(reading);
  if (reading.at < tokens.length) throw malformed(reading);
  return test;
}

interface Token {
  readonly text: string;
  readonly quoted: boolean;
}

interface Reading {
  readonly filter: string;
  readonly tokens: readonly Token[];
  at: number;
}

/** In quotes only a quote is escaped; other backslashes are the regular expression's own, as gcloud sends them. */
const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(!=|<=|>=|[=<>:()])|([^\s=<>:()!"']+))/y;

function tokensOf(filter: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < filter.trimEnd().length) {
    const [, double, single, sign, word] = TOKEN.exec(filter) ?? [];
    const quoted = double ?? single;
    const text = quoted?.replace(/\\(["'])/g, '$1') ?? sign ?? word;
    if (text === undefined) throw invalid('filter', filter, 'Invalid list filter expression.');
    tokens.push({ text, quoted: quoted !== undefined });
  }
  return tokens;
}

/** OR binds closer than AND, unlike in most languages: https://google.aip.dev/160 */
function all(reading: Reading): Test {
  const tests = [any(reading)];
  while (takes(reading, 'AND') || startsTerm(reading)) tests.push(any(reading));
  return (resource) => tests.every((test) => test(resource));
}

function any(reading: Reading): Test {
  const tests = [negated(reading)];
  while (takes(reading, 'OR')) tests.push(negated(reading));
  return (resource) => tests.some((test) => test(resource));
}

function startsTerm({ tokens, at }: Reading): boolean {
  const next = tokens[at];
  return next !== undefined && next.text !== ')';
}

function negated(reading: Reading): Test {
  if (!takes(reading, 'NOT')) return term(reading);
  const test = term(reading);
  return (resource) => !test(resource);
}

function term(reading: Reading): Test {
  if (takes(reading, '(')) {
    const inner = all(reading);
    if (!takes(reading, ')')) throw malformed(reading);
    return inner;
  }
  const [field, operator, value] = reading.tokens.slice(reading.at, reading.at + 3);
  const compare = COMPARISONS[operator?.text ?? ''];
  if (!field || !compare || !value) throw malformed(reading);
  reading.at += 3;
  const test = compare(value, reading.filter);
  const path = field.text.split('.');
  return (resource) => test(valuesAt(resource, path));
}

type Compare = (value: Token, filter: string) => (found: readonly unknown[]) => boolean;

const COMPARISONS: Readonly<Record<string, Compare>> = {
  '=': (value) => (found) => found.some((each) => String(each) === value.text),
  '!=': (value) => (found) => !found.some((each) => String(each) === value.text),
  ':': (value) => (found) =>
    value.text === '*' && !value.quoted ? found.length > 0 : found.some((each) => String(each).includes(value.text)),
  '<': ordered((order) => order < 0),
  '<=': ordered((order) => order <= 0),
  '>': ordered((order) => order > 0),
  '>=': ordered((order) => order >= 0),
  eq: (value, filter) => {
    const whole = regexp(value.text, filter);
    return (found) => found.some((each) => whole.test(String(each)));
  },
  ne: (value, filter) => {
    const whole = regexp(value.text, filter);
    return (found) => !found.some((each) => whole.test(String(each)));
  },
};

function ordered(holds: (order: number) => boolean): Compare {
  return ({ text }) =>
    (found) =>
      found.some((each) => holds(typeof each === 'number' ? each - Number(text) : compareText(String(each), text)));
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function regexp(text: string, filter: string): RegExp {
  try {
    return new RegExp(`^(?:${text})$`);
  } catch (error) {
    throw invalid('filter', filter, `Invalid list filter expression. ${error instanceof Error ? error.message : ''}`);
  }
}

/** Every value at the end of the path, through lists. */
function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  const [head, ...rest] = path;
  if (head === undefined) return value === undefined ? [] : [value];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, head)) return [];
  return valuesAt(Reflect.get(value, head), rest);
}

function takes(reading: Reading, text: string): boolean {
  const next = reading.tokens[reading.at];
  if (next?.text !== text || next.quoted) return false;
  reading.at++;
  return true;
}

function malformed({ filter, tokens, at }: Reading) {
  return invalid('filter', filter, `Invalid list filter expression, at '${tokens[at]?.text ?? 'its end'}'.`);
}
