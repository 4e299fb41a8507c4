import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { type Cidr, overlapsCidr, parseCidr } from '../../../src/core/cidr.ts';
import type { Desired } from '../../../src/core/desired.ts';
import { pauseHold } from '../../../src/core/plan/holds.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Allowed, PlanInput, Wanted } from '../../../src/core/plan/plan-input.ts';
import type { Rollout } from '../../../src/core/rollout.ts';
import { allow, at, input, know, looked, ours, settle, summary, vpc, want } from './fixture.ts';
import { emptyScope, holding, lastOf, machines, planned, planOf, rollOn, standing, told, web } from './rollouts.ts';

type Given = Parameters<typeof planned>[0];
const rows: readonly { name: string; given: Given; want: readonly string[] }[] = [
  {
    name: 'twenty are asked for anew: one goes first, and the others wait for it',
    given: { replicas: 20, there: standing(0, 19, 'old') },
    want: ['replace web-0', '19 wave: wave 1 of 3: 0 of 20 done; waits for web-0'],
  },
  {
    name: 'none is there yet: one is made first',
    given: { replicas: 20, there: [] },
    want: ['create web-0', '19 wave: wave 1 of 3: 0 of 20 done; waits for web-0'],
  },
  {
    name: 'the first is still starting: nobody goes on',
    given: { replicas: 20, there: [...standing(0, 0, 'new', { state: 'pending' }), ...standing(1, 19, 'old')] },
    want: ['19 wave: wave 1 of 3: 1 of 20 done; waits for web-0 to be running'],
  },
  {
    name: 'the first runs: a tenth goes next, by ordinal and not by text',
    given: { replicas: 20, there: [...standing(0, 0, 'new'), ...standing(1, 19, 'old')] },
    want: ['replace web-1', 'replace web-2', '17 wave: wave 2 of 3: 1 of 20 done; waits for web-1 and 1 more'],
  },
  {
    name: 'a wave that is half done goes on, though its first machine is still starting',
    given: {
      replicas: 20,
      there: [...standing(0, 0, 'new'), ...standing(1, 1, 'new', { state: 'pending' }), ...standing(2, 19, 'old')],
    },
    want: ['replace web-2', '17 wave: wave 2 of 3: 2 of 20 done; waits for web-2'],
  },
  {
    name: 'the second wave is done and one of it still starts: the third waits',
    given: {
      replicas: 20,
      there: [...standing(0, 0, 'new', { state: 'pending' }), ...standing(1, 2, 'new'), ...standing(3, 19, 'old')],
    },
    want: ['17 wave: wave 2 of 3: 3 of 20 done; waits for web-0 to be running'],
  },
  {
    name: 'several still start: the first is named, and how many more',
    given: {
      replicas: 20,
      there: [...standing(0, 0, 'new'), ...standing(1, 2, 'new', { state: 'pending' }), ...standing(3, 19, 'old')],
    },
    want: ['17 wave: wave 2 of 3: 3 of 20 done; waits for web-1 to be running and 1 more'],
  },
  {
    name: 'all earlier waves run: the rest goes at once',
    given: { replicas: 5, there: [...standing(0, 1, 'new'), ...standing(2, 4, 'old')], rollout: [1, 1, 'rest'] },
    want: ['replace web-2', 'replace web-3', 'replace web-4'],
  },
  {
    name: 'all is done: nothing is said',
    given: { replicas: 3, there: standing(0, 2, 'new') },
    want: [],
  },
  {
    name: 'what stood as wanted before counts as done: more of the same go at once',
    given: { replicas: 20, there: standing(0, 16, 'new') },
    want: ['create web-17', 'create web-18', 'create web-19'],
  },
  {
    name: 'more machines and another image: a new one is the first to have it',
    given: { replicas: 4, there: standing(0, 1, 'old'), rollout: [1, 1, 'rest'] },
    want: ['create web-2', '3 wave: wave 1 of 3: 0 of 4 done; waits for web-2'],
  },
  {
    name: 'fewer replicas: those that go count too, and go last, from the highest',
    given: { replicas: 1, there: [...standing(0, 0, 'new'), ...standing(1, 11, 'new')], rollout: [1, 2, 'rest'] },
    want: ['delete web-10', 'delete web-11', '9 wave: wave 2 of 3: 1 of 12 done; waits for web-11 and 1 more'],
  },
  {
    name: 'fewer replicas and another image: nothing goes before what stays is done',
    given: { replicas: 2, there: standing(0, 3, 'old'), rollout: [1, 1, 'rest'] },
    want: ['replace web-0', '3 wave: wave 1 of 3: 0 of 4 done; waits for web-0'],
  },
  {
    name: 'drift is healed whatever the wave, and the next wave waits for that',
    given: {
      replicas: 20,
      there: [...standing(0, 0, 'new', { relabelled: true }), ...standing(1, 19, 'old')],
    },
    want: ['update web-0', '19 wave: wave 1 of 3: 1 of 20 done; waits for web-0 (drifted)'],
  },
  {
    name: 'one that was done and is gone comes back whatever the wave',
    given: {
      replicas: 20,
      there: [...standing(1, 2, 'new'), ...standing(3, 19, 'old')],
      lost: standing(0, 0, 'new'),
    },
    want: ['create web-0', '17 wave: wave 2 of 3: 3 of 20 done; waits for web-0 (drifted)'],
  },
  {
    name: 'one that is gone, and is asked for otherwise by now, is new, and so of the first wave',
    given: { replicas: 20, there: standing(0, 18, 'old'), lost: standing(19, 19, 'old'), rollout: [2, 'rest'] },
    want: ['replace web-0', 'create web-19', '18 wave: wave 1 of 2: 0 of 20 done; waits for web-19 and 1 more'],
  },
  {
    name: 'a rollout that stopped: nothing of it passes, and it is said where it stands and how to go on or back',
    given: {
      replicas: 20,
      there: [...standing(0, 0, 'new'), ...standing(1, 19, 'old')],
      choices: { stopped: [{ document: web, why: 'replace instance web-1 failed: no such image.' }] },
    },
    want: [
      `19 rollout-stopped: stopped in wave 2 of 3: 1 of 20 done. replace instance web-1 failed: no such image. To resume: setpoint resume --rollout-of ${web} --reason "…"; to go back: commit the former spec.`,
    ],
  },
  {
    name: 'drift is healed in a rollout that stopped',
    given: {
      replicas: 2,
      there: [...standing(0, 0, 'new', { relabelled: true }), ...standing(1, 1, 'old')],
      choices: { stopped: [{ document: web, why: 'x' }] },
    },
    want: [
      'update web-0',
      `1 rollout-stopped: stopped in wave 1 of 2: 1 of 2 done. x. To resume: setpoint resume --rollout-of ${web} --reason "…"; to go back: commit the former spec.`,
    ],
  },
  {
    name: 'another rollout that stopped is none of its business',
    given: {
      replicas: 1,
      there: standing(0, 0, 'old'),
      choices: { stopped: [{ document: at('instance', 'db'), why: 'x' }] },
    },
    want: ['replace web-0'],
  },
  {
    name: 'a document that says `then: [rest]` has no waves',
    given: { replicas: 3, there: [], rollout: ['rest'], choices: { stopped: [{ document: web, why: 'x' }] } },
    want: ['create web-0', 'create web-1', 'create web-2'],
  },
  {
    name: 'asked for at once: no waves',
    given: { replicas: 3, there: [], rollout: [1, 'rest'], choices: { atOnce: true } },
    want: ['create web-0', 'create web-1', 'create web-2'],
  },
];

