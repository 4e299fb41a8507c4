import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { formatSpecs } from '../../src/source/format-specs.ts';

test('specs are written as a person writes them', () => {
  const text = formatSpecs([
    {
      comments: ['app (subnet-1): made by hand'],
      value: {
        kind: 'Network',
        metadata: { name: 'core', adopt: { aws: 'vpc-1' } },
        spec: {
          targets: ['aws'],
          subnets: [{ name: 'app', cidr: '10.20.1.0/24' }],
        },
      },
    },
    {
      comments: [],
      value: {
        kind: 'FirewallRule',
        spec: {
          ports: [443, '80-90'],
          peers: { cidrs: ['0.0.0.0/0', '::/0'] },
          settings: { routes: [{ destination: '0.0.0.0/0', nextHop: 'igw-1' }], on: true },
        },
      },
    },
  ]);
  assert.equal(
    text,
    `# app (subnet-1): made by hand
kind: Network
metadata: { name: core, adopt: { aws: vpc-1 } }
spec:
  targets: [aws]
  subnets:
    - { name: app, cidr: 10.20.1.0/24 }
---
kind: FirewallRule
spec:
  ports: [443, 80-90]
  peers: { cidrs: [0.0.0.0/0, ::/0] }
  settings: { routes: [{ destination: 0.0.0.0/0, nextHop: igw-1 }], on: true }
`,
  );
});

test('any text reads back as it was', () => {
  const texts = [
    'yes',
    'null',
    '012',
    '1e3',
    'a: b',
    '- x',
    '# no comment',
    "it's",
    'two\nlines',
    '---',
    '"',
    '[',
    '{ a }',
    ' x ',
    '@x',
    '%',
    '',
    '&a',
    '*a',
  ];
  const value = {
    spec: { texts, map: Object.fromEntries(texts.map((text) => [`k${text}`, text])), long: texts.join(' ') },
  };
  const [document] = parseAllDocuments(formatSpecs([{ value, comments: ['x'] }]));
  assert.deepEqual(document?.toJS(), value);
});
