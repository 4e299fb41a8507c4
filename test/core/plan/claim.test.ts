import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Dialect } from '../../../src/core/compile/dialect.ts';
import type { Desired } from '../../../src/core/desired.ts';
import type { Ended, Knowledge } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { claim } from '../../../src/core/plan/claim.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Allowed, PlanInput } from '../../../src/core/plan/plan-input.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';
import {
  allow,
  appliedAs,
  at,
  dialect as byContent,
  expiredIntentsOf,
  dialect as fixture,
  input,
  know,
  looked,
  lost,
  mark,
  ours,
  scope,
  see,
  settle,
  summary,
  vpc,
  want,
} from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

/** Released objects that the cloud shows again. `core` is desired and exists as `vpc-1`, settled. */
const core = at('network', 'core');
const net = want('network', 'core', vpc());
const standing = ours('network', 'core', 'vpc-1', vpc());
const shown = (signs = { mark: mark(core, { intent: 'old' }) }) => see('network', 'vpc-0', vpc(), { signs });
const ended = (as: Ended['as']): ReadonlyMap<string, Ended> =>
  new Map([['vpc-0', { as, address: core, kind: 'network', at: 0 }]]);

/** `vpc-0` beside `vpc-1`. */
const beside = (again: ReturnType<typeof shown>, more: Parameters<typeof know>[1]) =>
  input([net], looked([standing, again]), { knowledge: know([standing], more) });

const late = see('network', 'vpc-0', vpc(), {
  signs: { mark: mark(core, { intent: 'late' }) },
  condition: { state: 'ready', empty: true },
});

const cases: readonly Case[] = [
  {
    name: 'it was deleted: it is deleted again, and what stands at its address is left alone',
    given: beside(shown(), { ended: ended('deleted') }),
    want: ['delete network/core (again)'],
  },
  {
    name: 'it was deleted, and nothing wants its address any more',
    given: input([], looked([shown()]), { knowledge: know([], { ended: ended('deleted') }) }),
    want: ['delete network/core (again)'],
  },
  {
    name: 'it was deleted, and its address is wanted again: another is made, as it stands for nothing',
    given: input([net], looked([shown()]), { knowledge: know([], { ended: ended('deleted') }) }),
    want: ['create network/core', 'delete network/core (again)'],
  },
  {
    name: 'it was thought to be gone: it is ours as before',
    given: input([net], looked([shown()]), { knowledge: know([], { ended: ended('gone') }) }),
    want: [],
  },
  {
    name: 'it was thought to be gone and another was made: both are ours, and a person judges',
    given: beside(shown(), { ended: ended('gone') }),
    want: ['blocked network/core: duplicate-claim'],
  },
  {
    name: 'a person forgot it: a copied mark',
    given: beside(shown(), {}),
    want: ['copied-mark vpc-0'],
  },
  {
    name: 'another store took it over since',
    given: beside(shown({ mark: mark(core, { store: 's2' }) }), { ended: ended('deleted') }),
    want: ['foreign-store '],
  },
  {
    name: 'another estate marked it since',
    given: beside(shown({ mark: mark(core, { estate: 'other' }) }), { ended: ended('deleted') }),
    want: [],
  },
  {
    name: 'an open creation explains it: a name that was used again is not deleted',
    given: input([net], looked([shown()]), {
      knowledge: know([], { ended: ended('deleted'), pending: [lost('old')] }),
    }),
    want: [],
  },
  {
    name: 'a late twin that was deleted and shows again goes, and the settled one stays',
    given: beside(late, { ended: ended('deleted'), expiredIntents: expiredIntentsOf('late') }),
    want: ['delete network/core (again)'],
  },
];

runCases(cases, 'ended');

const lateTwinCore = at('network', 'core');
const lateTwinNet = want('network', 'core', vpc());
const lateTwinStanding = ours('network', 'core', 'vpc-1', vpc());
const app = { cidr: '10.0.1.0/24', labels: {} };
const expiredIntents = expiredIntentsOf('late');

const lateTwinLate = (empty: boolean, intent = 'late') =>
  see('network', 'vpc-0', vpc(), {
    signs: { mark: mark(lateTwinCore, { intent }) },
    condition: { state: 'ready', empty },
  });

