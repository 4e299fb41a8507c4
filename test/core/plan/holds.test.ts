import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action, Cause } from '../../../src/core/action.ts';
import type { Mode } from '../../../src/core/desired.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { PauseDraft } from '../../../src/core/pause.ts';
import {
  documentsOf,
  heedingHold,
  modeHold,
  pauseHold,
  protectHold,
  protectorsOf,
  storeOnlyHold,
} from '../../../src/core/plan/holds.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Allowed, Hold, PlanInput, Wanted } from '../../../src/core/plan/plan-input.ts';
import {
  allow,
  appliedAs,
  at,
  dialect,
  input,
  know,
  looked,
  ours,
  see,
  settle,
  summary,
  vpc,
  want,
} from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

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

/** The names of the actions that the hold withholds, and its reason. */
function held(actions: readonly Action[], hold: (action: Action) => object | undefined) {
  const told = actions.flatMap((action) => {
    const why = hold(action);
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
  const plan =
    '{"code":"mode","why":"its mode is plan: a person applies it, or approves it with: setpoint approve --reason \\"…\\""}';
  const was =
    '{"code":"mode","why":"its mode was plan in the previous generation, and the looser mode counts from the next one: a person applies it, or approves it with: setpoint approve --reason \\"…\\""}';
  for (const { mode, unattended, approves, before } of circumstances)
    it(`${mode}, nobody there: ${unattended}, approved: ${approves}, before: ${before}`, () => {
      const choices = { unattended, approved: () => approves, modesBefore: () => before };
      const found = held(actionsOf(mode, false), modeHold({ wanted: given(mode, false).wanted, choices }));
      const lets = !unattended || approves || (mode === 'enforce' && before !== 'plan');
      const waits = { which: without('forget', 'delete (again)'), whys: [mode === 'plan' ? plan : was] };
      const reads = { which: without('forget'), whys: [observe] };
      const acts = lets ? { which: [], whys: [] } : waits;
      assert.deepEqual(found, mode === 'observe' ? reads : acts);
    });
  it('without choices a person is there', () =>
    assert.deepEqual(held(actionsOf('plan', false), modeHold({ wanted: given('plan', false).wanted })).which, []));
  it('of what no document speaks of any more, the scope’s counts; of several, the strictest', () => {
    const { wanted: one } = given('enforce', false);
    const removal = actionsOf('enforce', false).filter(({ verb }) => verb === 'delete');
    const heldWith = (documents: ReadonlyMap<string, Allowed>, mode: Mode) =>
      held(removal, modeHold({ wanted: { ...one, documents, mode }, choices: { unattended: true } })).which;
    assert.deepEqual(heldWith(new Map(), 'enforce'), []);
    assert.deepEqual(heldWith(new Map(), 'plan'), ['delete (removed)', 'delete (twin)']);
    assert.deepEqual(heldWith(documentsWith('enforce', false), 'plan'), []);
    const two = removal.map((action) => ({
      ...action,
      documents: ['a', 'b'].map((address) => ({ address, file: 'f', line: 1 })),
    }));
    const mixed = new Map<string, Allowed>([
      ['a', { mode: 'enforce', protect: false, targets: [] }],
      ['b', { mode: 'plan', protect: false, targets: [] }],
    ]);
    const hold = modeHold({ wanted: { ...one, documents: mixed, mode: 'enforce' }, choices: { unattended: true } });
    assert.deepEqual(held(two, hold).which, ['delete (removed)', 'delete (twin)']);
  });
});

describe('what the newest generation says of what a former one wants', () => {
  for (const mode of modes)
    for (const protect of flags)
      it(`${mode}${protect ? ', protected' : ''}`, () => {
        const found = held(actionsOf('enforce', false), heedingHold(given(mode, protect).wanted));
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
        const hold = protectHold({ ...it, knowledge: { ...it.knowledge, ...know(kept) } });
        const found = held(actionsOf('enforce', stated), hold);
        assert.deepEqual(found.which, stated || kept ? ['replace', 'delete (removed)'] : []);
        const why = (verb: string) =>
          `{"code":"protect","why":"protected: no plan may ${verb} it. Set protect: false, apply that, then try again."}`;
        assert.deepEqual(found.whys, stated || kept ? [why('replace'), why('delete')] : []);
      });
  it('a replacement heeds the new word, a removal the document’s', () => {
    const it = given('enforce', true);
    assert.deepEqual(held(actionsOf('enforce', false), protectHold(it)).which, ['delete (removed)']);
  });
  it('what the store does not know is kept by nothing', () => {
    const it = given('enforce', false);
    const unknown = { ...it, knowledge: { ...it.knowledge, settled: new Map() } };
    assert.deepEqual(held(actionsOf('enforce', false), protectHold(unknown)).which, []);
    assert.deepEqual(held(actionsOf('enforce', false), storeOnlyHold(unknown)).which, []);
  });
  it('a default group is never deleted, whatever its deletion policy; its network, and a group of the same name, may be', () => {
    const it = given('enforce', false);
    const born = { origin: { why: 'provider-default', detail: 'default security group of vpc-1' } } as const;
    const deletion = (observed: Observed, address: string): Action => ({
      ...{ kind: observed.kind, address, documents: [], cause: 'rollout' },
      ...{ verb: 'delete', observed, because: 'removed' },
    });
    const group = { network: at('network', 'core'), labels: {} };
    const withheld = held(
      [
        deletion(see('group', 'sg-1', group, { signs: born }), at('group', 'core.web')),
        deletion(see('group', 'sg-2', group, { name: 'default' }), at('group', 'core.db')),
        deletion(see('network', 'vpc-1', vpc(), { signs: born }), at('network', 'core')),
      ],
      (action) => (protectHold(it)(action) === undefined ? undefined : { address: action.address }),
    );
    assert.deepEqual(withheld.whys, [JSON.stringify({ address: at('group', 'core.web') })]);
  });
  it('what was adopted in the store only is neither replaced nor deleted', () => {
    for (const storeOnly of flags) {
      const it = given('enforce', false);
      const hold = storeOnlyHold({ ...it, knowledge: { ...it.knowledge, ...know(false, storeOnly) } });
      const found = held(actionsOf('enforce', false), hold);
      const all = ['replace', 'delete (removed)', 'delete (twin)', 'delete (again)'];
      assert.deepEqual(found.which, storeOnly ? all : []);
      const why =
        '{"code":"adopted-in-store-only","why":"it was adopted without a mark: no plan deletes it. Delete it by hand, or release it with: setpoint forget."}';
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
      'a group: its network, and the document that it may have had',
      removal(see('group', 'sg-1', { network: at('network', 'core'), labels: {} }), at('group', 'core.web')),
      [at('network', 'core'), at('group', 'core.web')],
      [at('network', 'core'), at('group', 'core.web')],
    ],
    [
      'a group whose document went: its network, and that document',
      removal(see('group', 'sg-1', { network: at('network', 'core'), labels: {} }), at('group', 'core.web'), ['n']),
      ['n', at('group', 'core.web')],
      ['n', at('group', 'core.web')],
    ],
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

const until = Date.parse('2027-01-31T17:30:00Z');
const pause = (of: PauseDraft['of'], what: PauseDraft['what'] = 'all', more: Partial<PauseDraft> = {}): PauseDraft => ({
  what,
  of,
  reason: 'change freeze',
  person: 'ann',
  until,
  ...more,
});

/** The network `core` of team-net for the target prod, and `lab` of nobody for the target lab: both labels to be changed. */
const core = want('network', 'core', vpc('10.0.0.0/16', { tier: 'new' }));
const lab = want('network', 'lab', vpc('10.1.0.0/16', { tier: 'new' }));
const pauseSeen = [
  ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { tier: 'old' })),
  ours('network', 'lab', 'vpc-2', vpc('10.1.0.0/16', { tier: 'old' })),
  ours('network', 'gone', 'vpc-3', vpc()),
];
const pauseWanted: Wanted = {
  ...input([core, lab], looked(pauseSeen)).wanted,
  documents: new Map([
    [core.address, { mode: 'plan', protect: false, owner: 'team-net', targets: ['prod'] }],
    [lab.address, { mode: 'plan', protect: false, targets: ['lab'] }],
  ]),
  targets: ['prod', 'lab'],
};
/** The document of `gone` is removed, and its resources go with it. */
const settled = new Map([
  ...know(pauseSeen).settled,
  ['vpc-3', settle('network', at('network', 'gone'), { deletionPolicy: 'delete' })] as const,
]);
/** `drift`: the desired specs were applied already; `rollout`: they were not; `unknown`: there is no store. */
const pauseGiven = (cause: Cause): PlanInput => {
  const applied = new Map(
    cause === 'drift' ? [core, lab].map((one) => [one.address, { attributes: one.attributes, generation: 1 }]) : [],
  );
  const { store, ...storeless } = know(pauseSeen, { settled, applied });
  const knowledge = cause === 'unknown' ? storeless : { ...storeless, store: store ?? '' };
  return { ...input([core, lab], looked(pauseSeen), { knowledge }), wanted: pauseWanted };
};
const planned = (pauses: readonly PauseDraft[], cause: Cause): readonly string[] =>
  summary(plan({ ...pauseGiven(cause), choices: { holds: [pauseHold(pauses, pauseWanted)] } }));

const [coreHeld, labHeld, goneHeld] = ['core', 'lab', 'gone'].map((name) => `withheld network/${name}: paused`);
const [coreGoes, labGoes, goneGoes] = ['update network/core', 'update network/lab', 'delete network/gone (removed)'];

const rows: readonly { name: string; pauses: readonly PauseDraft[]; cause?: Cause; want: readonly unknown[] }[] = [
  { name: 'nothing is paused: all goes on', pauses: [], want: [coreGoes, labGoes, goneGoes] },
  {
    name: 'the estate is paused: nothing moves, what is removed included',
    pauses: [pause({ by: 'estate' })],
    want: [coreHeld, goneHeld, labHeld],
  },
  {
    name: 'rollout is paused: drift is healed, what a spec changed waits',
    pauses: [pause({ by: 'estate' }, 'rollout')],
    cause: 'drift',
    want: [coreGoes, labGoes, goneHeld],
  },
  {
    name: 'healing is paused: drift stays, what a spec changed goes on',
    pauses: [pause({ by: 'estate' }, 'healing')],
    cause: 'drift',
    want: [goneGoes, coreHeld, labHeld],
  },
  {
    name: 'healing is paused and nothing is drift: all goes on',
    pauses: [pause({ by: 'estate' }, 'healing')],
    want: [coreGoes, labGoes, goneGoes],
  },
  {
    name: 'without a store nobody knows the cause: it is held as a rollout',
    pauses: [pause({ by: 'estate' }, 'rollout')],
    cause: 'unknown',
    want: [coreHeld, goneHeld, labHeld],
  },
  {
    name: 'an address is paused: that one waits, the rest goes on',
    pauses: [pause({ by: 'address', name: core.address })],
    want: [labGoes, goneGoes, coreHeld],
  },
  {
    name: 'an owner is paused: the documents of that owner wait, those of nobody and of no document go on',
    pauses: [pause({ by: 'owner', name: 'team-net' })],
    want: [labGoes, goneGoes, coreHeld],
  },
  {
    name: 'a target is paused: its documents wait, and what no document speaks of any more',
    pauses: [pause({ by: 'target', name: 'lab' })],
    want: [coreGoes, goneHeld, labHeld],
  },
  {
    name: 'a target of another scope is paused: all goes on',
    pauses: [pause({ by: 'target', name: 'elsewhere' })],
    want: [coreGoes, labGoes, goneGoes],
  },
  {
    name: 'two pauses hold what either of them holds',
    pauses: [pause({ by: 'address', name: core.address }), pause({ by: 'target', name: 'lab' }, 'rollout')],
    want: [coreHeld, goneHeld, labHeld],
  },
];

describe('pause', () => {
  for (const { name, pauses, cause = 'rollout', want: expected } of rows)
    it(name, () => assert.deepEqual(planned(pauses, cause), expected));

  it('of an owner holds what was theirs, by the generation before and by the store', () => {
    const pauses = [pause({ by: 'owner', name: 'team-old' })];
    const told = (hold: Hold, owners: readonly string[]) => {
      const kept = settle('network', at('network', 'gone'), { deletionPolicy: 'delete', owners });
      const knowledge = { ...know(pauseSeen), settled: new Map([...settled, ['vpc-3', kept]]) };
      const held = plan({ ...pauseGiven('rollout'), knowledge, choices: { holds: [hold] } });
      return summary(held).filter((line) => line.includes('gone'));
    };
    const before = { [at('network', 'gone')]: 'team-old', [core.address]: 'team-old' };
    assert.deepEqual(told(pauseHold(pauses, pauseWanted), ['team-net']), [goneGoes]);
    assert.deepEqual(told(pauseHold(pauses, pauseWanted), ['team-net', 'team-old']), [goneHeld]);
    assert.deepEqual(told(pauseHold(pauses, pauseWanted, before), []), [goneHeld]);
    const all = summary(
      plan({ ...pauseGiven('rollout'), choices: { holds: [pauseHold(pauses, pauseWanted, before)] } }),
    );
    assert.ok(all.includes(coreGoes ?? ''), 'what it stands for now is by its document');
  });

  it('of a document holds what its document makes, the replicas that are too many included', () => {
    const machine = { placement: { subnet: 's', publicIp: false }, labels: {} } as const;
    const small = { ...machine, machine: { image: 'a', size: 's', power: 'running' } } as const;
    const large = { ...machine, machine: { image: 'b', size: 's', power: 'running' } } as const;
    const web = want('instance', 'web-0', large);
    const standing = [ours('instance', 'web-0', 'i-0', small), ours('instance', 'web-1', 'i-1', small)];
    const applied = appliedAs(standing, [want('instance', 'web-0', small)]);
    const base = input([web], looked(standing), { knowledge: applied });
    const held = pauseHold([pause({ by: 'address', name: at('instance', 'web') })], base.wanted);
    assert.deepEqual(
      summary(plan({ ...base, choices: { holds: [held] } })).filter((line) => line.includes('paused')),
      ['withheld instance/web-0: paused', 'withheld instance/web-1: paused'],
    );
  });

  it('does not keep the store from forgetting what is gone', () => {
    const knowledge = know([], { settled: new Map([['vpc-9', settle('network', at('network', 'x'))]]) });
    const base = input([], looked([see('network', 'vpc-8', vpc())]), { knowledge });
    const held = pauseHold([pause({ by: 'estate' })], base.wanted);
    assert.deepEqual(summary(plan({ ...base, choices: { holds: [held] } })), [
      'forget network/x (gone)',
      'unmanaged vpc-8',
    ]);
  });

  it('says who, why and until when: of several, by the one that ends last', () => {
    const longer = pause({ by: 'owner', name: 'team-net' }, 'rollout', { until: until + 3_600_000, person: 'bob' });
    const made = plan({
      ...pauseGiven('rollout'),
      choices: { holds: [pauseHold([pause({ by: 'estate' }), longer], pauseWanted)] },
    });
    assert.deepEqual(
      made.findings.map(({ why }) => why),
      [
        'rollout paused for owner team-net by bob until 2027-01-31 18:30 UTC: change freeze. It resumes then. To resume earlier, run the line that setpoint status prints.',
        'paused for the estate by ann until 2027-01-31 17:30 UTC: change freeze. It resumes then. To resume earlier, run the line that setpoint status prints.',
        'paused for the estate by ann until 2027-01-31 17:30 UTC: change freeze. It resumes then. To resume earlier, run the line that setpoint status prints.',
      ],
    );
  });
});

const net = want('network', 'core', vpc());
const group = want('group', 'core.web', { network: net.address, labels: {} });
const standing = [
  ours('network', 'core', 'vpc-1', vpc()),
  ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} }),
];
const office = '10.0.0.0/8';
const rule = (ports: string, peer = office) =>
  want('firewall-rule', `core.web ingress tcp ${ports} ${peer}`, allow(group.address, ports, [peer]));
