import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import type { Mode } from '../../../src/core/desired.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import type { Allowed } from '../../../src/core/plan/plan-input.ts';
import {
  documentsOf,
  heedingPolicy,
  modePolicy,
  protectorsOf,
  protectPolicy,
  storeOnlyPolicy,
} from '../../../src/core/plan/policies.ts';
import { allow, at, input, looked, see, settle, vpc, want } from './fixture.ts';

const wanted = (mode: Mode, protect: boolean) => want('network', 'core', vpc(), { mode, protect });
const seen = see('network', 'vpc-1', vpc());

/** One of each verb, of a document with this mode and protection. */
function actionsOf(mode: Mode, protect: boolean): readonly Action[] {
  const desired = wanted(mode, protect);
  const { kind, address, documents } = desired;
  const about = { kind, address, documents, cause: 'drift' } as const;
  return [
    { ...about, verb: 'create', desired, because: 'absent' },
    { ...about, verb: 'update', desired, observed: seen, changes: [], effect: 'in-place' },
    { ...about, verb: 'replace', desired, observed: seen, changes: [] },
    { ...about, verb: 'adopt', desired, observed: seen, changes: [] },
    { ...about, verb: 'delete', observed: seen, because: 'removed' },
    { ...about, verb: 'delete', observed: seen, because: 'twin' },
    { ...about, verb: 'delete', observed: seen, because: 'again' },
    { ...about, verb: 'forget', id: 'vpc-1', because: 'gone' },
  ];
}

const named = (action: Action): string => (action.verb === 'delete' ? `delete (${action.because})` : action.verb);
const all = actionsOf('plan', false).map(named);
const modes: readonly Mode[] = ['observe', 'plan', 'enforce'];
const flags = [false, true];

/** The names of the actions that the policy withholds, and what it says. */
function held(actions: readonly Action[], policy: (action: Action) => object | undefined) {
  const told = actions.flatMap((action) => {
    const why = policy(action);
    return why === undefined ? [] : [[named(action), why] as const];
  });
  return { which: told.map(([name]) => name), whys: [...new Set(told.map(([, why]) => JSON.stringify(why)))] };
}

const documentsWith = (mode: Mode, protect: boolean) =>
  new Map<string, Allowed>([[at('network', 'core'), { mode, protect, targets: ['prod'] }]]);
const given = (mode: Mode, protect: boolean) => {
  const it = input([wanted(mode, protect)], looked([seen]));
  return { ...it, wanted: { ...it.wanted, documents: documentsWith(mode, protect) } };
};
const without = (...names: readonly string[]) => all.filter((name) => !names.includes(name));

const circumstances = modes.flatMap((mode) =>
  flags.flatMap((unattended) =>
    flags.flatMap((approves) => [undefined, ...modes].map((before) => ({ mode, unattended, approves, before }))),
  ),
);

describe('the mode', () => {
  const observe = '{"code":"mode","why":"its mode is observe: read only."}';
  const plan = '{"code":"mode","why":"its mode is plan: a person applies it, or approves it with: setpoint approve"}';
  const was =
    '{"code":"mode","why":"its mode was plan in the generation before, and that it is looser counts from the next one on: a person applies it, or approves it with: setpoint approve"}';
  for (const { mode, unattended, approves, before } of circumstances)
    it(`${mode}, nobody there: ${unattended}, approved: ${approves}, before: ${before}`, () => {
      const choices = { unattended, approved: () => approves, modesBefore: () => before };
      const found = held(actionsOf(mode, false), modePolicy({ wanted: given(mode, false).wanted, choices }));
      const lets = !unattended || approves || (mode === 'enforce' && before !== 'plan');
      const waits = { which: without('forget', 'delete (again)'), whys: [mode === 'plan' ? plan : was] };
      const reads = { which: without('forget'), whys: [observe] };
      const acts = lets ? { which: [], whys: [] } : waits;
      assert.deepEqual(found, mode === 'observe' ? reads : acts);
    });
  it('without choices a person is there', () =>
    assert.deepEqual(held(actionsOf('plan', false), modePolicy({ wanted: given('plan', false).wanted })).which, []));
  it('of what no document speaks of any more, the scope’s counts; of several, the strictest', () => {
    const { wanted: one } = given('enforce', false);
    const removal = actionsOf('enforce', false).filter(({ verb }) => verb === 'delete');
    const policyWith = (documents: ReadonlyMap<string, Allowed>, mode: Mode) =>
      held(removal, modePolicy({ wanted: { ...one, documents, mode }, choices: { unattended: true } })).which;
    assert.deepEqual(policyWith(new Map(), 'enforce'), []);
    assert.deepEqual(policyWith(new Map(), 'plan'), ['delete (removed)', 'delete (twin)']);
    assert.deepEqual(policyWith(documentsWith('enforce', false), 'plan'), []);
    const two = removal.map((action) => ({
      ...action,
      documents: ['a', 'b'].map((address) => ({ address, file: 'f', line: 1 })),
    }));
    const mixed = new Map<string, Allowed>([
      ['a', { mode: 'enforce', protect: false, targets: [] }],
      ['b', { mode: 'plan', protect: false, targets: [] }],
    ]);
    const policy = modePolicy({ wanted: { ...one, documents: mixed, mode: 'enforce' }, choices: { unattended: true } });
    assert.deepEqual(held(two, policy).which, ['delete (removed)', 'delete (twin)']);
  });
});

