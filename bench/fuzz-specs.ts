import { parseArgs } from 'node:util';
import { renderProblem } from '../src/core/documents/problem.ts';
import { parseSpecs } from '../src/source/parse-specs.ts';
import type { Figure } from './figure.ts';
import { type Random, randomFrom } from './world/random.ts';

/** Documents made by hand to hang, exhaust or mislead a reader. None may take long; all but the harmless are refused. */
interface Bomb {
  /** Nothing is wrong with it but its size: blanks and comments. */
  readonly harmless: boolean;
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const HEAD = 'apiVersion: setpoint.dev/v1\n';

const list = (count: number, item: (index: number) => string, separator = '\n'): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator);

const network = (subnets: string): string =>
  `${HEAD}kind: Network\nmetadata: { name: n }\nspec:\n  targets: [t]\n  cidr: 10.0.0.0/8\n  subnets:\n${subnets}\n`;

const rule = (peers: string, ports = '[1]'): string =>
  `${HEAD}kind: FirewallRule\nmetadata: { name: r }\nspec: { network: n, protocol: tcp, ports: ${ports}, peers: ${peers} }\n`;

const yaml: Readonly<Record<string, string>> = {
  'billion laughs': `a: &a [x, x, x, x]\n${list(9, (i) => `a${i}: &a${i} [${list(9, () => (i ? `*a${i - 1}` : '*a'), ', ')}]`)}\n`,
  'aliases in one flow': `a: &a x\nb: [${'*a, '.repeat(4000)}]\n`,
  'an anchor that holds itself': 'a: &a [*a]\n',
  'a merge of merges': list(200, (i) => `a${i}: &a${i} { <<: *a${Math.max(0, i - 1)} }`),
  'flows inside flows': '['.repeat(100 * KIB),
  'maps inside maps, in a flow': '{a: '.repeat(50 * KIB),
  'lists inside lists': '- '.repeat(100 * KIB),
  'maps inside maps': list(700, (i) => `${' '.repeat(i)}a:`),
  'closing brackets': ']'.repeat(250 * KIB),
  commas: `[${','.repeat(250 * KIB)}]`,
  tags: '! '.repeat(100 * KIB),
  directives: '%YAML 1.2\n'.repeat(20 * KIB),
  'keys without end': `${'a: '.repeat(80 * KIB)}\n`,
  'explicit keys': '? '.repeat(100 * KIB),
  'quotes that never close': `a: "${'x\n '.repeat(80 * KIB)}`,
  'bad escapes': `a: "${'\\q'.repeat(4000)}"`,
  'one long word': `a: ${'x'.repeat(255 * KIB)}`,
  'one long key': `${'x'.repeat(200 * KIB)}: 1`,
  'one long number': `a: ${'9'.repeat(200 * KIB)}`,
  blanks: ' '.repeat(255 * KIB),
  'line ends': '\n'.repeat(255 * KIB),
  comments: '# x\n'.repeat(60 * KIB),
  'a block scalar of blank lines': `a: |\n${'\n'.repeat(8000)}  x`,
  'a folded scalar': `a: >\n${'   x\n  y\n'.repeat(4000)}`,
  'many keys': list(4000, (i) => `k${i}: v`),
  'the same key': 'a: 1\n'.repeat(4000),
  'many keys that are prototypes': '__proto__: {}\n'.repeat(2000),
  'many empty documents': '---\n'.repeat(4000),
  'many broken documents': '---\na: [\n'.repeat(60 * KIB),
  'many documents of no kind': '---\na: 1\n'.repeat(4000),
  'a file too large': 'a: 1\n'.repeat(MIB),
  tabs: '\ta: b\n'.repeat(2700),
  NULs: `a: ${'\0'.repeat(100 * KIB)}`,
  'subnets that all overlap': network(list(1150, (i) => `    - { name: s${i}, cidr: 10.0.0.0/24 }`)),
  'subnets with unknown fields': network(list(1150, (i) => `    - { nmae: s${i}, cdir: x${i} }`)),
  'a rule that is millions': rule(
    `{ cidrs: [${list(4000, (i) => `10.${i >> 8}.${i & 255}.0/24`, ',')}] }`,
    `[${list(4000, (i) => `${i * 2}`, ',')}]`,
  ),
  'names to be guessed': `${HEAD}kind: Instance\nmetadata: { name: i }\nspec: { targets: [${list(2000, (i) => `a${'b'.repeat(50)}${i}`, ', ')}], network: n, on: { ${list(1400, (i) => `b${'b'.repeat(50)}${i}: {}`, ', ')} } }`,
};

const json: Readonly<Record<string, string>> = {
  'JSON lists inside lists': '['.repeat(MIB),
  'a JSON text of escapes': `{"a": "${'\\u0041'.repeat(100 * KIB)}`,
  'a JSON map of one key': `{${'"a": 1,'.repeat(100 * KIB)}`,
};

