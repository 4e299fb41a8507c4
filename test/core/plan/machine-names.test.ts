import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import type { Desired, Terms } from '../../../src/core/desired.ts';
import type { FieldChange } from '../../../src/core/diff.ts';
import type { Ended, Knowledge } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { compareScope } from '../../../src/core/plan/compared.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Labels } from '../../../src/core/resource.ts';
import { at, dialect, input, know, looked, mark, see, settle, summary, want } from './fixture.ts';

const attributes = (labels: Labels = {}, image = 'i') => ({
  placement: { subnet: 'subnet-1', publicIp: false },
  groups: [],
  machine: { image, size: 's', power: 'running' as const },
  labels,
});

/** `name`: that of the document where it states one. */
const machine = (name: string | undefined, terms: Partial<Terms> = {}, image = 'i'): Desired<'instance'> => {
  const desired = want('instance', 'web-0', attributes({}, image), { mode: 'enforce', ...terms });
  return name === undefined ? desired : { ...desired, name, terms: { ...desired.terms, named: true } };
};

const slot = (name: string): string =>
  `${dialect.names.prefix('instance', { account: '', region: '' })}/instance/${name}`;

const called = (name: string, labels: Labels = {}): Observed<'instance'> =>
  see('instance', 'i-1', attributes(labels), { name, signs: { mark: mark(at('instance', 'web-0')) } });

describe('a name that a document states, where the cloud fixes names', () => {
  const rows: readonly {
    readonly name: string;
    /** In the document: as it was applied, as it is now. */
    readonly before?: string;
    readonly after?: string;
    readonly cloud: string;
    readonly image?: string;
    readonly want: readonly string[];
  }[] = [
    { name: 'the machine bears it', before: 'old-db', after: 'old-db', cloud: 'old-db', want: [] },
    { name: 'in another case', before: 'old-db', after: 'Old-DB', cloud: 'OLD-db', want: [] },
    {
      name: 'it is stated newly, and the machine has its usual name',
      after: 'old-db',
      cloud: 'web-0',
      want: ['blocked instance/web-0: immutable'],
    },
    {
      name: 'it is another one now',
      before: 'old-db',
      after: 'new-db',
      cloud: 'old-db',
      want: ['blocked instance/web-0: immutable'],
    },
    { name: 'it is stated no more', before: 'old-db', cloud: 'old-db', want: [] },
    { name: 'nobody ever stated one', cloud: 'whatever', want: [] },
    {
      name: 'a spec replaces the machine besides: its successor bears the name',
      before: 'old-db',
      after: 'new-db',
      cloud: 'old-db',
      image: 'j',
      want: ['replace instance/web-0'],
    },
  ];
  for (const { name, before, after, cloud, image, want: wish } of rows)
    test(name, () => {
      const desired = machine(after, {}, image);
      const observed = called(cloud);
      const applied = new Map([[desired.address, { attributes: machine(before).attributes, generation: 1 }]]);
      const got = plan(input([desired], looked([observed]), { knowledge: know([observed], { applied }) }));
      assert.deepEqual(summary(got), wish);
    });

  test('the finding has both names, the reason and the line to write', () => {
    const observed = called('old-db');
    const [finding] = plan(input([machine('new-db')], looked([observed]))).findings;
    assert.equal(
      finding?.why,
      'name is "old-db", wanted "new-db". The cloud fixes the name of a machine at its creation. Keep the current value: write `names: { prod: old-db }` in specs/a.yaml:1, or remove `names`.',
    );
  });

  test('a successor by recreation bears it, and the plan creates a machine of exactly this name', () => {
    const desired = machine('new-db');
    const [created] = plan(input([desired], looked([]))).actions;
    assert.equal(created?.verb === 'create' ? created.desired.name : '', 'new-db');
    const observed = called('old-db');
    const applied = new Map([[desired.address, { attributes: attributes(), generation: 1 }]]);
    const given = input([machine('new-db', {}, 'j')], looked([observed]), { knowledge: know([observed], { applied }) });
    const [replaced] = plan(given).actions;
    assert.equal(replaced?.verb === 'replace' ? replaced.desired.name : '', 'new-db');
    assert.equal(replaced?.verb === 'replace' ? replaced.surge : {}, undefined);
  });

  test('no name drifts there: another one is an edit of the document, beside a size that drifted', () => {
    const observed = see(
      'instance',
      'i-1',
      { ...attributes(), machine: { ...attributes().machine, size: 'l' } },
      {
        name: 'old-db',
        signs: { mark: mark(at('instance', 'web-0')) },
      },
    );
    const desired = machine('new-db');
    const applied = new Map([[desired.address, { attributes: attributes(), generation: 1 }]]);
    const compared = compareScope(input([desired], looked([observed]), { knowledge: know([observed], { applied }) }));
    const { changes = [], drifted = [] } = compared.get(desired.address) ?? {};
    const fields = (some: readonly FieldChange[]): readonly string[] => some.map(({ field }) => field);
    assert.deepEqual([fields(changes), fields(drifted)], [['machine.size', 'name'], ['machine.size']]);
  });

  for (const [name, wish] of [
    ['old-db', 'adopt instance/web-0'],
    ['new-db', 'blocked instance/web-0: immutable'],
  ] as const)
    test(`adoption of old-db by a document that says ${name}`, () => {
      const found = see('instance', 'i-1', attributes(), { name: 'old-db' });
      assert.deepEqual(summary(plan(input([machine(name, { claim: { adopt: 'i-1' } })], looked([found])))), [wish]);
    });
});