describe('waves', () => {
  for (const { name, given, want } of rows) it(name, () => assert.deepEqual(planned(given), want));

  it('of which the first is held back by something else do not go on with the second', () => {
    const freeze = { reason: 'x', person: 'ann', until: 0 };
    const of = { by: 'address', name: at('instance', 'web-0') } as const;
    const holds = [pauseHold([{ what: 'all', of, ...freeze }], machines({ replicas: 0, there: [] }).wanted)];
    const got = planned({ replicas: 4, there: [], rollout: [1, 1, 'rest'], choices: { holds } });
    assert.deepEqual(got.at(-1), '3 wave: wave 1 of 3: 0 of 4 done; waits for web-0 (withheld)');
    assert.equal(got.length, 2);
  });
});

const net = want('network', 'core', vpc());
const subnet = (name: string): Desired => ({
  ...want('subnet', name, { network: net.address, cidr: '10.0.1.0/24', labels: {} }),
  documents: net.documents,
});
const rolledOut = (given: PlanInput, document: string, rollout: Rollout): PlanInput => ({
  ...given,
  wanted: {
    ...given.wanted,
    documents: new Map([
      ...given.wanted.documents,
      [document, { mode: 'plan', protect: false, targets: ['prod'], rollout }],
    ]),
  },
});

