import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DocumentEdit, EditValue } from '../../src/core/documents/document-edit.ts';
import type { Path } from '../../src/core/documents/tree.ts';
import { editSpecFile } from '../../src/source/edit-specs.ts';

const at = (line = 1, file = 'web.yaml') => ({ file, line, column: 1 });
const set = (path: Path, value: EditValue, line = 1): DocumentEdit => ({ op: 'set', at: at(line), path, value });
const remove = (path: Path, line = 1): DocumentEdit => ({ op: 'remove', at: at(line), path });
const append = (path: Path, value: EditValue): DocumentEdit => ({ op: 'append', at: at(), path, value });
const size: Path = ['spec', 'size'];
const label = (key: string): Path => ['metadata', 'labels', key];

interface Case {
  readonly name: string;
  readonly before: string;
  readonly edits: readonly DocumentEdit[];
  readonly after: string | undefined;
}

const machine = `# The shop's machines.
apiVersion: setpoint.dev/v1 # ours
kind: Instance
metadata:
  name: web
  labels:
    # asked by finance
    cost: "42"
    tier: 'web' # front
spec:

  size:   t3.small   # cheap
  disk: { size: 20, type: gp3 } # boot
  groups: [ web , ssh ]
`;

const cases: readonly Case[] = [
  {
    name: 'a plain value: its line alone, blanks and comments kept',
    before: machine,
    edits: [set(size, 't3.large')],
    after: machine.replace('t3.small', 't3.large'),
  },
  {
    name: 'quotes stay as they are, and text that reads as a number stays quoted',
    before: machine,
    edits: [set(label('cost'), '43'), set(label('tier'), "it's")],
    after: machine.replace('"42"', '"43"').replace("'web'", "'it''s'"),
  },
  {
    name: 'a plain value gets quotes where the new text needs them',
    before: machine,
    edits: [set(size, '123')],
    after: machine.replace('t3.small', '"123"'),
  },
  {
    name: 'a number in a map on one line',
    before: machine,
    edits: [set(['spec', 'disk', 'size'], 40)],
    after: machine.replace('size: 20', 'size: 40'),
  },
  {
    name: 'text with a comma in a map on one line is quoted',
    before: machine,
    edits: [set(['spec', 'disk', 'type'], 'a, b')],
    after: machine.replace('gp3', '"a, b"'),
  },
  {
    name: 'a new field is the last line of its map',
    before: machine,
    edits: [set(['spec', 'power'], 'stopped')],
    after: `${machine}  power: stopped\n`,
  },
  {
    name: 'a new field behind a file without a last line end',
    before: machine.trimEnd(),
    edits: [set(['spec', 'power'], 'stopped')],
    after: `${machine}  power: stopped`,
  },
  {
    name: 'a new field in a map on one line, and missing maps on the way',
    before: machine,
    edits: [set(['spec', 'disk', 'encrypted'], true), set(['spec', 'on', 'aws-prod', 'power'], 'stopped')],
    after: `${machine.replace('type: gp3 }', 'type: gp3, encrypted: true }')}  on: { aws-prod: { power: stopped } }\n`,
  },
  {
    name: 'a new label before the comment of the next field',
    before: 'metadata:\n  labels:\n    a: x\n  # the owner\n  owner: me\n',
    edits: [set(label('b c'), 'true')],
    after: 'metadata:\n  labels:\n    a: x\n    b c: "true"\n  # the owner\n  owner: me\n',
  },
  {
    name: 'a removed field takes its line, and comments on other lines stay',
    before: machine,
    edits: [remove(label('cost'))],
    after: machine.replace('    cost: "42"\n', ''),
  },
  {
    name: 'the last label goes with its map',
    before: 'metadata:\n  name: web\n  labels:\n    tier: x\nspec: {}\n',
    edits: [remove(label('tier'))],
    after: 'metadata:\n  name: web\nspec: {}\n',
  },
  {
    name: 'the last label of a map on one line, as last and as first field',
    before: 'metadata: { name: web, labels: { tier: x } }\n---\nmetadata: { labels: { tier: x }, name: web }\n',
    edits: [remove(label('tier')), remove(label('tier'), 3)],
    after: 'metadata: { name: web }\n---\nmetadata: { name: web }\n',
  },
  {
    name: 'the first field of an entry of a list: the next one moves up to the dash',
    before: 'spec:\n  subnets:\n    - zone: a\n      name: app\n    - name: db\n',
    edits: [remove(['spec', 'subnets', 0, 'zone'])],
    after: 'spec:\n  subnets:\n    - name: app\n    - name: db\n',
  },
  {
    name: 'several entries of a list, in any order',
    before:
      'spec:\n  ports: [80, 443, 8080-8090]\n  peers:\n    cidrs:\n    - 10.0.0.0/8 # office\n    # home\n    - 10.1.0.0/16\n',
    edits: [remove(['spec', 'ports', 0]), remove(['spec', 'ports', 2]), remove(['spec', 'peers', 'cidrs', 0])],
    after: 'spec:\n  ports: [443]\n  peers:\n    cidrs:\n    # home\n    - 10.1.0.0/16\n',
  },
  {
    name: 'entries at the end of lists of both styles, and of an empty one',
    before: 'spec:\n  a: [x]\n  b:\n    - x # one\n  c: []\n',
    edits: [append(['spec', 'a'], 'y'), append(['spec', 'b'], 'y'), append(['spec', 'c'], 'y')],
    after: 'spec:\n  a: [x, y]\n  b:\n    - x # one\n    - y\n  c: [y]\n',
  },
  {
    name: 'a text of several lines becomes one line',
    before: 'spec:\n  description: >-\n    open to\n    all\n\n  # log\n  log: true\n',
    edits: [set(['spec', 'description'], 'closed')],
    after: 'spec:\n  description: closed\n\n  # log\n  log: true\n',
  },
  {
    name: 'a text of several lines goes, and the line behind it stays',
    before: 'spec:\n  description: >\n    open\n\n  # log\n  log: true\n',
    edits: [remove(['spec', 'description'])],
    after: 'spec:\n\n  # log\n  log: true\n',
  },
  {
    name: 'maps at the end of lists: on one line, of a block, and of an empty list',
    before: 'spec:\n  a: [{ to: x }]\n  b:\n    - { to: x } # one\n  c: []\n',
    edits: ['a', 'b', 'c'].map((list) => append(['spec', list], { to: 'y', ports: [80, 443] })),
    after:
      'spec:\n  a: [{ to: x }, { to: y, ports: [80, 443] }]\n  b:\n    - { to: x } # one\n    - { to: y, ports: [80, 443] }\n  c: [{ to: y, ports: [80, 443] }]\n',
  },
  {
    name: 'maps without blanks in their braces keep that style',
    before: 'spec: {a: [{to: x}], b: {c: 1}}\n',
    edits: [append(['spec', 'a'], { to: 'y, z' }), set(['spec', 'd'], { e: 2 }), set(['spec', 'b', 'f'], { g: 3 })],
    after: 'spec: {a: [{to: x}, {to: "y, z"}], b: {c: 1, f: {g: 3}}, d: {e: 2}}\n',
  },
  {
    name: 'a map of several lines, as the entry before it',
    before: 'spec:\n  a:\n  - to: x # one\n    ports:\n    - 80\n\n  # b\n  b: 1\n',
    edits: [append(['spec', 'a'], { to: 'y', ports: [443] }), set(['spec', 'a', 0, 'to'], 'z')],
    after: 'spec:\n  a:\n  - to: z # one\n    ports:\n    - 80\n  - to: y\n    ports: [443]\n\n  # b\n  b: 1\n',
  },
  {
    name: 'a map of several lines, with line ends of Windows',
    before: 'spec:\r\n  a:\r\n    - to: x # one\r\n      via: "1"\r\n',
    edits: [append(['spec', 'a'], { to: 'y', via: '2' }), remove(['spec', 'a', 0])],
    after: 'spec:\r\n  a:\r\n    - to: y\r\n      via: "2"\r\n',
  },
  {
    name: 'a new list of maps has one a line, and a short list of scalars one line',
    before: 'spec:\n  size: x # cheap\n',
    edits: [set(['spec', 'a'], [{ to: 'y' }, { to: 'z' }]), set(['spec', 'b'], [1, 2])],
    after: 'spec:\n  size: x # cheap\n  a:\n    - { to: y }\n    - { to: z }\n  b: [1, 2]\n',
  },
  {
    name: 'a new list that is too wide for its line',
    before: 'spec:\n  size: x\n',
    edits: [set(['spec', 'a'], ['a'.repeat(60), 'b'.repeat(60)])],
    after: `spec:\n  size: x\n  a:\n    - ${'a'.repeat(60)}\n    - ${'b'.repeat(60)}\n`,
  },
  {
    name: 'lists of both styles that become empty',
    before: 'spec:\n  a: [x, y] # two\n  b:\n    - x\n    - y\n  c: 1\n',
    edits: [set(['spec', 'a'], []), set(['spec', 'b'], [])],
    after: 'spec:\n  a: [] # two\n  b: []\n  c: 1\n',
  },
  {
    name: 'line ends of Windows',
    before: machine.replaceAll('\n', '\r\n'),
    edits: [set(size, 't3.large'), set(['spec', 'power'], 'stopped'), remove(label('cost'))],
    after: `${machine.replace('t3.small', 't3.large').replace('    cost: "42"\n', '')}  power: stopped\n`.replaceAll(
      '\n',
      '\r\n',
    ),
  },
  {
    name: 'one document of several, each with its markers',
    before: `# head\n---\n${machine}...\n--- # second\n${machine}---\n${machine}`,
    edits: [set(size, 't3.large', 22)],
    after: `# head\n---\n${machine}...\n--- # second\n${machine.replace('t3.small', 't3.large')}---\n${machine}`,
  },
  {
    name: 'a whole document of several',
    before: `# head\n---\n${machine}---\nkind: A\n---\nkind: B\n`,
    edits: [{ op: 'remove-document', at: at(18) }],
    after: `# head\n---\n${machine}---\nkind: B\n`,
  },
  {
    name: 'the only document: nothing remains',
    before: `# head\n---\n${machine}`,
    edits: [{ op: 'remove-document', at: at(3) }],
    after: undefined,
  },
];

