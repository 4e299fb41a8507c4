import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whenField } from '../../../src/http/api/fields.ts';

const now = Date.UTC(2026, 0, 8);

describe('a time in a query', () => {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ['7d', Date.UTC(2026, 0, 1)],
    ['90s', now - 90_000],
    ['30m', now - 1_800_000],
    ['12h', now - 43_200_000],
    ['1w', Date.UTC(2026, 0, 1)],
    ['2026-01-02T00:00:00Z', Date.UTC(2026, 0, 2)],
    ['2026-01-02T00:00:00.5+02:00', Date.UTC(2026, 0, 1, 22, 0, 0, 500)],
    ['', undefined],
    ['7', undefined],
    ['d', undefined],
    ['-7d', undefined],
    ['99999d', undefined],
    ['2026-01-02', undefined],
    ['2026-02-30T00:00:00Z', undefined],
  ];
  for (const [text, want] of rows)
    it(`${text}: ${want === undefined ? 'refused' : new Date(want).toISOString()}`, () =>
      assert.equal(whenField('then').safeParse(text).data?.(now), want));
});