const HARMLESS: readonly string[] = ['blanks', 'line ends', 'comments', 'many empty documents'];

export const bombs: readonly Bomb[] = [
  ...Object.entries(yaml).map(([name, text]) => ({
    name,
    path: 'bomb.yaml',
    text,
    harmless: HARMLESS.includes(name),
  })),
  ...Object.entries(json).map(([name, text]) => ({ name, path: 'bomb.json', text, harmless: false })),
];

/** Sound documents, one of each kind with every field, to be spoiled. */
export const seeds: readonly string[] = [
  `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme, owner: team }
spec:
  mode: plan
  limits: { deletes: 5, replaces: 5, share: 10% }
`,
  `apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: aws-prod }
spec:
  provider: aws
  account: "111122223333"
  region: eu-west-1
  zone: eu-west-1a
  endpoint: http://127.0.0.1:4566
  credentials: { assumeRole: "arn:aws:iam::111122223333:role/setpoint" }
  mode: enforce
`,
  `apiVersion: setpoint.dev/v1
kind: Network
metadata:
  name: core
  owner: team-net
  labels: { env: prod, "cost centre": "12" }
  adopt: { aws-prod: vpc-0abc }
  was: [old]
spec:
  targets: [aws-prod, gcp-prod]
  cidr: 10.20.0.0/16
  internet: true
  default: { ingress: deny, egress: allow }
  rules: authoritative
  subnets:
    - { name: app, cidr: 10.20.1.0/24 }
    - name: db
      cidr: 10.20.2.0/24
      zone: eu-west-1a
      target: aws-prod
  protect: true
  deletionPolicy: retain
  ignore:
    - { field: labels.env, owner: x, reason: "y: z", until: 2027-01-31 }
`,
  `apiVersion: setpoint.dev/v1
kind: FirewallRule
metadata: { name: web-https }
spec:
  network: core
  targets: [aws-prod]
  direction: ingress
  action: allow
  protocol: tcp
  ports: [443, 8000-8100]
  group: web
  peers:
    cidrs: [0.0.0.0/0, "2001:db8::/32"]
    groups: [lb]
    prefixLists: [pl-0abc]
  priority: 1000
  description: >-
    public site,
    and more
  disabled: false
  log: false
`,
  `apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: web, labels: { tier: web } }
spec:
  targets: [aws-prod]
  replicas: 3
  network: core
  subnet: app
  groups: [web]
  image: ami-0abc1234
  size: t3.small
  disk: { size: 20, type: gp3, encrypted: true }
  access: { user: ops, sshKeys: ["ssh-ed25519 AAAA"], password: { env: SETPOINT_SECRET_LOGIN } }
  userData: { file: web.sh }
  identity: web-role
  publicIp: false
  power: running
  on: { aws-prod: { size: t3.medium, groups: [web, lb] } }
`,
  `{
  "$schema": "./schema.json",
  "apiVersion": "setpoint.dev/v1", "kind": "FirewallRule",
  "metadata": { "name": "dns", "labels": {} },
  "spec": { "network": "core", "protocol": 17, "ports": ["53"], "peers": { "any": true }, "icmp": null }
}
`,
];

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

interface Fuzzing {
  /** Malformed ones: those that a mutation left sound do not count. */
  readonly documents: number;
  readonly seed: number;
  readonly parse: typeof parseSpecs;
}

interface Outcome {
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

const LIMIT_MS = 250;

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

/** The keys that every object inherits, as text: data must not be able to set one. */
function prototypes(): string {
  const all = [Object.prototype, Array.prototype, String.prototype, Map.prototype, Function.prototype];
  return JSON.stringify(all.map((prototype) => Reflect.ownKeys(prototype).map(String)));
}

/**
 * Malformed documents read without a crash or a wait: `--documents` (100,000; 1,000,000 takes ten times as long) spoiled
 * ones from `--seed`, and the bombs. The value is crashes and changes of a prototype, plus those over 250 ms of
 * processor time; asked: 0.
 */
export async function fuzzSpecs(args: readonly string[] = []): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { documents: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
  });
  const outcome = fuzz({ documents: Number(values.documents), seed: Number(values.seed), parse: parseSpecs });
  for (const failure of outcome.failures) console.error(JSON.stringify(failure));
  return [
    { name: 'fuzz-specs', value: outcome.crashes + outcome.slow, unit: `of ${outcome.documents} documents`, floor: 0 },
    {
      name: 'fuzz-specs-slowest',
      value: Math.round(outcome.slowestMs),
      unit: 'ms',
      floor: 250,
      ratio: outcome.slowestMs / 250,
    },
  ];
}