test('machines go by their ordinals, in whatever order they were read', () => {
  const given = machines({ replicas: 12, there: standing(0, 11, 'old'), rollout: [3, 'rest'] });
  const desired = given.wanted.desired.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  for (const order of [desired, desired.toReversed()]) {
    const { actions } = plan({ ...given, wanted: { ...given.wanted, desired: order } });
    assert.deepEqual(
      actions.map(({ address }) => lastOf(address)),
      ['web-0', 'web-1', 'web-2'],
    );
  }
});

test('a subnet that takes the block of another goes after it, though what is made goes first otherwise', () => {
  const seen = [
    ours('network', 'core', 'vpc-1', vpc()),
    ours('subnet', 'core.old', 'subnet-1', { network: 'vpc-1', cidr: '10.0.1.0/24', labels: {} }),
  ];
  const settled = new Map([
    ...know(seen).settled,
    ['subnet-1', settle('subnet', at('subnet', 'core.old'), { deletionPolicy: 'delete' })] as const,
  ]);
  const given = input([net, subnet('core.new')], looked(seen), { knowledge: know(seen, { settled }) });
  assert.deepEqual(summary(plan(rolledOut(given, net.address, [2, 'rest']))), [
    'delete subnet/core.old (removed)',
    'withheld subnet/core.new: wave',
  ]);
});

test('drift is healed though what comes before it waits for its wave', () => {
  const ground = [
    net,
    subnet('core.app'),
    ...['a', 'b'].map((name) => want('group', `core.${name}`, { network: net.address, labels: {} })),
  ];
  const box = (group: string): Desired =>
    want('instance', 'box-0', {
      placement: { subnet: at('subnet', 'core.app'), publicIp: false },
      groups: [at('group', group)],
      machine: { image: 'a', size: 's', power: 'running' },
      labels: {},
    });
  const rules = ['1', '2'].map(
    (port): Desired => ({
      ...want(
        'firewall-rule',
        `core.a ingress tcp ${port} 10.0.0.0/8`,
        allow(at('group', 'core.a'), port, ['10.0.0.0/8']),
      ),
      documents: [{ address: at('firewall-rule', 'core.in'), file: 'specs/a.yaml', line: 1 }],
    }),
  );
  const { there } = holding([...ground, box('core.b')]);
  const { applied } = holding([...ground, box('core.a')]);
  const { wanted } = rolledOut(
    input([...ground, ...rules, box('core.a')], looked([])),
    at('firewall-rule', 'core.in'),
    [1, 'rest'],
  );
  assert.deepEqual(summary(planOf(wanted, { there, applied })), [
    'create firewall-rule/core.a ingress tcp 1 10.0.0.0/8',
    'update instance/box-0',
    'withheld firewall-rule/core.a ingress tcp 2 10.0.0.0/8: wave',
  ]);
});

test('what the store only lets go of keeps no wave waiting', () => {
  const given = machines({
    replicas: 4,
    there: [...standing(0, 0, 'new'), ...standing(1, 3, 'old')],
    rollout: [1, 1, 'rest'],
  });
  const settled = new Map([
    ...given.knowledge.settled,
    ['i-lost', settle('instance', at('instance', 'web-0'))] as const,
  ]);
  assert.deepEqual(told(plan({ ...given, knowledge: { ...given.knowledge, settled } })), [
    'replace web-1',
    'forget web-0',
    '2 wave: wave 2 of 3: 1 of 4 done; waits for web-1',
  ]);
});

