import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSameTry, markTags, readExtra, readMark, staleTags } from '../../../providers/azure/marks.ts';
import { isNearPartOf, isPartOf } from '../../../providers/azure/part.ts';
import { readRuleMark, roomBeside, writeRuleMark } from '../../../providers/azure/rule-mark.ts';
import { editTags, readLabels } from '../../../providers/azure/tags.ts';
import type { Mark } from '../../../src/core/observed.ts';

const prefix = 'azure/aaaa0000-1111-2222-3333-444455556666/westeurope/rg-prod';
const mark: Mark = {
  estate: 'acme',
  store: '0b8e9d1c-55aa-4a3e-9c11-1f2e3d4c5b6a',
  address: `${prefix}/network/core`,
  deletionPolicy: 'delete',
  intent: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  attempt: 2,
};
const long: Mark = { ...mark, address: `azure/s/l/${'g'.repeat(90)}/group/${'n'.repeat(200)}` };
const bare: Mark = { estate: 'acme', store: 'store-1', address: mark.address };

describe('the mark as tags', () => {
  for (const [name, one] of Object.entries({ mark, long, bare }))
    test(`${name}: read as it was written`, () => {
      assert.deepEqual(readMark(markTags(one)), one);
      for (const value of Object.values(markTags(one))) assert.ok(value.length <= 256, value);
    });
  test('keys in another case are the same keys', () => {
    const shouted = Object.fromEntries(
      Object.entries(markTags(mark)).map(([key, value]) => [key.toUpperCase(), value]),
    );
    assert.deepEqual(readMark(shouted), mark);
    assert.deepEqual(readLabels({ ...shouted, Env: 'prod' }), { Env: 'prod' });
  });
  test('half a mark is none', () => assert.equal(readMark({ 'setpoint:estate': 'acme' }), undefined));
  test('what a new mark does not say goes', () => {
    const tags = editTags(markTags(long), markTags(bare), staleTags(bare));
    assert.deepEqual(readMark(tags), bare);
  });
  test('the same try is known by estate, store, address and intent', () => {
    assert.ok(isSameTry({ ...mark, attempt: 3 }, markTags(mark)));
    for (const other of [{ estate: 'x' }, { store: 'x' }, { address: 'x' }, { intent: 'x' }])
      assert.ok(!isSameTry({ ...mark, ...other }, markTags(mark)), JSON.stringify(other));
  });
  test('a part says which one it is, and whose', () => {
    const tags = markTags(mark, { part: 'nsg' });
    assert.equal(readExtra(tags, 'part'), 'nsg');
    const rows: readonly (readonly [Partial<Mark>, boolean, boolean])[] = [
      [{}, true, true],
      [{ address: 'moved' }, false, true],
      [{ store: 'taken over' }, false, true],
      [{ store: 'x', address: 'x' }, false, false],
      [{ estate: 'x' }, false, false],
    ];
    for (const [over, exact, near] of rows) {
      const owner = { ...mark, ...over };
      assert.deepEqual([isPartOf(owner, tags, 'nsg'), isNearPartOf(owner, tags, 'nsg')], [exact, near]);
    }
    assert.ok(!isNearPartOf(undefined, tags, 'nsg') && !isNearPartOf(mark, markTags(mark), 'nsg'));
  });
});

describe('tags', () => {
  test('a key keeps the case it stands in', () =>
    assert.deepEqual(editTags({ Env: 'a', b: '1' }, { env: 'z' }), { b: '1', Env: 'z' }));
  test('what is dropped goes in any case', () =>
    assert.deepEqual(editTags({ Env: 'a', b: '1' }, { c: '2' }, ['ENV']), { b: '1', c: '2' }));
});

describe('the mark in a rule’s description', () => {
  const place = { prefix, name: 'web-https-1a2b3c4d' };
  const address = `${prefix}/firewall-rule/core.web-https-1a2b3c4d`;
  const own: Mark = { ...mark, address };
  const rows: readonly (readonly [string, string, Mark])[] = [
    ['beside a text', 'public site', own],
    ['alone', '', own],
    ['beside a text with brackets and line ends', 'a [b] \n c ', own],
    ['of few words', 'x', { estate: 'acme', store: 's', address }],
    ['of another resource group', 'x', { ...own, address: 'azure/s/l/other/firewall-rule/core.web-https-1a2b3c4d' }],
    ['retained', '', { ...own, deletionPolicy: 'retain' }],
  ];
  for (const [name, text, one] of rows)
    test(`${name}: read as it was written`, () => {
      const written = writeRuleMark(text, one, place);
      assert.ok(written !== undefined && written.length <= 140);
      assert.deepEqual(readRuleMark(written, place), { text, mark: one });
    });
  test('with the longest text it has just room', () => {
    const room = roomBeside(own, place);
    assert.equal(writeRuleMark('x'.repeat(room), own, place)?.length, 140);
    assert.equal(writeRuleMark('x'.repeat(room + 1), own, place), undefined);
    assert.ok(room > 50, `${room}`);
  });
  test('what only looks like one is a text', () => {
    const text = 'see [setpoint docs]';
    assert.deepEqual(readRuleMark(text, place), { text, mark: undefined });
  });
});
