import type { Random } from './random.ts';

/** The text with one to six things done to it, of the kinds that people, merges and attackers do. */
export function mutate(text: string, others: readonly string[], random: Random): string {
  let spoiled = text;
  for (let times = 1 + random.whole(6); times > 0; times -= 1) {
    spoiled = random.pick(MUTATIONS, cut)({ text: spoiled, others, random }).slice(0, LONGEST);
  }
  return spoiled;
}

/** Mutations of mutations grow; beyond this they only repeat themselves. The bombs are the large ones. */
const LONGEST = 20_000;

interface Spoiling {
  readonly text: string;
  readonly others: readonly string[];
  readonly random: Random;
}

type Mutation = (spoiling: Spoiling) => string;

const replaced = (text: string, from: number, to: number, by: string): string =>
  text.slice(0, from) + by + text.slice(to);

const cut: Mutation = ({ text, random }) => {
  const from = random.whole(text.length + 1);
  return replaced(text, from, from + random.whole(40), '');
};

const doubled: Mutation = ({ text, random }) => {
  const from = random.whole(text.length + 1);
  return replaced(text, from, from, text.slice(from, from + random.whole(80)));
};

const inserted: Mutation = ({ text, random }) => {
  const from = random.whole(text.length + 1);
  return replaced(text, from, from, random.pick(PIECES, ''));
};

const repeated: Mutation = ({ text, random }) => {
  const from = random.whole(text.length + 1);
  return replaced(text, from, from, random.pick(PIECES, '').repeat(random.whole(60)));
};

const overwritten: Mutation = ({ text, random }) => {
  const from = random.whole(text.length + 1);
  return replaced(
    text,
    from,
    from + 1,
    String.fromCodePoint(random.pick([random.whole(128), random.whole(0x11_0000)], 0)),
  );
};

const value: Mutation = ({ text, random }) => {
  const places = [...text.matchAll(/: [^\n,}\]]*/g)];
  const place = random.pick(places, undefined);
  return place ? replaced(text, place.index, place.index + place[0].length, `: ${random.pick(VALUES, '')}`) : text;
};

const key: Mutation = ({ text, random }) => {
  const place = random.pick([...text.matchAll(/[\w-]+(?=:)/g)], undefined);
  return place ? replaced(text, place.index, place.index + place[0].length, random.pick(KEYS, '')) : text;
};

const indented: Mutation = ({ text, random }) => {
  const lines = text.split('\n');
  const line = random.whole(lines.length);
  return lines
    .with(line, random.pick(['\t', ' ', '  ', '        ', '- '], '') + (lines[line] ?? '').trimStart())
    .join('\n');
};

const swapped: Mutation = ({ text, random }) => {
  const lines = text.split('\n');
  const [a, b] = [random.whole(lines.length), random.whole(lines.length)];
  return lines
    .with(a, lines[b] ?? '')
    .with(b, lines[a] ?? '')
    .join('\n');
};

const spliced: Mutation = ({ text, others, random }) => {
  const other = random.pick(others, '');
  return text.slice(0, random.whole(text.length + 1)) + other.slice(random.whole(other.length + 1));
};

const truncated: Mutation = ({ text, random }) => text.slice(0, random.whole(text.length + 1));

const noise: Mutation = ({ random }) =>
  Array.from({ length: random.whole(300) }, () =>
    String.fromCharCode(random.whole(random.pick([128, 65_536], 128))),
  ).join('');

const MUTATIONS: readonly Mutation[] = [
  cut,
  doubled,
  inserted,
  repeated,
  overwritten,
  value,
  value,
  key,
  indented,
  swapped,
  spliced,
  truncated,
  noise,
];

const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '<<',
  '?',
  'on',
  'spce',
  '"',
  '1',
  '',
];

const PIECES = [
  ...[
    '&a ',
    '*a',
    '!!js/function ',
    '!<tag:x> ',
    '<<: *a\n',
    '? ',
    '- ',
    ': ',
    ', ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '|\n',
    '>-\n',
  ],
  ...[
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '# ',
    '\n',
    '\r',
    '\t',
    '\0',
    '\u2028',
    '\ufeff',
    '\ud800',
    '\\',
    '\\x',
    '`',
    '@',
    '%',
  ],
  ...['__proto__: { polluted: true }\n', '"constructor": { "prototype": { "polluted": true } },', '-----BEGIN'],
];

const VALUES = [
  ...[
    '',
    '~',
    'null',
    'yes',
    'no',
    'true',
    '0',
    '-1',
    '1e999',
    '0x1f',
    '.nan',
    '.inf',
    '1_000',
    '99999999999999999999',
    '-0',
  ],
  ...[
    '[]',
    '{}',
    '[[]]',
    '{ a: { b: [] } }',
    '"\\u0000"',
    '"\\ud800"',
    '"\\q"',
    'x'.repeat(5000),
    '2027-13-45',
    '!!binary aGk=',
  ],
  ...[
    '10.0.0.0/33',
    '::/129',
    '10.0.0.1',
    '0-65536',
    '1-1-1',
    'hasOwnProperty',
    '__proto__',
    '../../etc/passwd',
    'a: b',
    '*a',
  ],
];