test('what a person chose to prune goes at once', () => {
  const seen = ['a', 'b', 'c'].map((name) => ours('network', name, `vpc-${name}`, vpc()));
  const given = input([], looked(seen), {
    choices: { prune: new Set(['a', 'b', 'c'].map((name) => at('network', name))) },
  });
  const made = plan({ ...given, wanted: { ...given.wanted, rollout: [1, 'rest'] } });
  assert.equal(made.actions.length, 3);
});

test('a rule that outranks another of the opposite goes in an earlier wave, whatever their names', () => {
  const rule = (name: string, action: 'allow' | 'deny'): Desired => {
    const { group: _, ...rest } = allow('', '443', ['10.0.0.0/8']);
    const attributes = {
      ...rest,
      match: { ...rest.match, action },
      order: { priority: action === 'deny' ? 2000 : 1000 },
    };
    return {
      ...want('firewall-rule', name, attributes, { deletionPolicy: 'delete' }),
      documents: [{ address: at('firewall-rule', 'core.in'), file: 'specs/a.yaml', line: 1 }],
    };
  };
  const rules = [rule('core.a', 'deny'), rule('core.b', 'allow')];
  const { wanted } = rolledOut(input([net, ...rules], looked([])), at('firewall-rule', 'core.in'), [1, 'rest']);
  assert.deepEqual(summary(planOf(wanted, holding([net]))), [
    'create firewall-rule/core.b',
    'withheld firewall-rule/core.a: wave',
  ]);
});

const waveRulesNet = want('network', 'core', vpc());
const waveRulesSubnet = want('subnet', 'core.app', { network: waveRulesNet.address, cidr: '10.0.1.0/24', labels: {} });
const [waveRulesWeb, lb] = ['core.web', 'core.lb'].map((name) =>
  want('group', name, { network: waveRulesNet.address, labels: {} }),
);
assert.ok(waveRulesWeb && lb);
const ground = [waveRulesNet, waveRulesSubnet, waveRulesWeb, lb];

/** One atom of a rule document: ports, in a group, for a block. */
const atom = (
  document: string,
  port: number | string,
  group = waveRulesWeb.address,
  block = '10.0.0.0/8',
): Desired => ({
  ...want('firewall-rule', `${lastOf(group)} ingress tcp ${port} ${block}`, allow(group, `${port}`, [block]), {
    deletionPolicy: 'delete',
  }),
  documents: [{ address: at('firewall-rule', document), file: 'specs/a.yaml', line: 1 }],
});
const atoms = (document: string, ports: readonly number[]): readonly Desired[] =>
  ports.map((port) => atom(document, port));
const box = (ordinal: number, group: string): Desired =>
  want('instance', `box-${ordinal}`, {
    placement: { subnet: waveRulesSubnet.address, publicIp: false },
    groups: [group],
    machine: { image: 'a', size: 's', power: 'running' },
    labels: {},
  });

const unless = (rollout: Rollout | undefined) => (rollout === undefined ? {} : { rollout });

/** Desired resources, with the waves of some documents (by name) and of the target. */
function wanting(desired: readonly Desired[], waves: Readonly<Record<string, Rollout>>, ofTarget?: Rollout): Wanted {
  const base = input(desired, looked([])).wanted;
  const named = Object.keys(waves).map((name) => at(name.startsWith('box') ? 'instance' : 'firewall-rule', name));
  const documents = new Map(
    [...new Set([...base.documents.keys(), ...named])].map((address): [string, Allowed] => [
      address,
      { mode: 'plan', protect: false, targets: ['prod'], ...unless(waves[address.split('/').at(-1) ?? '']) },
    ]),
  );
  return { ...base, documents, ...unless(ofTarget) };
}

const reconcilesOf = (wanted: Wanted, from: readonly Desired[]): readonly (readonly string[])[] =>
  rollOn(wanted, holding(from)).map(({ plan }) => plan.actions.map(({ verb, address }) => `${verb} ${short(address)}`));
const short = (address: string): string => lastOf(address).replace(/ ingress tcp ([\d-]+) .*/, ' $1');

