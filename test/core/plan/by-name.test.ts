import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Dialect } from '../../../src/core/compile/dialect.ts';
import type { Desired } from '../../../src/core/desired.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';
import { at, dialect as byContent, input, know, looked, lost, mark, scope, see, settle, vpc, want } from './fixture.ts';

/** A cloud that knows rules by name, keeps names unique, and marks no subnets: as Azure does. */
const dialect: Dialect = {
  ...byContent,
  holds: { ...byContent.holds, fixedMarks: ['subnet'] },
  rules: { atoms: () => [], defaults: () => [], numbering: { first: 100, last: 4095, gap: 10 } },
};

const summary = (given: PlanInput): readonly string[] => {
  const { actions, findings } = plan(given);
  return [
    ...actions.map(({ verb, address }) => `${verb} ${address.slice(scope.length + 1)}`),
    ...findings.map((finding) => `${finding.type}${'code' in finding ? ` ${finding.code}` : ''}`),
  ];
};
const planned = (desired: readonly Desired[], resources: readonly Observed[], more: Partial<PlanInput> = {}) =>
  summary(input(desired, looked(resources), { knowledge: know(resources), ...more, dialect }));

const net = want('network', 'core', vpc());
const network = see('network', 'vnet', vpc(), { name: 'core', signs: { mark: mark(at('network', 'core')) } });
const app = want('subnet', 'core.app', { network: at('network', 'core'), cidr: '10.0.1.0/24', labels: {} });
const subnet = see(
  'subnet',
  'sub',
  { network: 'vnet', cidr: '10.0.1.0/24', labels: {} },
  { name: 'core-app', signs: { parent: 'vnet' } },
);
const settledSubnet = new Map([
  ...know([network]).settled,
  ['sub', settle('subnet', at('subnet', 'core.app'))],
] as const);

describe('a subnet that bears no mark', () => {
  test('settled, in a network of ours: ours', () =>
    assert.deepEqual(
      planned([net, app], [network, subnet], { knowledge: know([network], { settled: settledSubnet }) }),
      [],
    ));
  test('not settled, in a network of ours: a colleague made it, and its block is taken', () =>
    assert.deepEqual(planned([net, app], [network, subnet]), ['blocked name-taken', 'unmanaged']));
  test('a pending creation explains it', () => {
    const pending = [{ ...lost('i1'), address: app.address, draft: { kind: 'subnet', details: {} } } as const];
    assert.deepEqual(planned([net, app], [network, subnet], { knowledge: know([network], { pending }) }), []);
  });
  test('without a store the document names it', () => {
    const { store: _, ...knowledge } = know([]);
    assert.deepEqual(planned([net, app], [network, subnet], { knowledge }), []);
  });
  test('in a network that another store marked: foreign-store, so nothing is written', () => {
    const foreign = { ...network, signs: { mark: mark(at('network', 'core'), { store: 's0' }) } };
    assert.deepEqual(planned([net, app], [foreign, subnet]), ['foreign-store']);
  });
  test('in another estate’s network: nothing to say', () => {
    const other = { ...network, signs: { mark: mark(at('network', 'core'), { estate: 'umbrella' }) } };
    assert.deepEqual(planned([], [other, subnet]), []);
  });
  test('its settled id in a network that is not ours any more proves nothing', () => {
    const bare = { ...network, signs: {} };
    const knowledge = know([], { settled: new Map([['sub', settle('subnet', app.address)]]) });
    assert.deepEqual(planned([], [bare, subnet], { knowledge }), ['unmanaged', 'unmanaged']);
  });
});

describe('a name that is taken', () => {
  const slot = `${scope}/network/core`;
  test('by nobody’s object: blocked, with the line to paste', () => {
    const stranger = see('network', 'vnet-9', vpc(), { name: 'core', signs: { slot } });
    const { findings } = plan({ ...input([net], looked([stranger])), dialect });
    const [blocked] = findings.filter(({ type }) => type === 'blocked');
    assert.match(blocked?.why ?? '', /adopt: \{ prod: vnet-9 \}/);
  });
  test('by our own object: it is the one', () => {
    const own = { ...network, signs: { ...network.signs, slot } };
    assert.deepEqual(planned([net], [own]), []);
  });
  test('by our own object, which was renamed and kept its name there: not made, and said whose it is', () => {
    const moved = { ...network, signs: { mark: mark(at('network', 'main')), slot } };
    const { actions, findings } = plan({ ...input([net], looked([moved])), dialect });
    assert.deepEqual(actions, []);
    const [blocked] = findings.filter(({ type }) => type === 'blocked');
    assert.match(blocked?.why ?? '', /vnet belongs to .*network\/main/);
  });
  test('in another place: free', () => {
    const elsewhere = see('network', 'vnet-9', vpc(), { name: 'core', signs: { slot: 'aws/2/eu-1/network/core' } });
    assert.deepEqual(planned([net], [elsewhere]), ['create network/core', 'unmanaged']);
  });
});

