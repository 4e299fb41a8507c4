import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chainGenesis,
  checkpointText,
  genesis,
  link,
  linkFirst,
  processText,
  rootOf,
  sealText,
} from '../../../src/core/ledger/chain.ts';
import type { Content } from '../../../src/core/ledger/entry.ts';

const of = { store: 's1', estate: 'acme', at: 7 };

/** Signatures that stand outside the database were made over these very texts: another text is another promise. */
test('the signed texts are these, letter by letter', () => {
  const plain = (text: string): string => `(${text})`;
  const heads = [{ of: 'people', number: 2, hash: 'h' }];
  const root = '({"heads":[{"hash":"h","number":2,"of":"people"}],"previous":"p"})';
  assert.equal(rootOf({ previous: 'p', heads }, plain), root);
  const text = `{"at":7,"checkpoint":"setpoint","estate":"acme","number":4,"root":${JSON.stringify(root)},"store":"s1","version":3}`;
  assert.equal(checkpointText({ ...of, number: 4, previous: 'p', heads }, plain), text);
  assert.equal(checkpointText({ ...of, number: 4, root }, plain), text, 'its root alone is signed by the same text');
  assert.equal(
    processText({ ...of, heads }),
    '{"at":7,"checkpoint":"setpoint","estate":"acme","heads":[{"hash":"h","number":2,"of":"people"}],"store":"s1","version":2}',
  );
  assert.equal(
    sealText({ ...of, seq: 5, hash: 'h' }),
    '{"at":7,"checkpoint":"setpoint","estate":"acme","hash":"h","seq":5,"store":"s1","version":1}',
  );
});

/** Hashes that stand in ledgers and exports were made over these very texts. */
test('the texts that a hash covers are these, letter by letter', () => {
  const plain = (text: string): string => text;
  const content = { at: 7, type: 'note', body: { b: 1, a: 'x' } } as unknown as Content; // why: only the form counts
  assert.deepEqual(genesis('s1', 'acme', plain), {
    seq: 0,
    hash: '{"estate":"acme","ledger":"setpoint","store":"s1","version":1}',
  });
  const seal = { ...of, seq: 5, hash: 'h', signature: 's', key: 'k' };
  assert.deepEqual(chainGenesis(seal, 'people', plain), {
    of: 'people',
    number: 0,
    hash: '{"chain":"people","ledger":"setpoint","seal":{"at":7,"estate":"acme","hash":"h","key":"k","seq":5,"signature":"s","store":"s1"},"version":2}',
  });
  assert.deepEqual(link({ of: 'people', number: 2, hash: 'p' }, 9, content, plain), {
    ...content,
    seq: 9,
    chain: {
      of: 'people',
      number: 3,
      previous: 'p',
      hash: '{"at":7,"body":{"a":"x","b":1},"chain":"people","number":3,"previous":"p","seq":9,"type":"note"}',
    },
  });
  assert.deepEqual(linkFirst({ seq: 2, hash: 'p' }, content, plain), {
    ...content,
    seq: 3,
    chain: { previous: 'p', hash: '{"at":7,"body":{"a":"x","b":1},"previous":"p","seq":3,"type":"note"}' },
  });
});