describe('waves of rules', () => {
  it('a rule that moves on: its new atoms go in waves, and no old one before the last of them', () => {
    const wanted = wanting([...ground, ...atoms('core.in', [1, 2, 3, 4])], { 'core.in': [1, 2, 'rest'] });
    assert.deepEqual(reconcilesOf(wanted, [...ground, ...atoms('core.in', [8, 9])]), [
      ['create core.web 1'],
      ['create core.web 2', 'create core.web 3'],
      ['create core.web 4', 'delete core.web 8', 'delete core.web 9'],
      [],
    ]);
  });

  it('an old atom of one document waits for the new ones of another in its group, though its own wave has come', () => {
    const desired = [...ground, ...atoms('core.a', [1]), ...atoms('core.b', [2, 3])];
    const wanted = wanting(desired, { 'core.a': [5], 'core.b': [1, 'rest'] });
    const from = [...ground, atom('core.a', '1-8')];
    const [first] = rollOn(wanted, holding(from));
    assert.deepEqual(first && told(first.plan), [
      'create core.web ingress tcp 1 10.0.0.0/8',
      'create core.web ingress tcp 2 10.0.0.0/8',
      '1 wave: comes after firewall-rule core.web ingress tcp 3 10.0.0.0/8, which waits for its wave.',
      '1 wave: wave 1 of 2: 0 of 2 done; waits for core.web ingress tcp 2 10.0.0.0/8',
    ]);
    assert.deepEqual(reconcilesOf(wanted, from).slice(1), [['create core.web 3', 'delete core.web 1-8'], []]);
  });

  it('a machine changes groups only after the last wave of the rules that name its new one, and their old ones go after it', () => {
    const old = [atom('core.in', 1), atom('core.in', 2)];
    const moved = [atom('core.in', 1, lb.address), atom('core.in', 2, lb.address)];
    const wanted = wanting([...ground, ...moved, box(0, lb.address), box(1, lb.address)], {
      'core.in': [1, 'rest'],
      box: [1, 'rest'],
    });
    assert.deepEqual(
      reconcilesOf(wanted, [...ground, ...old, box(0, waveRulesWeb.address), box(1, waveRulesWeb.address)]),
      [
        ['create core.lb 1'],
        ['create core.lb 2', 'update box-0'],
        ['update box-1', 'delete core.web 1', 'delete core.web 2'],
        [],
      ],
    );
  });
});

describe('waves of a target', () => {
  it('a whole scope goes by the rollout of its target: parents first, and a document with its own waves by those', () => {
    const desired = [
      ...ground,
      ...atoms('core.in', [1, 2]),
      box(0, waveRulesWeb.address),
      box(1, waveRulesWeb.address),
    ];
    const wanted = wanting(desired, { box: [1, 'rest'] }, [1, 2, 'rest']);
    assert.deepEqual(
      rollOn(wanted, emptyScope).map(({ plan }) => plan.actions.map(({ address }) => short(address))),
      [['core'], ['core.app', 'core.lb'], ['core.web', 'core.web 1', 'core.web 2', 'box-0'], ['box-1'], []],
    );
    const [first] = rollOn(wanted, emptyScope);
    const whys = new Set(first?.plan.findings.map(({ why }) => why));
    assert.deepEqual([...whys].toSorted(), [
      'comes after subnet core.app, which waits for its wave.',
      'wave 1 of 2: 0 of 2 done; waits for box-0',
      'wave 1 of 3 of this scope: 0 of 6 done; waits for core',
    ]);
  });

  it('a document that says `then: [rest]` is spared the waves of its target', () => {
    const wanted = wanting([...ground, ...atoms('core.in', [1, 2, 3])], { 'core.in': ['rest'] }, [1, 1, 'rest']);
    const [first] = rollOn(wanted, holding(ground));
    assert.equal(first?.plan.actions.length, 3);
  });

  it('an atom that another document without waves wants too goes at once', () => {
    const shared: Desired = {
      ...atom('core.in', 2),
      documents: [...atom('core.in', 2).documents, ...atom('core.b', 2).documents],
    };
    const wanted = wanting([...ground, atom('core.in', 1), shared, atom('core.in', 3)], { 'core.in': [1, 1, 'rest'] });
    assert.deepEqual(reconcilesOf(wanted, ground)[0], ['create core.web 1', 'create core.web 2']);
  });

  it('what no document speaks of any more goes in the waves of the target', () => {
    const gone = atoms('core.gone', [1, 2, 3, 4]);
    const [first] = rollOn(wanting([], {}, [2, 'rest']), holding([...ground, ...gone]));
    assert.deepEqual(
      first?.plan.actions.map(({ verb, address }) => `${verb} ${short(address)}`),
      ['delete core.web 1', 'delete core.web 2'],
    );
  });
});