const lateTwinCases: readonly Case[] = [
  {
    name: 'what a call made that came after it was given up goes, where another stands in its place',
    given: input([lateTwinNet], looked([lateTwinStanding, lateTwinLate(true)]), {
      knowledge: know([lateTwinStanding], { expiredIntents }),
    }),
    want: ['delete network/core (twin)'],
  },
  {
    name: 'whatever stands in the other one, and names the address that both bear',
    given: input(
      [lateTwinNet, want('subnet', 'core.app', { network: lateTwinCore, ...app })],
      looked([
        lateTwinStanding,
        lateTwinLate(true),
        ours('subnet', 'core.app', 'subnet-1', { network: 'vpc-1', ...app }),
      ]),
      {
        knowledge: know([lateTwinStanding, ours('subnet', 'core.app', 'subnet-1', { network: 'vpc-1', ...app })], {
          expiredIntents,
        }),
      },
    ),
    want: ['delete network/core (twin)'],
  },
  {
    name: 'but not where something stands in it',
    given: input([lateTwinNet], looked([lateTwinStanding, lateTwinLate(false)]), {
      knowledge: know([lateTwinStanding], { expiredIntents }),
    }),
    want: ['copied-mark vpc-0'],
  },
  {
    name: 'nor where its intent was answered, or never was ours',
    given: input([lateTwinNet], looked([lateTwinStanding, lateTwinLate(true, 'other')]), {
      knowledge: know([lateTwinStanding], { expiredIntents }),
    }),
    want: ['copied-mark vpc-0'],
  },
  {
    name: 'nor while nothing that we settled stands in its place',
    given: input([], looked([lateTwinLate(true)]), { knowledge: know([], { expiredIntents }) }),
    want: ['copied-mark vpc-0'],
  },
  {
    name: 'nor where both are settled',
    given: input([lateTwinNet], looked([lateTwinStanding, lateTwinLate(true)]), {
      knowledge: know([lateTwinStanding], {
        expiredIntents,
        settled: new Map([
          ['vpc-0', settle('network', lateTwinCore)],
          ['vpc-1', settle('network', lateTwinCore)],
        ]),
      }),
    }),
    want: ['blocked network/core: duplicate-claim'],
  },
];

runCases(lateTwinCases, 'late-twin');

const network = want('network', 'core', vpc());
const pendingContainersStanding = ours('network', 'core', 'vpc-1', vpc());
const attributes = { network: at('network', 'core'), labels: {} };
const group = want('group', 'core.web', attributes);
const wanted = want(
  'firewall-rule',
  'core.web ingress tcp 443 10.0.0.0/8',
  allow(group.address, '443', ['10.0.0.0/8']),
  { deletionPolicy: 'delete' },
);
/** `from`: as a listing of rules says it that could not see their group. */
const atom = (ports: string, from: string) =>
  see(
    'firewall-rule',
    `sg-1 ${ports}`,
    { ...allow('sg-1', ports, ['10.0.0.0/8']), network: from },
    { signs: { container: 'sg-1' } },
  );

/** The group is settled, and too young for the listing that missed it to prove anything. */
const knowledge = know([pendingContainersStanding], {
  settled: new Map([
    ['vpc-1', settle('network', at('network', 'core'))],
    ['sg-1', settle('group', group.address)],
  ]),
  applied: new Map([[group.address, { attributes, generation: 1 }]]),
});

const planOf = (pending: readonly string[], additive: readonly string[] = []) => {
  const given = input(
    [network, group, wanted],
    looked([pendingContainersStanding, atom('443', ''), atom('22', '')], { pending }),
    {
      knowledge,
    },
  );
  return summary(plan({ ...given, wanted: { ...given.wanted, additive: new Set(additive) } }));
};

const name = (ports: string) => `firewall-rule/core.web ingress tcp ${ports} 10.0.0.0/8`;

describe('rules in a container that is pending', () => {
  it('are judged as ever: nobody wrote this one, and the other stands as it is wanted', () => {
    assert.deepEqual(planOf(['sg-1']), [`delete ${name('22')} (rogue)`, 'blocked group/core.web: pending']);
  });

  it('stay in a network that is additive, which the store names where the listing could not', () => {
    assert.deepEqual(planOf(['sg-1'], [network.address]), ['blocked group/core.web: pending', 'unmanaged sg-1 22']);
  });
});

