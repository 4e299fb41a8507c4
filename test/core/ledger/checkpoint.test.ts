import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkpointText, sealText } from '../../../src/core/ledger/checkpoint.ts';

const of = { store: 's1', estate: 'acme', at: 7 };

/** Signatures that stand outside the database were made over these very texts: another text is another promise. */
test('the signed texts are these, letter by letter', () => {
  assert.equal(
    checkpointText({ ...of, heads: [{ of: 'people', number: 2, hash: 'h' }] }),
    '{"at":7,"checkpoint":"setpoint","estate":"acme","heads":[{"hash":"h","number":2,"of":"people"}],"store":"s1","version":2}',
  );
  assert.equal(
    sealText({ ...of, seq: 5, hash: 'h' }),
    '{"at":7,"checkpoint":"setpoint","estate":"acme","hash":"h","seq":5,"store":"s1","version":1}',
  );
});