/** Of which some contain others: rules for those speak of the same traffic. */
const blocks = ['0.0.0.0/0', '10.0.0.0/8', '10.1.0.0/16', '10.1.1.0/24', '10.2.0.0/16', '192.168.0.0/16'] as const;
const overlap = (one: string, other: string): boolean =>
  [one, other].every((text) => parseCidr(text)) &&
  overlapsCidr(parseCidr(one) ?? everywhere, parseCidr(other) ?? everywhere);
const everywhere: Cidr = { family: 4, base: 0n, prefix: 0 };
const blockOf = (address: string): string => address.split(' ').at(-1) ?? '';

/** Blocks of the documents a and b, before and after, and their waves. */
const some = fc.uniqueArray(fc.constantFrom(...blocks), { maxLength: 6 });
const waves = fc.oneof(
  fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
  fc.constant<Rollout>([1, { share: 0.3 }, 'rest']),
);
const change = fc.record({
  a: some,
  b: some,
  thenA: some,
  thenB: some,
  ofA: waves,
  ofB: waves,
  ofTarget: fc.option(waves),
});

/** Atoms of two documents, of which equal ones are one with both. */
function united(a: readonly string[], b: readonly string[]): readonly Desired[] {
  const letIn = (document: string) => (block: string) => atom(document, 443, undefined, block);
  const all = [...a.map(letIn('core.a')), ...b.map(letIn('core.b'))];
  return [...Map.groupBy(all, ({ address }) => address).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, documents: [first, ...others].flatMap(({ documents }) => documents) }],
  );
}

it('whatever the waves: no atom goes before its successors stand, none that stays is touched, and all is done in the end', () => {
  fc.assert(
    fc.property(change, ({ a, b, thenA, thenB, ofA, ofB, ofTarget }) => {
      const wanted = wanting(
        [...ground, ...united(thenA, thenB)],
        { 'core.a': ofA, 'core.b': ofB },
        ofTarget ?? undefined,
      );
      const from = [...ground, ...united(a, b)];
      const aim = new Set(wanted.desired.map(({ address }) => address));
      const reconciles = rollOn(wanted, holding(from));
      for (const { before, plan } of reconciles) {
        const made = new Set(plan.actions.flatMap(({ verb, address }) => (verb === 'create' ? [address] : [])));
        const gone = plan.actions.filter(({ verb }) => verb === 'delete');
        assert.ok(gone.every(({ address }) => !aim.has(address)));
        const isThere = (address: string): boolean => before.there.has(address) || made.has(address);
        for (const { address } of gone.filter(({ kind }) => kind === 'firewall-rule'))
          assert.ok([...aim].every((other) => isThere(other) || !overlap(blockOf(address), blockOf(other))));
      }
      const last = reconciles.at(-1);
      assert.deepEqual([...(last?.before.there.keys() ?? [])].toSorted(), [...aim].toSorted());
      assert.equal(last?.plan.findings.length, 0);
    }),
    { numRuns: 150 },
  );
});

it('the same world gives the same wave, whatever the order of documents and listings', () => {
  const desired = [...ground, ...atoms('core.in', [1, 2, 3, 4])];
  const waves = { 'core.in': [1, 2, 'rest'] } as const;
  const from = holding([...ground, ...atoms('core.in', [8, 9])]);
  const turned = { there: new Map([...from.there].toReversed()), applied: from.applied };
  assert.deepEqual(planOf(wanting(desired.toReversed(), waves), turned), planOf(wanting(desired, waves), from));
});