describe('rules whose listing did not name the network of a group that was seen', () => {
  it('are in the network of that group', () => {
    const seen = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });
    const world = [pendingContainersStanding, seen, atom('443', '')];
    const claimed = claim(world, input([network, group, wanted], looked(world), { knowledge }));
    assert.deepEqual(
      claimed.flatMap(({ observed: { attributes } }) => ('match' in attributes ? [attributes.network] : [])),
      [network.address],
    );
  });
});

/** A cloud where the mark of a network cannot be written later, and rules are known by name: as Google Cloud is. */
const dialect: Dialect = { ...fixture, holds: { ...fixture.holds, fixedMarks: ['network'] } };
const fixedMarksStanding = ours('network', 'core', 'net-1', vpc());
const renamed = want('network', 'main', vpc(), { claim: { was: [at('network', 'core')] } });

const planned = (wanted: typeof renamed, knowledge: Knowledge) =>
  plan({ ...input([wanted], looked([fixedMarksStanding]), { knowledge }), dialect });

describe('a renamed thing whose mark cannot say so', () => {
  test('moves in the store, by an update that changes nothing else', () => {
    const { actions } = planned(renamed, know([fixedMarksStanding]));
    assert.deepEqual(
      actions.map((action) => [action.verb, action.address, 'changes' in action ? action.changes : []]),
      [['update', renamed.address, [{ field: 'address', from: at('network', 'core'), to: renamed.address }]]],
    );
  });
  test('has moved for good: nothing more is planned, with its former name or without', () => {
    const knowledge = know([], { settled: new Map([['net-1', settle('network', renamed.address)]]) });
    const { claim: _, ...terms } = renamed.terms;
    for (const wanted of [renamed, { ...renamed, terms }])
      assert.deepEqual(planned(wanted, knowledge), { ...planned(wanted, knowledge), actions: [], findings: [] });
  });
});

test('a change that stops a machine on its cloud only is a stop there: one of a document at a time, and counted', () => {
  const attributes = {
    placement: { subnet: 'sub', publicIp: false },
    machine: { image: 'i', size: 's', identity: 'web', power: 'running' },
    labels: {},
  } as const;
  const was = want('instance', 'web-0', attributes);
  const web = want('instance', 'web-0', { ...attributes, machine: { ...attributes.machine, identity: 'db' } });
  const seen = ours('instance', 'web-0', 'i-1', attributes);
  const effectWith = (machineEffects: NonNullable<Dialect['holds']['machineEffects']>) => {
    const here = { ...dialect, holds: { ...dialect.holds, machineEffects } };
    const [action] = plan({
      ...input([web], looked([seen]), { knowledge: appliedAs([seen], [was]) }),
      dialect: here,
    }).actions;
    return action?.verb === 'update' ? action.effect : action?.verb;
  };
  assert.deepEqual(
    [effectWith({}), effectWith({ 'machine.identity': 'stops' }), effectWith({ 'machine.identity': 'replace' })],
    ['in-place', 'stops', 'replace'],
  );
});

test('a machine that is still changing is not replaced', () => {
  const attributes = {
    placement: { subnet: 'sub', publicIp: false },
    machine: { image: 'i', size: 's', power: 'running' },
    labels: {},
  } as const;
  const was = want('instance', 'web-0', attributes);
  const web = want('instance', 'web-0', { ...attributes, machine: { ...attributes.machine, image: 'other' } });
  const seen = ours('instance', 'web-0', 'i-1', attributes);
  const planned = (state: 'ready' | 'pending') => {
    const { actions, findings } = plan(
      input([web], looked([{ ...seen, condition: { state } }]), { knowledge: appliedAs([seen], [was]) }),
    );
    return [actions.map(({ verb }) => verb), findings.map((finding) => 'code' in finding && finding.code)];
  };
  assert.deepEqual(planned('ready'), [['replace'], []]);
  assert.deepEqual(planned('pending'), [[], ['pending']]);
});

