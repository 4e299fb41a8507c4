import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownAbout } from '../../../../src/http/api/schemas/event.ts';
import type { StoredEvent } from '../../../../src/ports/events.ts';

const cases: readonly [type: StoredEvent['type'], stored: object, shown: object][] = [
  ['word', { word: 'pause', seq: 1, what: 'all' }, { decision: 'pause', seq: 1, what: 'all' }],
  ['word', { omitted: true }, { omitted: true }],
  ['pass', { outcome: 'partly', nextPassAt: 'a time' }, { outcome: 'partial', nextReconcileAt: 'a time' }],
  ['pass', { outcome: 'done', nextReconcileAt: 'a time' }, { outcome: 'done', nextReconcileAt: 'a time' }],
  ['resource', { key: 'a', word: 'b' }, { key: 'a', word: 'b' }],
];
for (const [type, stored, shown] of cases)
  test(`an event stored as ${type}: ${JSON.stringify(stored)} shows the words of the API`, () => {
    assert.deepEqual(Object.entries(shownAbout(type, { ...stored })), Object.entries(shown));
  });