describe('what the newest generation says of what a former one wants', () => {
  for (const mode of modes)
    for (const protect of flags)
      it(`${mode}${protect ? ', protected' : ''}`, () => {
        const found = held(actionsOf('enforce', false), heedingPolicy(given(mode, protect).wanted));
        if (mode !== 'enforce') {
          assert.deepEqual(found.which, without('forget'));
          assert.deepEqual(found.whys, [`{"code":"mode","why":"its mode is ${mode} in the newest generation."}`]);
          return;
        }
        const destroying = ['replace', 'delete (removed)', 'delete (twin)', 'delete (again)'];
        assert.deepEqual(found.which, protect ? destroying : []);
        assert.deepEqual(
          found.whys,
          protect ? ['{"code":"protect","why":"it is protected in the newest generation."}'] : [],
        );
      });
});

describe('protect', () => {
  const know = (protect: boolean, storeOnly = false): Pick<Knowledge, 'settled'> => ({
    settled: new Map([['vpc-1', settle('network', at('network', 'core'), { protect, storeOnly })]]),
  });
  for (const stated of flags)
    for (const kept of flags)
      it(`said by the document: ${stated}; kept in the store: ${kept}`, () => {
        const it = given('enforce', stated);
        const policy = protectPolicy({ ...it, knowledge: { ...it.knowledge, ...know(kept) } });
        const found = held(actionsOf('enforce', stated), policy);
        assert.deepEqual(found.which, stated || kept ? ['replace', 'delete (removed)'] : []);
        const why = (verb: string) =>
          `{"code":"protect","why":"protected: no plan may ${verb} it. Set protect: false, apply that, then try again."}`;
        assert.deepEqual(found.whys, stated || kept ? [why('replace'), why('delete')] : []);
      });
  it('a replacement heeds the new word, a removal the document’s', () => {
    const it = given('enforce', true);
    assert.deepEqual(held(actionsOf('enforce', false), protectPolicy(it)).which, ['delete (removed)']);
  });
  it('what the store does not know is kept by nothing', () => {
    const it = given('enforce', false);
    const unknown = { ...it, knowledge: { ...it.knowledge, settled: new Map() } };
    assert.deepEqual(held(actionsOf('enforce', false), protectPolicy(unknown)).which, []);
    assert.deepEqual(held(actionsOf('enforce', false), storeOnlyPolicy(unknown)).which, []);
  });
  it('what was adopted in the store only is neither replaced nor deleted', () => {
    for (const storeOnly of flags) {
      const it = given('enforce', false);
      const policy = storeOnlyPolicy({ ...it, knowledge: { ...it.knowledge, ...know(false, storeOnly) } });
      const found = held(actionsOf('enforce', false), policy);
      const all = ['replace', 'delete (removed)', 'delete (twin)', 'delete (again)'];
      assert.deepEqual(found.which, storeOnly ? all : []);
      const why =
        '{"code":"adopted-in-store-only","why":"it was adopted, and bears no mark of ours: no plan deletes it. Delete it by hand, or let it go with: setpoint forget."}';
      assert.deepEqual(found.whys, storeOnly ? [why] : []);
    }
  });
});

describe('the documents that an action is about', () => {
  const removal = (observed: ReturnType<typeof see>, address: string, documents: readonly string[] = []): Action => ({
    kind: observed.kind,
    address,
    documents: documents.map((one) => ({ address: one, file: 'f', line: 1 })),
    cause: 'rollout',
    verb: 'delete',
    observed,
    because: 'removed',
  });
  const letGo: Action = {
    kind: 'network',
    address: 'a',
    documents: [],
    cause: 'drift',
    verb: 'forget',
    id: 'i',
    because: 'gone',
  };
  const rule = see('firewall-rule', 'sgr-1', allow('sg-1', '22', []));
  const machine = see('instance', 'i-1', {
    placement: { subnet: 's', publicIp: false },
    machine: { image: 'i', size: 's', power: 'running' },
    labels: {},
  });
  const rows: readonly (readonly [
    name: string,
    action: Action,
    about: readonly string[],
    protectors: readonly string[],
  ])[] = [
    ['those that it names', removal(seen, 'a', ['d', 'e']), ['d', 'e'], ['d', 'e']],
    [
      'a machine: its document',
      removal(machine, at('instance', 'web-3')),
      [at('instance', 'web')],
      [at('instance', 'web')],
    ],
    ['a network: itself', removal(seen, at('network', 'core')), [at('network', 'core')], [at('network', 'core')]],
    [
      'a rule: the network that it stands in, which does not protect it',
      removal(rule, 'r'),
      [at('network', 'core')],
      [],
    ],
    [
      'a rule of a document, which does',
      removal(rule, 'r', [at('network', 'core'), at('firewall-rule', 'web')]),
      [at('network', 'core'), at('firewall-rule', 'web')],
      [at('firewall-rule', 'web')],
    ],
    ['what is let go of: none', letGo, [], []],
  ];
  for (const [name, action, about, protectors] of rows)
    it(name, () => assert.deepEqual([documentsOf(action), protectorsOf(action)], [about, protectors]));
});