describe('a rule that no container holds, and that its document does not want any more', () => {
  const net = want('network', 'core', vpc());
  const match = { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '443', peers: ['tag:lb'] } as const;
  const attributes = { network: net.address, match, description: '' };
  const old = ours('firewall-rule', 'core.web-1a', 'fw-1', { ...attributes, network: 'net-1' });
  const document = at('firewall-rule', 'core.web');
  const given = (documents: readonly string[]) => {
    const known = know([fixedMarksStanding, old]);
    const applied = new Map([
      [at('firewall-rule', 'core.web-1a'), { attributes, generation: 1, documents: [document] }],
    ]);
    const base = input([net], looked([fixedMarksStanding, old]), { knowledge: { ...known, applied } });
    const said: Allowed = { mode: 'plan', protect: false, targets: ['prod'] };
    const allowed = documents.map((address) => [address, said] as const);
    return plan({
      ...base,
      wanted: { ...base.wanted, documents: new Map([...base.wanted.documents, ...allowed]) },
      dialect,
    });
  };
  test('goes while the document stands, whatever its deletion policy: its successor has taken its place', () => {
    const [action] = given([document]).actions;
    assert.deepEqual([action?.verb, action?.verb === 'delete' && action.because], ['delete', 'changed']);
  });
  test('stays with the deletion policy of the document that is gone', () => {
    const { actions, findings } = given([]);
    assert.deepEqual([actions, findings.map(({ type }) => type)], [[], ['orphan']]);
  });
});

/** A cloud that knows rules by name, keeps names unique, and marks no subnets: as Azure does. */
const namedDialect: Dialect = {
  ...byContent,
  holds: { ...byContent.holds, fixedMarks: ['subnet'] },
  rules: { atoms: () => [], defaults: () => [], numbering: { first: 100, last: 4095, gap: 10 } },
};

const namedSummary = (given: PlanInput): readonly string[] => {
  const { actions, findings } = plan(given);
  return [
    ...actions.map(({ verb, address }) => `${verb} ${address.slice(scope.length + 1)}`),
    ...findings.map((finding) => `${finding.type}${'code' in finding ? ` ${finding.code}` : ''}`),
  ];
};
const namedPlanned = (desired: readonly Desired[], resources: readonly Observed[], more: Partial<PlanInput> = {}) =>
  namedSummary(input(desired, looked(resources), { knowledge: know(resources), ...more, dialect: namedDialect }));
const namedNetwork = see('network', 'vnet', vpc(), { name: 'core', signs: { mark: mark(at('network', 'core')) } });
const namedApp = want('subnet', 'core.app', { network: at('network', 'core'), cidr: '10.0.1.0/24', labels: {} });
const subnet = see(
  'subnet',
  'sub',
  { network: 'vnet', cidr: '10.0.1.0/24', labels: {} },
  { name: 'core-app', signs: { parent: 'vnet' } },
);
const settledSubnet = new Map([
  ...know([namedNetwork]).settled,
  ['sub', settle('subnet', at('subnet', 'core.app'))],
] as const);

describe('a subnet that bears no mark', () => {
  test('settled, in a network of ours: ours', () =>
    assert.deepEqual(
      namedPlanned([net, namedApp], [namedNetwork, subnet], {
        knowledge: know([namedNetwork], { settled: settledSubnet }),
      }),
      [],
    ));
  test('not settled, in a network of ours: a colleague made it, and its block is taken', () =>
    assert.deepEqual(namedPlanned([net, namedApp], [namedNetwork, subnet]), ['blocked name-taken', 'unmanaged']));
  test('a pending creation explains it', () => {
    const pending = [{ ...lost('i1'), address: namedApp.address, draft: { kind: 'subnet', details: {} } } as const];
    assert.deepEqual(
      namedPlanned([net, namedApp], [namedNetwork, subnet], { knowledge: know([namedNetwork], { pending }) }),
      [],
    );
  });
  test('without a store the document names it', () => {
    const { store: _, ...knowledge } = know([]);
    assert.deepEqual(namedPlanned([net, namedApp], [namedNetwork, subnet], { knowledge }), []);
  });
  test('in a network that another store marked: foreign-store, so nothing is written', () => {
    const foreign = { ...namedNetwork, signs: { mark: mark(at('network', 'core'), { store: 's0' }) } };
    assert.deepEqual(namedPlanned([net, namedApp], [foreign, subnet]), ['foreign-store']);
  });
  test('in another estate’s network: nothing to say', () => {
    const other = { ...namedNetwork, signs: { mark: mark(at('network', 'core'), { estate: 'umbrella' }) } };
    assert.deepEqual(namedPlanned([], [other, subnet]), []);
  });
  test('its settled id in a network that is not ours any more proves nothing', () => {
    const bare = { ...namedNetwork, signs: {} };
    const knowledge = know([], { settled: new Map([['sub', settle('subnet', namedApp.address)]]) });
    assert.deepEqual(namedPlanned([], [bare, subnet], { knowledge }), ['unmanaged', 'unmanaged']);
  });
});

