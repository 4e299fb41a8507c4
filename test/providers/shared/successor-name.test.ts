import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { successorName as named } from '../../../providers/shared/successor-name.ts';
import type { CloudId } from '../../../src/core/resource.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const successorName = (name: string, predecessor: CloudId, longest: number) =>
  named(name, predecessor, longest, sha256);

const id = (name: string, number: number): string => `projects/acme/zones/eu-b/instances/${name}#${number}`;

test('one predecessor has one successor, and each has another', () => {
  const names = Array.from({ length: 1000 }, (_, number) => successorName('web-0', id('web-0', number), 63));
  assert.deepEqual(
    names,
    Array.from({ length: 1000 }, (_, number) => successorName('web-0', id('web-0', number), 63)),
  );
  assert.ok(new Set(names).size > 995);
  for (const name of names) assert.match(name, /^web-0-[b-z][b-z0-9]{4}$/);
});

test('it never reads as a replica, has its predecessor’s name, or is longer than the cloud takes', () => {
  for (let number = 0; number < 1000; number++) {
    const name = successorName('w'.repeat(63), id('w', number), 63);
    assert.match(name, /^w{57}-[a-z][a-z0-9]{4}$/);
    assert.notEqual(successorName('w'.repeat(63), id(name, number), 63), name);
    assert.doesNotMatch(name, /-\d+$/);
  }
  const taken = successorName('web-0', id('web-0', 1), 63);
  const [path] = id(taken, 1).split('#');
  assert.notEqual(successorName('web-0', `${path}#1`, 63), taken);
});