describe('edits change their own place in a text, and nothing else', () => {
  for (const { name, before, edits, after } of cases)
    test(name, () => {
      const edited = editSpecFile({ path: 'web.yaml', text: before }, edits);
      assert.equal(edited.refused, undefined);
      assert.equal(edited.text, after);
    });
});

test('JSON keeps its indents', () => {
  const before =
    '{\n\t"kind": "Instance",\n\t"metadata": { "labels": { "tier": "x" }, "name": "web" },\n\t"spec": {\n\t\t"size": "a",\n\t\t"on": {}\n\t}\n}\n';
  const edits = [
    set(size, '5"'),
    set(['spec', 'power'], 'stopped'),
    set(['spec', 'on', 'x', 'size'], 'b'),
    remove(label('tier')),
  ];
  assert.equal(
    editSpecFile({ path: 'web.json', text: before }, edits).text,
    '{\n\t"kind": "Instance",\n\t"metadata": { "name": "web" },\n\t"spec": {\n\t\t"size": "5\\"",\n\t\t"on": { "x": {"size":"b"} },\n\t\t"power": "stopped"\n\t}\n}\n',
  );
});

test('JSON gets lists and maps as it writes them', () => {
  const before = '{\n\t"spec": {\n\t\t"a": [{ "to": "x" }],\n\t\t"b": ["x"]\n\t}\n}\n';
  const edits = [append(['spec', 'a'], { to: 'y' }), set(['spec', 'b'], []), set(['spec', 'c'], [{ to: 'z' }])].map(
    (edit): DocumentEdit => ({ ...edit, at: at(1, 'web.json') }),
  );
  assert.equal(
    editSpecFile({ path: 'web.json', text: before }, edits).text,
    '{\n\t"spec": {\n\t\t"a": [{ "to": "x" }, {"to":"y"}],\n\t\t"b": [],\n\t\t"c": [{"to":"z"}]\n\t}\n}\n',
  );
});