describe('a name that is taken', () => {
  const slot = `${scope}/network/core`;
  test('by nobody’s object: blocked, with the line to paste', () => {
    const stranger = see('network', 'vnet-9', vpc(), { name: 'core', signs: { slot } });
    const { findings } = plan({ ...input([net], looked([stranger])), dialect: namedDialect });
    const [blocked] = findings.filter(({ type }) => type === 'blocked');
    assert.match(blocked?.why ?? '', /adopt: \{ prod: vnet-9 \}/);
  });
  test('by our own object: it is the one', () => {
    const own = { ...namedNetwork, signs: { ...namedNetwork.signs, slot } };
    assert.deepEqual(namedPlanned([net], [own]), []);
  });
  test('by our own object, which was renamed and kept its name there: not made, and said whose it is', () => {
    const moved = { ...namedNetwork, signs: { mark: mark(at('network', 'main')), slot } };
    const { actions, findings } = plan({ ...input([net], looked([moved])), dialect: namedDialect });
    assert.deepEqual(actions, []);
    const [blocked] = findings.filter(({ type }) => type === 'blocked');
    assert.match(blocked?.why ?? '', /vnet belongs to .*network\/main/);
  });
  test('in another place: free', () => {
    const elsewhere = see('network', 'vnet-9', vpc(), { name: 'core', signs: { slot: 'aws/2/eu-1/network/core' } });
    assert.deepEqual(namedPlanned([net], [elsewhere]), ['create network/core', 'unmanaged']);
  });
});

describe('adopted objects without room for a mark', () => {
  const knowledge = know([namedNetwork], {
    settled: new Map([
      ...know([namedNetwork]).settled,
      ['sub', settle('subnet', namedApp.address, { storeOnly: true, deletionPolicy: 'delete' })] as const,
    ]),
  });
  test('is never deleted', () =>
    assert.deepEqual(namedPlanned([net], [namedNetwork, subnet], { knowledge }), ['withheld adopted-in-store-only']));
  test('its mark is not missed', () =>
    assert.deepEqual(
      namedPlanned(
        [net, { ...namedApp, terms: { ...namedApp.terms, deletionPolicy: 'delete' } }],
        [namedNetwork, subnet],
        { knowledge },
      ),
      [],
    ));
});

describe('a machine of which only parts stand', () => {
  const machine = want('instance', 'web-0', {
    placement: { subnet: namedApp.address, publicIp: false },
    machine: { image: 'i', size: 's', power: 'running' },
    labels: {},
  });
  const parts = see(
    'instance',
    'vm',
    { ...machine.attributes, machine: { image: '', size: '', power: 'stopped' } },
    {
      signs: { mark: mark(machine.address) },
      condition: { state: 'ready', missing: ['machine'] },
    },
  );
  const knowledge = know([namedNetwork, parts], {
    settled: new Map([...settledSubnet, ['vm', settle('instance', machine.address)]]),
  });
  const left = { ...parts, signs: { ...parts.signs, slot: `${scope}/instance/web-0` } };
  test('whose intent was closed is ours where its mark says it is', () =>
    assert.deepEqual(
      namedPlanned([net, namedApp, machine], [namedNetwork, subnet, left], {
        knowledge: know([namedNetwork], { settled: settledSubnet }),
      }),
      ['create instance/web-0'],
    ));
  test('a copy of its mark elsewhere is a copy', () => {
    const copy = { ...parts, signs: { ...parts.signs, slot: `${scope}/instance/other` } };
    const knowledge = know([namedNetwork], { settled: settledSubnet });
    assert.deepEqual(namedPlanned([net, namedApp], [namedNetwork, subnet, copy], { knowledge }), ['copied-mark']);
  });
  test('is made, not replaced', () =>
    assert.deepEqual(namedPlanned([net, namedApp, machine], [namedNetwork, subnet, parts], { knowledge }), [
      'create instance/web-0',
    ]));
});

