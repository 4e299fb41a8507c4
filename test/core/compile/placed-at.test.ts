import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placedAt } from '../../../src/core/compile/placed-at.ts';
import type { TargetDoc } from '../../../src/core/documents/document.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

const head = 'apiVersion: setpoint.dev/v1\n';

function read(...targets: readonly string[]) {
  const text = [
    `${head}kind: Estate\nmetadata: { name: acme }\nspec: {}\n`,
    ...targets.map((spec) => `${head}kind: Target\nmetadata: { name: here }\nspec: ${spec}\n`),
  ].join('---\n');
  return parseSpecs([{ path: 'a.yaml', text }], '2027-01-31').documents;
}

const cases: readonly { name: string; from: string; to: string; want: Partial<TargetDoc['spec']>; moved: string[] }[] =
  [
    {
      name: 'elsewhere: the place of the other, and all else of its own',
      from: '{ provider: memory, account: a, region: r, mode: plan }',
      to: '{ provider: memory, account: b, region: s, mode: enforce }',
      want: { provider: 'memory', account: 'b', region: 's', mode: 'plan' },
      moved: ['here memory/a/r memory/b/s'],
    },
    {
      name: 'a zone that the other has not is left out',
      from: '{ provider: gcp, account: acme-test, region: europe-west1, zone: europe-west1-b }',
      to: '{ provider: gcp, account: acme-prod, region: europe-west1 }',
      want: { provider: 'gcp', account: 'acme-prod', region: 'europe-west1' },
      moved: ['here gcp/acme-test/europe-west1/europe-west1-b gcp/acme-prod/europe-west1'],
    },
    {
      name: 'at one place already',
      from: '{ provider: memory, account: a, region: r, mode: plan }',
      to: '{ provider: memory, account: a, region: r, mode: enforce }',
      want: { provider: 'memory', account: 'a', region: 'r', mode: 'plan' },
      moved: [],
    },
    {
      name: 'on another cloud: nothing can be compared there',
      from: '{ provider: memory, account: a, region: r }',
      to: '{ provider: aws, account: "111122223333", region: eu-west-1 }',
      want: { provider: 'memory', account: 'a', region: 'r' },
      moved: [],
    },
  ];

for (const { name, from, to, want, moved } of cases)
  test(`a target ${name}`, () => {
    const places = ofKind(read(to), 'Target').map(({ value }) => value);
    const placed = placedAt(read(from), places);
    const [target] = ofKind(placed.documents, 'Target');
    assert.deepEqual(target?.value.spec, want);
    assert.deepEqual(
      placed.moved.map((one) => [one.target, one.from, one.to].join(' ')),
      moved,
    );
  });

test('a target that only one environment has stays where it is', () => {
  const documents = read('{ provider: memory, account: a, region: r }');
  assert.deepEqual(placedAt(documents, []), { documents, moved: [] });
});
