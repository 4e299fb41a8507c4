/** Documents made by hand to hang, exhaust or mislead a reader. None may take long; all but the harmless are refused. */
export interface Bomb {
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
