import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { isSameSecret, isSignature } from '../../../src/http/webhooks/signatures.ts';

const cases: readonly (readonly [name: string, given: string | undefined, secret: string, want: boolean])[] = [
  ['the same', 'open sesame', 'open sesame', true],
  ['another of the same length', 'open sesamf', 'open sesame', false],
  ['its beginning', 'open', 'open sesame', false],
  ['longer than it', 'open sesame!', 'open sesame', false],
  ['none', undefined, 'open sesame', false],
  ['none, where the secret is empty', undefined, '', false],
  ['empty, as the secret is', '', '', false],
  ['the same in other letters', 'Open Sesame', 'open sesame', false],
];

describe('whether two secrets are one', () => {
  for (const [name, given, secret, want] of cases) it(name, () => assert.equal(isSameSecret(given, secret), want));
});

const made = (secret: string, text: string): Buffer => createHmac('sha256', secret).update(text).digest();

describe('whether a signature is of these bytes', () => {
  it('in one part or in several', () => {
    assert.ok(isSignature(made('s', 'abc'), 's', ['abc']));
    assert.ok(isSignature(made('s', 'abc'), 's', ['a', Buffer.from('bc')]));
  });
  for (const [name, given, secret] of [
    ['of another secret', made('t', 'abc'), 's'],
    ['of other bytes', made('s', 'abd'), 's'],
    ['cut short', made('s', 'abc').subarray(0, 31), 's'],
    ['with more behind it', Buffer.concat([made('s', 'abc'), Buffer.alloc(1)]), 's'],
    ['empty', Buffer.alloc(0), 's'],
    ['none', undefined, 's'],
    ['of an empty secret', made('', 'abc'), ''],
  ] as const)
    it(`${name}: no`, () => assert.equal(isSignature(given, secret, ['abc']), false));
});
