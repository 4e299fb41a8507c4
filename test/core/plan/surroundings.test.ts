import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import type { Desired } from '../../../src/core/desired.ts';
import type { Gap, Observed } from '../../../src/core/observed.ts';
import type { Claim } from '../../../src/core/plan/claim.ts';
import { surroundingsOf } from '../../../src/core/plan/surroundings.ts';
import { worldOf } from '../../../src/core/plan/world.ts';
import type { Kind } from '../../../src/core/resource.ts';
import { at, attributes, create, desired, observed, remove, replace, update } from '../../support/actions.ts';
import { input, looked } from './fixture.ts';

const us = (kind: Kind, name: string): Claim => ({ by: 'us', address: at(kind, name) });
const nobody: Claim = { by: 'nobody', copied: false };

type Seen = readonly (readonly [Observed, Claim])[];

const around = (
  actions: readonly Action[],
  { seen = [], wanted = [], gaps = [] }: { seen?: Seen; wanted?: readonly Desired[]; gaps?: readonly Gap[] } = {},
) =>
  surroundingsOf(
    actions,
    wanted,
    worldOf(
      input(wanted, looked([], { gaps })),
      seen.map(([one, claim]) => ({ observed: one, claim })),
    ),
  );

const g = (name: string): string => at('group', name);
const app = desired('subnet', 'core.app', attributes.subnet('core', '10.0.1.0/24'));
const appSeen = [
  observed('subnet', 'subnet-1', attributes.subnet('core', '10.0.1.0/24')),
  us('subnet', 'core.app'),
] as const;
const core = desired('network', 'core', attributes.network());
const machine = (id: string, groups: readonly string[], subnet = 'core.app'): Observed<'instance'> =>
  observed('instance', id, attributes.instance(subnet, groups));
const wish = (name: string, groups: readonly string[], subnet = 'core.app') =>
  desired('instance', name, attributes.instance(subnet, groups));
const rule = desired('firewall-rule', 'web-in', attributes.rule('core.web'));
const ruleSeen = observed('firewall-rule', 'sgr-1', attributes.rule('core.web', { ports: '22' }));

describe('machines and rules beside the actions', () => {
  const seen: Seen = [
    [machine('i-2', ['core.web', 'core.app']), us('instance', 'web-0')],
    [machine('i-1', ['core.db']), nobody],
    [observed('group', 'sg-1', attributes.group()), nobody],
    appSeen,
  ];
  const members = {
    db: { before: [g('core.db')], after: [g('core.db')], blocks: ['10.0.1.0/24'] },
    web: { before: [g('core.app'), g('core.web')], after: [g('core.app'), g('core.web')], blocks: ['10.0.1.0/24'] },
  };

  it('none, where neither a rule nor a machine changes', () => {
    assert.equal(around([]), undefined);
    assert.equal(around([create(core), create(app)], { seen }), undefined);
    const forget: Action = { ...create(rule), verb: 'forget', id: 'sgr-1', because: 'gone' } as Action; // why: as plans have it
    assert.equal(around([forget], { seen }), undefined);
    assert.equal(around([create(wish('web-1', ['core.web']))], { seen }), undefined, 'a new machine alone');
  });

  for (const [name, action] of [
    ['is made', create(rule)],
    ['is changed', update(rule, ruleSeen, [])],
    ['goes', remove('web-in', ruleSeen)],
  ] as const)
    it(`where a rule ${name}: who stands where, ours and others', and no rules`, () => {
      const found = around([action], { seen: [...seen, [ruleSeen, nobody]], wanted: [core, app, rule] });
      assert.deepEqual(found, {
        members: [members.web, members.db],
        blocks: ['10.0.0.0/16', '10.0.1.0/24'],
        isWhole: true,
        standing: [],
        wanted: [],
      });
    });

  it('a machine that goes is in no group after; alone it brings no rules', () => {
    const found = around([remove('web-0', machine('i-2', ['core.web', 'core.app']))], { seen, wanted: [rule] });
    assert.deepEqual(found?.members, [{ ...members.web, after: [] }, members.db]);
    assert.deepEqual([found?.standing, found?.wanted], [[], []]);
  });

  for (const [name, action] of [
    [
      'update',
      update(wish('web-0', ['core.db', 'core.app']), machine('i-2', []), [{ field: 'groups', from: [], to: [] }]),
    ],
    ['replace', replace(wish('web-0', ['core.db', 'core.app']), machine('i-2', []))],
  ] as const)
    it(`${name}: a machine is in its new groups after, and all rules are there`, () => {
      const twice = { ...ruleSeen, id: 'sgr-2' };
      const found = around([action], {
        seen: [...seen, [ruleSeen, nobody], [twice, nobody]],
        wanted: [rule, desired('firewall-rule', 'web-22', ruleSeen.attributes)],
      });
      assert.deepEqual(found?.members, [{ ...members.web, after: [g('core.app'), g('core.db')] }, members.db]);
      assert.deepEqual(found?.standing, [ruleSeen.attributes], 'each once');
      assert.deepEqual(found?.wanted, [ruleSeen.attributes, rule.attributes]);
    });

  it('one whose new groups are not said, or not changed, keeps those it has', () => {
    const { groups: _, ...rest } = attributes.instance();
    const web = machine('i-2', ['core.web', 'core.app']);
    for (const one of [desired('instance', 'web-0', rest), wish('web-0', ['core.db'])])
      assert.deepEqual(around([update(one, web, [])], { seen })?.members, [members.web, members.db]);
  });

  it('a machine that is made was in no group before', () => {
    const found = around([create(rule), create(wish('web-1', ['core.web', 'core.db']))], { seen: [appSeen] });
    assert.deepEqual(found?.members, [{ before: [], after: [g('core.db'), g('core.web')], blocks: ['10.0.1.0/24'] }]);
  });

  it('machines that stand alike count once', () => {
    const found = around([create(rule)], { seen: [...seen, [machine('i-9', ['core.app', 'core.web']), nobody]] });
    assert.deepEqual(found?.members, [members.web, members.db]);
  });

  it('it is not whole where machines were not all listed, and only then', () => {
    const gap = (kind: Kind): Gap => ({ kind, code: 'denied', reason: 'no' });
    assert.equal(around([create(rule)], { gaps: [gap('instance')] })?.isWhole, false);
    assert.equal(around([create(rule)], { gaps: [gap('group'), gap('firewall-rule')] })?.isWhole, true);
  });
});