describe('what was adopted where no mark can be written', () => {
  const knowledge = know([network], {
    settled: new Map([
      ...know([network]).settled,
      ['sub', settle('subnet', app.address, { storeOnly: true, deletionPolicy: 'delete' })] as const,
    ]),
  });
  test('is never deleted', () =>
    assert.deepEqual(planned([net], [network, subnet], { knowledge }), ['withheld adopted-in-store-only']));
  test('its mark is not missed', () =>
    assert.deepEqual(
      planned([net, { ...app, terms: { ...app.terms, deletionPolicy: 'delete' } }], [network, subnet], { knowledge }),
      [],
    ));
});

describe('a machine of which only parts stand', () => {
  const machine = want('instance', 'web-0', {
    placement: { subnet: app.address, publicIp: false },
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
  const knowledge = know([network, parts], {
    settled: new Map([...settledSubnet, ['vm', settle('instance', machine.address)]]),
  });
  const left = { ...parts, signs: { ...parts.signs, slot: `${scope}/instance/web-0` } };
  test('whose intent was closed is ours where its mark says it is', () =>
    assert.deepEqual(
      planned([net, app, machine], [network, subnet, left], { knowledge: know([network], { settled: settledSubnet }) }),
      ['create instance/web-0'],
    ));
  test('a copy of its mark elsewhere is a copy', () => {
    const copy = { ...parts, signs: { ...parts.signs, slot: `${scope}/instance/other` } };
    const knowledge = know([network], { settled: settledSubnet });
    assert.deepEqual(planned([net, app], [network, subnet, copy], { knowledge }), ['copied-mark']);
  });
  test('is made, not replaced', () =>
    assert.deepEqual(planned([net, app, machine], [network, subnet, parts], { knowledge }), ['create instance/web-0']));
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
      plan({ ...given, dialect }).actions.flatMap((action) =>
        'desired' in action ? [[action.desired.name, orderOf(action.desired)?.priority]] : [],
      ),
    );

  test('new ones are numbered by priority, deny before allow, and address', () => {
    const wanted = [net, rule('b', 300), rule('a', 300), rule('z', 300, 'deny'), rule('first', 200)];
    assert.deepEqual(numbers(input(wanted, looked([network]))), { first: 109, z: 119, a: 129, b: 139 });
  });
  test('one that changed is updated in place', () =>
    assert.deepEqual(
      planned(
        [net, rule('a', 300)],
        [
          network,
          { ...seen('a', 105), attributes: { ...rule('a', 105).attributes, network: 'vnet', description: 'x' } },
        ],
      ),
      ['update firewall-rule/core.a'],
    ));
  test('one in order keeps its number, whatever its document’s priority', () =>
    assert.deepEqual(planned([net, rule('a', 300), rule('b', 301)], [network, seen('a', 105), seen('b', 2000)]), []));
  test('swapped: one moves to a number that nothing holds', () => {
    const given = input([net, rule('a', 302), rule('b', 301)], looked([network, seen('a', 105), seen('b', 110)]));
    assert.deepEqual(numbers(given), { a: 120 });
  });
  test('one that goes keeps its number taken until it has gone', () => {
    const given = input([net, rule('a', 300)], looked([network, seen('gone', 109)]), {});
    assert.deepEqual(numbers(given), { a: 110 });
  });
  test('one that nobody wrote is drift', () =>
    assert.deepEqual(planned([net], [network, seen('rogue', 100)]), ['delete firewall-rule/core.rogue']));
  test('but not in a network whose document is gone', () =>
    assert.deepEqual(planned([], [network, seen('rogue', 100)]), ['orphan']));
});

const orderOf = ({ attributes }: Desired): RuleAttributes['order'] =>
  'order' in attributes ? attributes.order : undefined;

describe('spelling', () => {
  const spelled: Dialect = {
    ...dialect,
    respell: (desired, observed) => {
      const labels = 'labels' in observed.attributes ? observed.attributes.labels : {};
      return { ...desired, attributes: Object.assign({}, desired.attributes, { labels }) };
    },
  };
  test('a wish in the cloud’s own words is no difference', () => {
    const wanted = want('network', 'core', vpc('10.0.0.0/16', { Env: 'a' }));
    const stands = { ...network, attributes: vpc('10.0.0.0/16', { env: 'a' }) };
    assert.deepEqual(planned([wanted], [stands]), ['update network/core']);
    assert.deepEqual(summary({ ...input([wanted], looked([stands])), dialect: spelled }), []);
  });
});