describe('a replacement without surge needs the name to be free: it deletes the machine first', () => {
  const standing = (
    address: string | undefined,
    id: string,
    name: string,
    more: Pick<Partial<Observed>, 'condition'> = {},
  ) =>
    see('instance', id, attributes(), {
      name,
      ...more,
      signs: { slot: slot(name), ...(address === undefined ? {} : { mark: mark(at('instance', address)) }) },
    });
  /** Documents change the image; of an approved replacement, a colleague did. */
  const planned = (wanted: readonly Desired[], seen: readonly Observed[], isApproved?: true) => {
    const applied = new Map(
      wanted.map((one) => [one.address, { attributes: attributes({}, isApproved ? 'j' : 'i'), generation: 1 }]),
    );
    const choices = isApproved ? { approved: () => true } : {};
    return plan(input(wanted, looked(seen), { knowledge: know(seen, { applied }), choices }));
  };
  const db = (address: string, name: string): Desired => {
    const desired = want('instance', address, attributes({}, 'j'), { mode: 'enforce', named: true });
    return { ...desired, name };
  };
  const rows: readonly {
    readonly name: string;
    readonly wanted: readonly Desired[];
    readonly seen: readonly Observed[];
    readonly isApproved?: true;
    readonly want: readonly string[];
  }[] = [
    {
      name: 'it is its own',
      wanted: [db('web-0', 'old-db')],
      seen: [standing('web-0', 'i-1', 'old-db')],
      want: ['replace instance/web-0'],
    },
    {
      name: 'a machine of nobody has it',
      wanted: [db('web-0', 'new-db')],
      seen: [standing('web-0', 'i-1', 'old-db'), standing(undefined, 'i-9', 'new-db')],
      want: ['blocked instance/web-0: name-taken', 'unmanaged i-9'],
    },
    {
      name: 'the same, and a person approved the replacement',
      wanted: [db('web-0', 'new-db')],
      seen: [standing('web-0', 'i-1', 'old-db'), standing(undefined, 'i-9', 'new-db')],
      isApproved: true,
      want: ['blocked instance/web-0: name-taken', 'blocked instance/web-0: immutable', 'unmanaged i-9'],
    },
    {
      name: 'the document states a name no more, and a machine of nobody has the usual one',
      wanted: [machine(undefined, {}, 'j')],
      seen: [standing('web-0', 'i-1', 'old-db'), standing(undefined, 'i-9', 'web-0')],
      want: ['blocked instance/web-0: name-taken', 'unmanaged i-9'],
    },
    {
      name: 'two documents swap their names',
      wanted: [db('web-0', 'b'), db('db-0', 'a')],
      seen: [standing('web-0', 'i-1', 'a'), standing('db-0', 'i-2', 'b')],
      want: ['blocked instance/db-0: name-taken', 'blocked instance/web-0: name-taken'],
    },
    {
      name: 'parts of a machine of its own that could not be made have it: the launch takes them up',
      wanted: [db('web-0', 'new-db')],
      seen: [
        standing('web-0', 'i-1', 'old-db'),
        standing('web-0', 'vm', 'new-db', { condition: { state: 'ready', missing: ['machine'] } }),
      ],
      want: ['replace instance/web-0'],
    },
  ];
  for (const { name, wanted, seen, isApproved, want: wish } of rows)
    test(name, () => assert.deepEqual(summary(planned(wanted, seen, isApproved)), wish));

  test('the finding has both machines and the ways out', () => {
    const seen = [standing('web-0', 'i-1', 'old-db'), standing(undefined, 'i-9', 'new-db')];
    const [finding] = planned([db('web-0', 'new-db')], seen).findings;
    assert.equal(
      finding?.why,
      'machine.image, name would need a new machine by the name "new-db", and i-9 has this name: it is unmanaged. Setpoint deletes i-1 only once the name is free: delete or rename i-9. Keep the current value: write `names: { prod: old-db }` in specs/a.yaml:1.',
    );
  });
});