describe('a machine of Google Cloud', () => {
  it('of Google Cloud: the service account of a machine is a group of its', () => {
    const email = 'web@acme-prod.iam.gserviceaccount.com';
    const tag = at('group', 'core.web');
    const runs = (identity: string) => ({
      ...attributes.instance('core.app', ['core.web']),
      machine: { ...attributes.instance().machine, identity },
    });
    const [before, after] = [
      observed('instance', 'i-1', runs(email)),
      desired('instance', 'web-0', runs(`new-${email}`)),
    ];
    const change = update(after, before, [{ field: 'machine.identity' }]);
    const found = around([change, create(desired('instance', 'web-1', runs(email)))], {
      seen: [[before, us('instance', 'web-0')], [observed('instance', 'i-2', runs('a-profile')), nobody], appSeen],
    });
    const [old, next] = [`service-account:${email}`, `service-account:new-${email}`];
    assert.deepEqual(
      found?.members.map(({ before: was, after: then }) => [was, then]),
      [
        [
          [tag, old],
          [tag, next],
        ],
        [[tag], [tag]],
        [[], [tag, old]],
      ],
    );
  });
});

describe('the block in which a machine stands', () => {
  const other: Seen[number] = [observed('subnet', 'subnet-9', attributes.subnet('core', '10.0.9.0/24')), nobody];
  const blocksOf = (subnet: string, seen: Seen, wanted: readonly Desired[] = []) => {
    const one = observed('instance', 'i-1', attributes.instance('x', []));
    const placement = { ...one.attributes.placement, subnet };
    const placed = { ...one, attributes: { ...one.attributes, placement } };
    return around([create(rule)], { seen: [[placed, nobody], ...seen], wanted })?.members.flatMap(
      ({ blocks }) => blocks,
    );
  };
  it('of ours, by its address', () =>
    assert.deepEqual(blocksOf(at('subnet', 'core.app'), [appSeen, other]), ['10.0.1.0/24']));
  it('of others, by its id', () => assert.deepEqual(blocksOf('subnet-9', [appSeen, other]), ['10.0.9.0/24']));
  it('of one that is wanted only', () =>
    assert.deepEqual(blocksOf(app.address, [other], [core, app]), ['10.0.1.0/24']));
  it('of one that nobody knows: any, sorted and each once', () => {
    const same: Seen[number] = [observed('subnet', 'subnet-8', attributes.subnet('core', '10.0.9.0/24')), nobody];
    assert.deepEqual(blocksOf('subnet-7', [other, same, appSeen]), ['10.0.1.0/24', '10.0.9.0/24']);
  });
  it('networks without a block, and other things with one, are none', () => {
    const bare = desired('network', 'bare', { internet: false, labels: {} });
    const found = around([create(rule)], {
      wanted: [bare, core],
      seen: [[observed('network', 'vpc-9', { ...attributes.network(), cidr: '10.9.0.0/16' }), nobody], other],
    });
    assert.deepEqual(found?.blocks, ['10.0.0.0/16', '10.0.9.0/24', '10.9.0.0/16']);
  });
});

it('the order in which a cloud lists changes nothing', () => {
  const found = (turned: <T>(all: readonly T[]) => readonly T[]) =>
    around([update(wish('web-0', ['core.db']), machine('i-1', []), [])], {
      seen: turned<Seen[number]>([
        [machine('i-1', turned(['core.web', 'core.app'])), us('instance', 'web-0')],
        [machine('i-2', turned(['core.app', 'core.web']), 'unknown'), nobody],
        [machine('i-3', ['core.db']), nobody],
        [ruleSeen, nobody],
        [{ ...ruleSeen, id: 'sgr-2', attributes: attributes.rule('core.db') }, nobody],
        appSeen,
        [observed('subnet', 'subnet-9', attributes.subnet('core', '10.0.0.128/25')), nobody],
        [observed('network', 'vpc-9', { ...attributes.network(), cidr: '10.9.0.0/16' }), nobody],
      ]),
      wanted: turned<Desired>([core, app, rule, desired('firewall-rule', 'a', attributes.rule('core.a'))]),
    });
  assert.deepEqual(
    found((all) => all.toReversed()),
    found((all) => all),
  );
});
