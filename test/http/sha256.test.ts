import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sha256 as ofPlans } from '../../src/estate/sha256.ts';
import { sha256 } from '../../src/http/sha256.ts';
import { sha256 as ofTheStore } from '../../src/store/signing.ts';

// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

it('text and its bytes have one hash, the same in every layer: what one gives another compares', () => {
  assert.deepEqual([sha256('abc'), sha256(Buffer.from('abc')), ofPlans('abc'), ofTheStore('abc')], Array(4).fill(abc));
  assert.equal(sha256('é'), sha256(Buffer.from('é', 'utf8')));
});