const parts = see('instance', 'vm', attributes(), {
  name: 'old-db',
  signs: { mark: mark(at('instance', 'web-0')), slot: slot('old-db') },
  condition: { state: 'ready', missing: ['machine'] },
});
const other = (name: string): Observed => see('instance', 'i-9', attributes(), { name, signs: { slot: slot(name) } });
const adopted = { claim: { adopt: 'i-77' } };
const unlaunchable = { unlaunchable: 'the document needs an image' };
const ended = (as: Ended['as'], address = 'web-0'): Knowledge['ended'] =>
  new Map([['i-77', { as, kind: 'instance', address: at('instance', address), at: 0 }]]);
const applied = new Map([[at('instance', 'web-0'), { attributes: attributes(), generation: 1 }]]);
const remainders: readonly {
  readonly name: string;
  readonly terms?: Partial<Terms>;
  readonly known?: Partial<Knowledge>;
  readonly seen?: readonly Observed[];
  readonly want: readonly string[];
}[] = [
  { name: 'its launch failed', want: ['create instance/web-0'] },
  {
    name: 'a machine of nobody has the name by now',
    seen: [other('old-db'), parts],
    want: ['blocked instance/web-0: name-taken', 'unmanaged i-9'],
  },
  {
    name: 'a colleague deleted the adopted machine',
    terms: adopted,
    known: { applied },
    want: ['blocked instance/web-0: adopt-missing', 'copied-mark vm'],
  },
  {
    name: 'the same, and the store noted it',
    terms: adopted,
    known: { applied, ended: ended('gone') },
    want: ['blocked instance/web-0: adopt-missing', 'copied-mark vm'],
  },
  {
    name: 'the same, by a document that can launch none',
    terms: { ...adopted, ...unlaunchable },
    known: { applied },
    want: ['blocked instance/web-0: adopt-missing', 'copied-mark vm'],
  },
  {
    name: 'the same, and the document names the parts',
    terms: { claim: { adopt: 'vm' } },
    known: { applied },
    want: ['blocked instance/web-0: adopt-missing'],
  },
  {
    name: 'Setpoint deleted the adopted machine to replace it, and the launch failed',
    terms: adopted,
    known: { applied, ended: ended('deleted') },
    want: ['create instance/web-0'],
  },
  {
    name: 'the same, by a document that can launch none any more',
    terms: { ...adopted, ...unlaunchable },
    known: { applied, ended: ended('deleted') },
    want: ['blocked instance/web-0: immutable'],
  },
  {
    name: 'Setpoint deleted it because its document was removed, and the document is back',
    terms: adopted,
    known: { ended: ended('deleted') },
    want: ['blocked instance/web-0: adopt-missing', 'copied-mark vm'],
  },
  {
    name: 'Setpoint deleted it at another address',
    terms: adopted,
    known: {
      applied: new Map([...applied, [at('instance', 'db-0'), { attributes: attributes(), generation: 1 }]]),
      ended: ended('deleted', 'db-0'),
    },
    want: ['blocked instance/web-0: adopt-missing', 'copied-mark vm'],
  },
  {
    name: 'Setpoint deleted the successor of the adopted machine to replace it once more',
    terms: { claim: { adopt: 'i-1' } },
    known: { applied, ended: ended('deleted') },
    want: ['create instance/web-0'],
  },
  {
    name: 'the same, and the document adopts another machine by now',
    terms: { claim: { adopt: 'i-9' } },
    known: { applied, ended: ended('deleted') },
    seen: [other('db')],
    want: ['blocked instance/web-0: immutable'],
  },
  {
    name: 'there is no store, and a colleague deleted the adopted machine',
    terms: adopted,
    known: { store: undefined },
    want: ['blocked instance/web-0: adopt-missing'],
  },
  {
    name: 'they are of the usual name, and the document states one since',
    seen: [{ ...parts, name: 'web-0', signs: { ...parts.signs, slot: slot('web-0') } }],
    want: ['create instance/web-0', 'delete instance/web-0 (withdrawn)'],
  },
  {
    name: 'the same, and the document adopts the machine that they outlived',
    terms: adopted,
    seen: [{ ...parts, name: 'web-0', signs: { ...parts.signs, slot: slot('web-0') } }],
    want: ['blocked instance/web-0: adopt-missing', 'copied-mark vm'],
  },
  {
    name: 'they are of a name that no document states any more',
    seen: [{ ...parts, name: 'older', signs: { ...parts.signs, slot: slot('older') } }],
    want: ['create instance/web-0', 'copied-mark vm'],
  },
  {
    name: 'the document adopts another machine by now',
    terms: { claim: { adopt: 'i-9' } },
    seen: [parts, see('instance', 'i-9', attributes(), { name: 'old-db' })],
    want: ['adopt instance/web-0', 'copied-mark vm'],
  },
];