describe('a text without a simple edit is refused', () => {
  const refused: readonly (readonly [name: string, text: string, edit: DocumentEdit, why: RegExp, path?: string])[] = [
    [
      'a comment between two fields on one line',
      'spec: {\n  a: 1,\n  # about b\n  b: 2 }\n',
      remove(['spec', 'a']),
      /comment/,
    ],
    [
      'an entry that begins with its only other line',
      'spec:\n  - - a\n    - b\n',
      remove(['spec', 0, 0]),
      /shares its line/,
    ],
    ['a field that is not written', machine, remove(['spec', 'power']), /not written/],
    ['a list in the place of a scalar', machine, set(['spec', 'groups'], 'x'), /list or a map/],
    ['a scalar in the place of a list', machine, set(['spec', 'size'], ['x']), /no list and no map/],
    [
      'a list with a comment that would go along',
      'spec:\n  a:\n    - x # the first\n    - y\n',
      set(['spec', 'a'], []),
      /comment stands/,
    ],
    ['a file with a list of documents', '[{"spec":{"size":"a"}}]', set(size, 'b'), /list of documents/, 'web.json'],
    ['a value that no spec may hold', machine, set(size, 'a\u0007'), /cannot be edited/],
    ['a text that is broken', 'spec: { size: a', set(size, 'b'), /cannot be edited/],
  ];
  for (const [name, text, edit, why, path = 'web.yaml'] of refused)
    test(name, () => {
      const edited = editSpecFile({ path, text }, [edit]);
      assert.equal(edited.text, undefined);
      assert.match(edited.refused ?? '', why);
    });
});
