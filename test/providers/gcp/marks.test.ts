import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describe as described, readDescription } from '../../../providers/gcp/marks/description.ts';
import { markLabels, markText, readLabels, withoutMark } from '../../../providers/gcp/marks/labels.ts';
import { isSameOwner, isSameTry } from '../../../providers/gcp/marks.ts';
import type { Mark } from '../../../src/core/observed.ts';

const place = 'gcp/acme/europe-west1-b';
const mark: Mark = {
  estate: 'acme',
  store: '5d0a7c1e-0000-4000-8000-000000000000',
  address: `${place}/instance/web-0`,
  deletionPolicy: 'retain',
  intent: '7f3b0000-0000-4000-8000-000000000000',
  attempt: 2,
};

describe('the mark in a description', () => {
  const texts = ['', 'public site', 'two\nlines', 'a line at the end\n', '{"setpoint":1}', '{"setpoint":'];
  for (const text of texts)
    test(`reads back beside ${JSON.stringify(text)}`, () =>
      assert.deepEqual(readDescription(described(text, mark)), { text, mark }));
  for (const text of [...texts, '{"setpoint":{"estate":"acme"}}', '{"setpoint":null}', '{"other":{}}'])
    test(`${JSON.stringify(text)} alone is text and no mark`, () => assert.deepEqual(readDescription(text), { text }));
  test('a part says which', () =>
    assert.deepEqual(readDescription(described('', mark, 'default-route')), { text: '', mark, part: 'default-route' }));
  test('nothing is no mark', () => assert.deepEqual(readDescription(null), { text: '' }));
  test('a policy or an attempt that is none is left out', () => {
    const odd = JSON.stringify({ setpoint: { ...mark, deletion: 'maybe', attempt: 'two' } });
    assert.deepEqual(readDescription(odd).mark, {
      estate: mark.estate,
      store: mark.store,
      address: mark.address,
      intent: mark.intent,
    });
  });
});

describe('the mark in labels', () => {
  test('reads back', () => assert.deepEqual(readLabels(markLabels(mark), place), mark));
  test('every value is one that a label takes', () => {
    const odd = { ...mark, estate: 'Acme Größe', intent: 'X'.repeat(80) };
    for (const value of Object.values(markLabels(odd))) assert.match(value, /^[a-z0-9_-]{0,63}$/);
  });
  test('needs no words where it fits', () => assert.equal(markText(mark), undefined));
  test('where it does not fit, its words are taken', () => {
    const odd = { ...mark, estate: 'Acme' };
    assert.deepEqual(readLabels(markLabels(odd), place, markText(odd)), odd);
  });
  test('words that say another mark than the labels are not', () => {
    const odd = { ...mark, estate: 'Acme' };
    const copied = readLabels(markLabels(mark), place, markText(odd));
    assert.deepEqual(copied, mark);
  });
  test('without words the hash stands for what does not fit', () =>
    assert.match(readLabels(markLabels({ ...mark, estate: 'Acme' }), place)?.estate ?? '', /^[0-9a-f]{32}$/));
  test('no labels of ours, no mark', () => assert.equal(readLabels({ tier: 'web' }, place), undefined));
  test('the user’s labels are the others, sorted', () =>
    assert.deepEqual(Object.entries(withoutMark({ tier: 'web', ...markLabels(mark), app: 'x' })), [
      ['app', 'x'],
      ['tier', 'web'],
    ]));
});

describe('whose it is', () => {
  test('the same try', () => assert.equal(isSameTry(mark, { ...mark, attempt: 3, deletionPolicy: 'delete' }), true));
  const others: readonly Partial<Mark>[] = [{ estate: 'x' }, { store: 'x' }, { address: 'x' }, { intent: 'x' }];
  for (const other of others)
    test(`another ${Object.keys(other)}: another try`, () =>
      assert.equal(isSameTry(mark, { ...mark, ...other }), false));
  test('another intent: the same owner', () => assert.equal(isSameOwner(mark, { ...mark, intent: 'x' }), true));
  test('no mark is nobody’s', () =>
    assert.deepEqual([isSameOwner(undefined, undefined), isSameOwner(mark, undefined)], [false, false]));
});
