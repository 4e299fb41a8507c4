import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DecodeError, desired } from '../../src/cli/api-client/decode.ts';

const termsOf = (terms: Readonly<Record<string, unknown>>): unknown =>
  desired({ kind: 'network', terms }, 'desired').terms;

describe('a desired resource in an answer of the API', () => {
  for (const [requirement, presence] of [
    ['required', 'stated'],
    ['provider-default', 'implied'],
    ['optional', 'tolerated'],
  ] as const)
    it(`${requirement} is read`, () => assert.deepEqual(termsOf({ requirement }), { presence }));

  it('has its previous addresses', () =>
    assert.deepEqual(termsOf({ claim: { adopt: 'vpc-1', previousAddresses: ['a'] } }), {
      claim: { adopt: 'vpc-1', was: ['a'] },
    }));

  it('stays without both where it has neither', () => assert.deepEqual(termsOf({ mode: 'plan' }), { mode: 'plan' }));

  it('is refused with a requirement that this version does not know', () =>
    assert.throws(() => termsOf({ requirement: 'sometimes' }), DecodeError));
});
