import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import type { FieldChange } from '../../../src/core/diff.ts';
import { documentText, entryChanges, wantedText } from '../../../src/core/render/value-text.ts';

const route = { destination: '10.0.0.0/8', nextHop: 'igw-1' };

describe('a value as a document spells it', () => {
  const rows: readonly (readonly [value: unknown, want: string])[] = [
    [route, '{ destination: 10.0.0.0/8, nextHop: igw-1 }'],
    [
      { ...route, priority: 90, tags: ['web', 'db'] },
      '{ destination: 10.0.0.0/8, nextHop: igw-1, priority: 90, tags: [web, db] }',
    ],
    [[], '[]'],
    [{}, '{}'],
    [[route, route], '[{ destination: 10.0.0.0/8, nextHop: igw-1 }, { destination: 10.0.0.0/8, nextHop: igw-1 }]'],
    ['', '""'],
    ['10.1.1.9', '10.1.1.9'],
    ['fd20:0:1::/48', 'fd20:0:1::/48'],
    ['::/0', '"::/0"'],
    ['90', '"90"'],
    ['true', '"true"'],
    ['Null', '"Null"'],
    ['a: b', '"a: b"'],
    ['a, b', '"a, b"'],
    ['a #b', '"a #b"'],
    ['a:', '"a:"'],
    ['legacy db 01', 'legacy db 01'],
    ['https://a.example/b#c', 'https://a.example/b#c'],
    [true, 'true'],
    [40, '40'],
  ];
  for (const [value, want] of rows)
    test(want, () => {
      assert.equal(documentText(value), want);
      assert.deepEqual(parse(`{ field: ${want} }`), { field: value });
    });

  test('nothing', () => assert.equal(documentText(undefined), 'not set'));
});

describe('the entries by which two lists differ', () => {
  const many = ['a', 'b', 'c', 'd'];
  const rows: readonly (FieldChange & { readonly want: readonly string[] | undefined; readonly says: string })[] = [
    {
      field: 'routes',
      from: [route, { destination: '10.1.0.0/16', nextHop: 'pcx-1' }],
      to: [{ destination: '10.1.0.0/16', nextHop: 'pcx-2' }, route],
      want: ['- { destination: 10.1.0.0/16, nextHop: pcx-1 }', '+ { destination: 10.1.0.0/16, nextHop: pcx-2 }'],
      says: 'routes has unwanted { destination: 10.1.0.0/16, nextHop: pcx-1 } and lacks { destination: 10.1.0.0/16, nextHop: pcx-2 }',
    },
    { field: 'peers', from: many, to: ['a', 'c', 'd'], want: ['- b'], says: 'peers has unwanted b' },
    { field: 'peers', from: ['a'], to: many, want: ['+ b', '+ c', '+ d'], says: 'peers lacks b, c, d' },
    { field: 'routes', to: [route], want: [`+ ${documentText(route)}`], says: `routes lacks ${documentText(route)}` },
    { field: 'peers', from: ['a'], to: ['b'], want: undefined, says: 'peers is ["a"], wanted ["b"]' },
    {
      field: 'peers',
      from: many,
      to: many.toReversed(),
      want: undefined,
      says: 'peers is ["a","b","c","d"], wanted ["d","c","b","a"]',
    },
    { field: 'natGateway', to: 'out', want: undefined, says: 'natGateway is not set, wanted "out"' },
    { field: 'size', from: 40, want: undefined, says: 'size is 40, wanted not set' },
  ];
  for (const { want, says, ...change } of rows)
    test(says, () => {
      assert.deepEqual(
        entryChanges(change)?.map(({ sign, text }) => `${sign} ${text}`),
        want,
      );
      assert.equal(wantedText([change]), says);
    });
});