describe('parts of a machine stand at the stated name, and their machine does not', () => {
  for (const { name, terms = {}, known = {}, seen = [parts], want: wish } of remainders)
    test(name, () => {
      const given = input([machine('old-db', terms)], looked(seen), { knowledge: know([], known) });
      assert.deepEqual(summary(plan(given)), wish);
    });
});

describe('a name that a document states, where a label bears it', () => {
  const onAws = (desired: Desired, observed: Observed, before: Labels | undefined, adopted = false) => {
    const applied =
      before === undefined
        ? new Map()
        : new Map([[desired.address, { attributes: attributes(before), generation: 1 }]]);
    const settled = new Map([['i-1', settle('instance', desired.address, adopted ? { adopted: true } : {})]]);
    const knowledge = know([observed], { applied, settled });
    return plan({ ...input([desired], looked([observed]), { knowledge }), dialect: aws }).actions.map((action) => [
      action.verb,
      action.cause,
      ...(action.verb === 'update' ? action.changes.map(({ field, to }) => `${field} ${String(to)}`) : []),
    ]);
  };
  const named = (name: string): Desired => {
    const desired = machine(undefined);
    return { ...desired, name, attributes: attributes({ Name: name }) };
  };
  const rows: readonly {
    readonly name: string;
    readonly desired: Desired;
    readonly label: string;
    readonly before?: Labels;
    readonly adopted?: boolean;
    readonly want: readonly (readonly string[])[];
  }[] = [
    { name: 'the machine bears it', desired: named('db'), label: 'db', before: { Name: 'db' }, want: [] },
    {
      name: 'a spec states it newly',
      desired: named('db'),
      label: 'web-0',
      before: {},
      want: [['update', 'rollout', 'labels.Name db']],
    },
    {
      name: 'a spec states it newly, of an adopted machine',
      desired: named('db'),
      label: 'old',
      before: {},
      adopted: true,
      want: [['update', 'rollout', 'labels.Name db']],
    },
    {
      name: 'a colleague changed it',
      desired: named('db'),
      label: 'mine',
      before: { Name: 'db' },
      want: [['update', 'drift', 'labels.Name db']],
    },
    {
      name: 'a spec states it no more',
      desired: machine(undefined),
      label: 'db',
      before: { Name: 'db' },
      want: [['update', 'rollout', 'labels.Name web-0']],
    },
    {
      name: 'a spec states it no more, of an adopted machine',
      desired: machine(undefined),
      label: 'db',
      before: { Name: 'db' },
      adopted: true,
      want: [],
    },
  ];
  for (const { name, desired, label, before, adopted, want: wish } of rows)
    test(name, () => assert.deepEqual(onAws(desired, called(label, { Name: label }), before, adopted), wish));
});
