import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownAbout } from '../../../../src/http/api/schemas/event.ts';
import type { StoredEvent } from '../../../../src/ports/events.ts';

const cases: readonly [type: StoredEvent['type'], stored: object, shown: object][] = [
  ['word', { word: 'pause', seq: 1, what: 'all' }, { decision: 'pause', seq: 1, mode: 'all' }],
  [
    'word',
    { word: 'pause', person: 'ann', reason: 'a freeze', of: { by: 'target', name: 'prod' } },
    { decision: 'pause', actor: 'ann', reason: 'a freeze', subject: { type: 'target', name: 'prod' } },
  ],
  ['word', { word: 'pause', of: { by: 'estate' } }, { decision: 'pause', subject: { type: 'estate' } }],
  ['word', { word: 'another', of: 'a text' }, { decision: 'another', subject: 'a text' }],
  ['word', { omitted: true }, { omitted: true }],
  ['pass', { outcome: 'partly', nextPassAt: 'a time' }, { outcome: 'partial', nextReconcileAt: 'a time' }],
  ['pass', { outcome: 'done', nextReconcileAt: 'a time' }, { outcome: 'done', nextReconcileAt: 'a time' }],
  ['resource', { key: 'a', word: 'b', of: { by: 'c' } }, { key: 'a', word: 'b', of: { by: 'c' } }],
];
for (const [type, stored, shown] of cases)
  test(`an event stored as ${type}: ${JSON.stringify(stored)} shows the words of the API`, () => {
    assert.deepEqual(Object.entries(shownAbout(type, { ...stored })), Object.entries(shown));
  });
