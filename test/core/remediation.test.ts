import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { keptFields } from '../../src/core/kinds/kept-fields.ts';
import { categoryOf, kindNames, rulesOf } from '../../src/core/kinds/kinds.ts';
import {
  eitherBefore,
  fieldCategories,
  type RemediationSource,
  type Remediations,
  remediationBefore,
  remediationsBy,
  stricterRemediations,
} from '../../src/core/remediation.ts';

const source = (document: string, stated: RemediationSource['stated']): RemediationSource => ({
  document,
  stated,
  at: (path) => ({ file: `${path.join('.')}.yaml`, line: 1 }),
});
const said = (remediations: Remediations): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(remediations).map(([key, { as, document }]) => [key, `${as} ${document}`]));

describe('the category of a field', () => {
  for (const kind of kindNames)
    it(`each field of ${kind} has exactly one`, () => {
      const { effects, categories } = rulesOf(kind);
      const named = Object.keys(categories);
      const hasOne = (field: string): boolean => named.some((one) => field === one || field.startsWith(`${one}.`));
      const isPart = (field: string): boolean => named.some((one) => one.startsWith(`${field}.`));
      for (const field of Object.keys(effects)) assert.ok(hasOne(field) || isPart(field), field);
      for (const field of named)
        assert.ok(
          field === 'name' || Object.keys(effects).some((one) => field === one || field.startsWith(`${one}.`)),
          field,
        );
    });

  const rows = [
    ['instance', 'machine.size', 'size'],
    ['instance', 'labels.tier', 'labels'],
    ['instance', 'labels.Name', 'name'],
    ['instance', 'settings.scopes', 'identity'],
    ['instance', 'settings.privateIp', 'network'],
    ['instance', 'groups', 'traffic'],
    ['firewall-rule', 'match.peers', 'traffic'],
    ['network', 'filter', 'traffic'],
    ['network', 'mark', 'ours'],
    ...keptFields.map((field) => ['network', field, 'ours'] as const),
  ] as const;
  for (const [kind, field, want] of rows)
    it(`${field} of ${kind} is ${want}`, () => assert.equal(categoryOf(kind, field, 'Name'), want));

  it('each category is of some field', () => {
    const used = new Set<string>(kindNames.flatMap((kind) => Object.values(rulesOf(kind).categories)));
    assert.deepEqual(
      fieldCategories.filter((one) => !used.has(one)),
      [],
    );
  });
});

describe('the remediation of a category', () => {
  const rows: readonly (readonly [name: string, sources: readonly RemediationSource[], want: object])[] = [
    ['heal, where nobody says anything', [source('Instance web', undefined), source('Estate acme', {})], {}],
    [
      'the nearest document decides, healing too',
      [source('Instance web', { labels: 'heal' }), source('Estate acme', { labels: 'report', size: 'propose' })],
      { 'instance.size': 'propose Estate acme' },
    ],
    [
      'of a document a kind goes before all kinds',
      [source('Target here', { size: 'report', kinds: { instance: { size: 'propose' } } })],
      { 'instance.size': 'propose Target here' },
    ],
    [
      'a nearer word for all kinds goes before a kind of a farther document',
      [source('Target here', { size: 'report' }), source('Estate acme', { kinds: { instance: { size: 'heal' } } })],
      { 'instance.size': 'report Target here' },
    ],
  ];
  for (const [name, sources, want] of rows)
    it(name, () => assert.deepEqual(said(remediationsBy(sources, ['instance'])), want));

  it('of two targets of one scope is the stricter', () => {
    const [one, other] = (['propose', 'report'] as const).map((as) =>
      remediationsBy([source(as, { labels: as, ...(as === 'report' ? { size: as } : {}) })], ['instance']),
    );
    const want = { 'instance.labels': 'report report', 'instance.size': 'report report' };
    assert.deepEqual(said(stricterRemediations(one ?? {}, other ?? {})), want);
    assert.deepEqual(said(stricterRemediations(other ?? {}, one ?? {})), want);
  });
});

test('the generation before binds documents as it said, and new ones as it would have', () => {
  const before = remediationBefore({
    scopes: { 'aws/1/eu': { 'instance.labels': 'report' } },
    documents: { 'aws/1/eu/instance/web': { 'instance.size': 'propose' } },
  });
  assert.equal(before('aws/1/eu/instance/web', 'instance.labels'), undefined);
  assert.equal(before('aws/1/eu/instance/web', 'instance.size'), 'propose');
  assert.equal(before('aws/1/eu/instance/new', 'instance.labels'), 'report');
  assert.equal(before('aws/1/eu-2/instance/new', 'instance.labels'), undefined);
  const both = eitherBefore(before, () => 'propose');
  assert.equal(both('aws/1/eu/instance/new', 'instance.labels'), 'report');
  assert.equal(both('gcp/x/instance/new', 'instance.labels'), 'propose');
  assert.equal(eitherBefore(undefined, () => undefined)('x', 'instance.labels'), undefined);
});