describe('rules that are known by name', () => {
  const rule = (name: string, priority: number, action: 'allow' | 'deny' = 'allow'): Desired<'firewall-rule'> => {
    const address = at('firewall-rule', `core.${name}`);
    const attributes: RuleAttributes = {
      network: net.address,
      match: { direction: 'ingress', action, protocol: 'tcp', ports: '443', peers: ['10.0.0.0/8'], targets: [] },
      description: '',
      order: { priority },
    };
    const documents = [{ address, file: 'specs/a.yaml', line: 1 }];
    return {
      ...want('firewall-rule', `core.${name}`, attributes, { deletionPolicy: 'delete' }),
      name,
      address,
      documents,
    };
  };
  const seen = (name: string, priority: number): Observed<'firewall-rule'> => {
    const { attributes } = rule(name, priority);
    return see(
      'firewall-rule',
      `nsg/${name}`,
      { ...attributes, network: 'vnet' },
      { name, signs: { container: 'vnet' } },
    );
  };
  const numbers = (given: PlanInput): Readonly<Record<string, number | undefined>> =>
    Object.fromEntries(
      plan({ ...given, dialect: namedDialect }).actions.flatMap((action) =>
        'desired' in action ? [[action.desired.name, orderOf(action.desired)?.priority]] : [],
      ),
    );

  test('new ones are numbered by priority, deny before allow, and address', () => {
    const wanted = [net, rule('b', 300), rule('a', 300), rule('z', 300, 'deny'), rule('first', 200)];
    assert.deepEqual(numbers(input(wanted, looked([namedNetwork]))), { first: 109, z: 119, a: 129, b: 139 });
  });
  test('one that changed is updated in place', () =>
    assert.deepEqual(
      namedPlanned(
        [net, rule('a', 300)],
        [
          namedNetwork,
          { ...seen('a', 105), attributes: { ...rule('a', 105).attributes, network: 'vnet', description: 'x' } },
        ],
      ),
      ['update firewall-rule/core.a'],
    ));
  test('one in order keeps its number, whatever its document’s priority', () =>
    assert.deepEqual(
      namedPlanned([net, rule('a', 300), rule('b', 301)], [namedNetwork, seen('a', 105), seen('b', 2000)]),
      [],
    ));
  test('swapped: one moves to a number that nothing holds', () => {
    const given = input([net, rule('a', 302), rule('b', 301)], looked([namedNetwork, seen('a', 105), seen('b', 110)]));
    assert.deepEqual(numbers(given), { a: 120 });
  });
  test('one that goes keeps its number taken until it has gone', () => {
    const given = input([net, rule('a', 300)], looked([namedNetwork, seen('gone', 109)]), {});
    assert.deepEqual(numbers(given), { a: 110 });
  });
  test('one that nobody wrote is drift', () =>
    assert.deepEqual(namedPlanned([net], [namedNetwork, seen('rogue', 100)]), ['delete firewall-rule/core.rogue']));
  test('but not in a network whose document is gone', () =>
    assert.deepEqual(namedPlanned([], [namedNetwork, seen('rogue', 100)]), ['orphan']));
});

const orderOf = ({ attributes }: Desired): RuleAttributes['order'] =>
  'order' in attributes ? attributes.order : undefined;

describe('spelling', () => {
  const spelled: Dialect = {
    ...namedDialect,
    matchSpelling: (desired, observed) => {
      const labels = 'labels' in observed.attributes ? observed.attributes.labels : {};
      return { ...desired, attributes: Object.assign({}, desired.attributes, { labels }) };
    },
  };
  test('a wish in the cloud’s own words is no difference', () => {
    const wanted = want('network', 'core', vpc('10.0.0.0/16', { Env: 'a' }));
    const stands = { ...namedNetwork, attributes: vpc('10.0.0.0/16', { env: 'a' }) };
    assert.deepEqual(namedPlanned([wanted], [stands]), ['update network/core']);
    assert.deepEqual(namedSummary({ ...input([wanted], looked([stands])), dialect: spelled }), []);
  });
});
