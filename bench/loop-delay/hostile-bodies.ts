/** Bodies of requests, by their hostile part. */
export type Bodies = Readonly<Record<string, string>>;

const MiB = 1024 * 1024;
const head = 'apiVersion: setpoint.dev/v1\n';
const estate = `${head}kind: Estate\nmetadata: { name: acme }\nspec: { mode: plan }\n---\n${head}kind: Target\nmetadata: { name: here }\nspec: { provider: memory, account: acme, region: north }\n---\n`;
const network = `${head}kind: Network\nmetadata: { name: core }\nspec: { targets: [here], cidr: 10.0.0.0/16, internet: false, default: { ingress: deny, egress: allow }, subnets: [{ name: app, cidr: 10.0.1.0/24 }] }\n---\n`;
const rule = (i: number): string =>
  `${head}kind: FirewallRule\nmetadata: { name: r${i} }\nspec: { network: core, protocol: tcp, ports: [${1 + (i % 60_000)}], group: web, peers: { cidrs: [10.${i % 200}.0.0/16] } }\n---\n`;
const times = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('');
const upTo = (size: number, text: string): string => text.repeat(Math.floor(size / text.length));

/** Texts of spec files: each is a file of a commit, or of a plan that is posted. */
export const specTexts: Bodies = {
  'sound rules': estate + network + times(1_000, rule),
  'many sound rules': estate + network + times(4_000, rule),
  'rules that name no network': estate + times(4_000, rule),
  'rules of one name': estate + network + times(2_000, () => rule(1)),
  'documents without a kind': upTo(MiB, `${head}a: 1\n---\n`),
  'empty documents': upTo(MiB, '---\n'),
  'lists in one another': upTo(MiB, '[[[[[[[[[[1]]]]]]]]]]\n---\n'),
  brackets: '['.repeat(MiB),
  'closing brackets': ']'.repeat(MiB),
  commas: `[${','.repeat(MiB)}]`,
  colons: upTo(MiB, 'a: b: c\n'),
  dashes: upTo(MiB, '- - - -\n'),
  'question marks': upTo(MiB, '? '),
  quotes: '"'.repeat(MiB),
  'single quotes': "'".repeat(MiB),
  'a quote that never ends': `a: "${'b'.repeat(MiB)}`,
  backslashes: `a: "${'\\\\'.repeat(MiB / 2)}"`,
  'a long key': `${'k'.repeat(MiB)}: 1\n`,
  'a long line': `a: ${'b '.repeat(MiB / 2)}`,
  'many keys': times(60_000, (i) => `key${i}: ${i}\n`),
  'equal keys': upTo(MiB, 'key: 1\n'),
  anchors: times(20_000, (i) => `a${i}: &x${i} 1\n`),
  aliases: `a: &a [1]\n${times(20_000, (i) => `b${i}: *a\n`)}`,
  tags: upTo(MiB, '!!js/function a\n'),
  'merge keys': upTo(MiB, '<<: { a: 1 }\n'),
  comments: upTo(MiB, '# a comment\n'),
  blanks: ' '.repeat(MiB),
  'line ends': '\n'.repeat(MiB),
  'block scalars': upTo(MiB, 'a: |\n  text\n'),
  'deep blocks': times(1_000, (i) => `${' '.repeat(i)}a:\n`),
};

const plan = (text: string): string => JSON.stringify({ specs: [{ path: 'all.yaml', text }] });

/** Bodies of `POST /v1/plans` that are hostile by their JSON; each text of a spec file makes one more. */
const jsons: Bodies = {
  'a million keys': `{${Array.from({ length: 780_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
  'a million items': `{"specs":[${Array.from({ length: 1_000_000 }, () => '1').join(',')}]}`,
  'open brackets': '['.repeat(4 * MiB),
  'brackets in one another': `${'['.repeat(MiB)}${']'.repeat(MiB)}`,
  'open braces': '{"a":'.repeat(MiB),
  'one long text': `{"specs":"${'a'.repeat(7 * MiB)}"}`,
  'a text of escapes': `{"specs":"${'\\n'.repeat(3 * MiB)}"}`,
  'a text of code points': `{"specs":"${'\\u00e9'.repeat(MiB)}"}`,
  'a text beyond ASCII': `{"specs":"${'é'.repeat(3 * MiB)}"}`,
  'a text that never ends': `{"specs":"${'a'.repeat(7 * MiB)}`,
  'a long key': `{"${'k'.repeat(7 * MiB)}":1}`,
  'a long number': `{"specs":${'9'.repeat(7 * MiB)}}`,
  blanks: ' '.repeat(7 * MiB),
  commas: ','.repeat(4 * MiB),
  'no JSON': 'a'.repeat(4 * MiB),
  'many files': JSON.stringify({
    specs: Array.from({ length: 2_000 }, (_, i) => ({ path: `${i}.yaml`, text: rule(i) })),
  }),
  'too many files': JSON.stringify({
    specs: Array.from({ length: 9_000 }, (_, i) => ({ path: `${i}.yaml`, text: '' })),
  }),
  'files of one path': JSON.stringify({ specs: Array.from({ length: 2_000 }, () => ({ path: 'a.yaml', text: '' })) }),
  'long paths': JSON.stringify({
    specs: Array.from({ length: 2_000 }, (_, i) => ({ path: `${i}${'/a'.repeat(400)}`, text: '' })),
  }),
  'scripts that are no base64': JSON.stringify({
    specs: [],
    userData: Array.from({ length: 10 }, (_, i) => ({ path: `${i}`, base64: '!'.repeat(500_000) })),
  }),
  scripts: JSON.stringify({
    specs: [{ path: 'a.yaml', text: estate }],
    userData: Array.from({ length: 14 }, (_, i) => ({ path: `${i}.sh`, base64: 'YWFh'.repeat(125_000) })),
  }),
};

export const planBodies: Bodies = {
  ...jsons,
  ...Object.fromEntries(Object.entries(specTexts).map(([name, text]) => [`specs: ${name}`, plan(text)])),
};
