import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodingFor, takesType } from '../../src/http/negotiation.ts';

const types: readonly (readonly [accept: string | undefined, type: string, takes: boolean])[] = [
  [undefined, 'application/json', true],
  ['', 'application/json', true],
  ['*/*', 'application/json', true],
  ['application/*', 'application/json', true],
  ['application/*', 'text/csv', false],
  ['Application/JSON; charset=utf-8', 'application/json', true],
  ['application/json', 'text/csv; charset=utf-8', false],
  ['text/csv', 'text/csv; charset=utf-8', true],
  ['application/json;q=0, */*', 'application/json', false],
  ['application/json;q=0, */*', 'text/csv', true],
  ['*/*;q=0', 'text/csv', false],
  ['text/html, application/xml;q=0.9, */*;q=0.8', 'application/json', true],
  ['application/json;q=x', 'application/json', false],
  [`${'a/b,'.repeat(50)}application/json`, 'application/json', false],
];
for (const [accept, type, takes] of types)
  test(`Accept "${accept?.slice(0, 50)}" takes ${type}: ${takes}`, () => assert.equal(takesType(accept, type), takes));

const encodings: readonly (readonly [header: string | undefined, want: string | undefined])[] = [
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['GZIP;Q=1.0', 'gzip'],
  ['*', 'br'],
  ['*, br;q=0', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.5, identity', undefined],
  ['deflate', undefined],
  ['gzip;q=2', undefined],
];
for (const [header, want] of encodings)
  test(`Accept-Encoding "${header}": ${want}`, () => assert.equal(encodingFor(header, ['br', 'gzip']), want));
