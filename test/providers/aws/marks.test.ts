import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { markTags, readExtra, readMark } from '../../../providers/aws/marks.ts';
import { nameIn, readLabels, tagList } from '../../../providers/aws/tags.ts';
import type { Mark } from '../../../src/core/observed.ts';

const least: Mark = { estate: 'acme', store: 's1', address: 'aws/1/r/network/core' };
const whole: Mark = { ...least, deletionPolicy: 'retain', intent: 'i-7', attempt: 2 };

describe('a mark written as tags and read back', () => {
  const rows: readonly { readonly name: string; readonly mark: Mark }[] = [
    { name: 'of an adopted object', mark: { estate: 'acme', store: 's1' } },
    { name: 'the least', mark: least },
    { name: 'the whole', mark: whole },
    { name: 'attempt 0', mark: { ...least, attempt: 0 } },
  ];
  for (const { name, mark } of rows) test(name, () => assert.deepEqual(readMark(tagList(markTags(mark))), mark));

  test('of a batched launch, each instance has its own address', () => {
    const tags = tagList(markTags({ ...whole, address: 'aws/1/r/instance/web' }, { first: '4' }));
    assert.deepEqual(
      [0, 1, 2].map((index) => readMark(tags, index)?.address),
      ['aws/1/r/instance/web-4', 'aws/1/r/instance/web-5', 'aws/1/r/instance/web-6'],
    );
  });
  test('an ordinal without an address says nothing', () =>
    assert.deepEqual(readMark(tagList({ ...markTags({ estate: 'acme', store: 's1' }), 'setpoint:first': '4' }), 2), {
      estate: 'acme',
      store: 's1',
    }));
  test('what goes beside it', () =>
    assert.equal(readExtra(tagList(markTags(least, { part: 'route-table' })), 'part'), 'route-table'));
});

describe('tags that are no mark', () => {
  const rows: readonly { readonly name: string; readonly tags: Readonly<Record<string, string>> }[] = [
    { name: 'none', tags: {} },
    { name: 'an estate without a store', tags: { 'setpoint:estate': 'acme' } },
    { name: 'an address without a store', tags: { 'setpoint:estate': 'acme', 'setpoint:address': 'a' } },
    { name: 'an empty estate', tags: { 'setpoint:estate': '', 'setpoint:store': 's', 'setpoint:address': 'a' } },
  ];
  for (const { name, tags } of rows) test(name, () => assert.equal(readMark(tagList(tags)), undefined));
  test('a deletion policy that nobody knows is none', () =>
    assert.equal(readMark(tagList({ ...markTags(least), 'setpoint:deletion': 'maybe' }))?.deletionPolicy, undefined));
  test('a first that is no number is none', () =>
    assert.equal(readMark(tagList({ ...markTags(least), 'setpoint:first': '1e3' }))?.address, least.address));
});

describe('labels', () => {
  const tags = tagList({
    ...markTags(whole),
    'aws:cloudformation:stack-name': 's',
    Name: 'core',
    tier: '',
    __proto__x: 'y',
  });
  test('are what is neither ours nor the cloud’s', () =>
    assert.deepEqual(readLabels(tags), { Name: 'core', __proto__x: 'y', tier: '' }));
  test('a name is a tag', () => assert.equal(nameIn(tags), 'core'));
});
