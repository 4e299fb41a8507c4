import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../../../providers/shared/event-fields.ts';

test('text of an event that would move a cursor, or turn text round, is none', () => {
  const hostile = [
    '\u001b[2J',
    'a\nb',
    '\u009b2J',
    'bob\u202eadmin',
    'b\u200bob',
    'a\u2028b',
    '\ud800',
    '',
    'x'.repeat(1001),
  ];
  for (const text of [...hostile, 7, null]) assert.equal(textOf(text), undefined, JSON.stringify(text));
  assert.equal(textOf('arn:aws:iam::1:user/zoë'), 'arn:aws:iam::1:user/zoë');
});
