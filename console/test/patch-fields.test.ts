import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFields } from '../src/actions/patch-fields.ts';

test('fields of a patch: JSON is JSON, any other value is a text', () => {
  assert.deepEqual(
    parseFields('size=t3.large\n ports = [22, 443] \n\nlabels.tier=null\nreplicas=3\nnote="3"\nname=a=b'),
    {
      fields: { size: 't3.large', ports: [22, 443], 'labels.tier': null, replicas: 3, note: '3', name: 'a=b' },
    },
  );
});

test('fields of a patch: a line that is none is named', () => {
  assert.deepEqual(parseFields('size=a\nlarge'), {
    problem: 'Line 2: write it as field=value, such as size=t3.large.',
  });
  assert.deepEqual(parseFields('size=a\nsize=b'), { problem: 'Line 2: size stands there twice.' });
  assert.deepEqual(parseFields(' \n'), { problem: 'Write a field=value.' });
});