const atom = (ports: string, peer = office) =>
  see(
    'firewall-rule',
    `sgr-${ports}-${peer}`,
    { ...allow('sg-1', ports, [peer]), network: 'vpc-1' },
    { signs: { container: 'sg-1' } },
  );

/** A cloud with groups that hold three rules in each direction and family. */
const small = {
  ...dialect,
  rules: {
    ...dialect.rules,
    room: { most: 3, apart: ['direction', 'family'], quota: 'rules per group', container: 'a group' },
  },
} as const;

const ruleQuotaGiven = (
  wanted: readonly ReturnType<typeof rule>[],
  seen: readonly ReturnType<typeof atom>[],
  rulesPerContainer?: number,
): PlanInput => {
  const made = input([net, group, ...wanted], looked([...standing, ...seen]), { knowledge: know(standing) });
  const wantedThere = { ...made.wanted, ...(rulesPerContainer === undefined ? {} : { rulesPerContainer }) };
  return { ...made, dialect: small, wanted: wantedThere };
};
const name = (ports: string, peer = office): string => `firewall-rule/core.web ingress tcp ${ports} ${peer}`;

const cases: readonly Case[] = [
  {
    name: 'a group with room for all: they are made',
    given: ruleQuotaGiven([rule('1'), rule('2'), rule('3')], [atom('1')]),
    want: [`create ${name('2')}`, `create ${name('3')}`],
  },
  {
    name: 'a group without room for all: none is sent, and what would make room at once is closed',
    given: ruleQuotaGiven([rule('1'), rule('2'), rule('3')], [atom('1'), atom('7')]),
    want: [`delete ${name('7')} (rogue)`, `withheld ${name('2')}: quota`, `withheld ${name('3')}: quota`],
  },
  {
    name: 'the old stays where it carries what there is no room for',
    given: ruleQuotaGiven([rule('1'), rule('2'), rule('3')], [atom('1'), atom('2-9')]),
    want: [`withheld ${name('2')}: quota`, `withheld ${name('2-9')}: depends`, `withheld ${name('3')}: quota`],
  },
  {
    name: 'the families have room of their own',
    given: ruleQuotaGiven([rule('1', '::/0'), rule('2')], [atom('2'), atom('7'), atom('8')]),
    want: [`create ${name('1', '::/0')}`, `delete ${name('7')} (rogue)`, `delete ${name('8')} (rogue)`],
  },
  {
    name: 'the quota that a target states counts',
    given: ruleQuotaGiven([rule('1'), rule('2'), rule('3'), rule('4')], [], 4),
    want: ['1', '2', '3', '4'].map((ports) => `create ${name(ports)}`),
  },
  {
    name: 'a group that holds more than it should: its quota was raised, and only the cloud knows',
    given: ruleQuotaGiven(
      [rule('1'), rule('2'), rule('3'), rule('4'), rule('5')],
      ['1', '2', '3', '4'].map((ports) => atom(ports)),
    ),
    want: [`create ${name('5')}`],
  },
];

runCases(cases, 'rule-quota');
