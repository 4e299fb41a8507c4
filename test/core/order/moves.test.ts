import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import { actionDigest, halvesOf } from '../../../src/core/digest.ts';
import { nobodyAround, type Surroundings } from '../../../src/core/order/neighbours.ts';
import { order } from '../../../src/core/order/order.ts';
import { at, create, desired, observed, attributes as of, remove } from '../../support/actions.ts';
import { regroup, waits } from '../../support/waits.ts';

interface Row {
  readonly name: string;
  readonly actions: readonly Action[];
  readonly around: Surroundings;
  readonly want: readonly string[];
}

/** Machines of the group `lb` are reached from blocks, and those of `web` from that group alone. */
const reaching = (blocks: readonly string[]): Surroundings => {
  const rules = [
    of.rule('core.lb', { peers: blocks }),
    of.rule('core.web', { peers: [`group:${at('group', 'core.web')}`] }),
  ];
  const member = { before: [at('group', 'core.lb')], after: [at('group', 'core.web')], blocks: ['10.0.1.0/24'] };
  return { ...nobodyAround, blocks: ['10.0.0.0/16'], members: [member], standing: rules, wanted: rules };
};

const rows: readonly Row[] = [
  {
    name: 'a rule for a group that a machine joins comes after it has left the one whose rule lets others in',
    actions: [
      regroup('db-0', ['core.db'], ['core.lb']),
      create(desired('firewall-rule', 'out', of.rule('core.lb', { direction: 'egress', peers: ['10.0.0.0/8'] }))),
    ],
    around: {
      ...nobodyAround,
      blocks: ['10.0.0.0/16'],
      members: [
        { before: [at('group', 'core.lb')], after: [at('group', 'core.lb')], blocks: ['10.0.1.0/24'] },
        { before: [at('group', 'core.db')], after: [at('group', 'core.lb')], blocks: ['10.0.1.0/24'] },
      ],
      standing: [of.rule('core.db')],
      wanted: [of.rule('core.db'), of.rule('core.lb', { direction: 'egress', peers: ['10.0.0.0/8'] })],
    },
    want: ['out: ~db-0'],
  },
  {
    name: 'a machine joins a group once its old rules are gone, though others of it let some of the same through',
    actions: [
      regroup('db-0', ['core.db'], ['core.web']),
      remove('anyone', observed('firewall-rule', 'sgr-1', of.rule('core.web'))),
    ],
    around: {
      ...nobodyAround,
      members: [{ before: [at('group', 'core.db')], after: [at('group', 'core.web')], blocks: ['10.0.1.0/24'] }],
      standing: [of.rule('core.web'), of.rule('core.web', { peers: ['192.168.0.0/16'] })],
      wanted: [of.rule('core.web', { peers: ['192.168.0.0/16'] })],
    },
    want: ['db-0: anyone ~anyone'],
  },
  {
    name: 'an old rule goes after one that it lets in has joined the group that is let in then',
    actions: [
      regroup('db-0', ['core.db'], ['core.db', 'core.app']),
      remove('anyone', observed('firewall-rule', 'sgr-1', of.rule('core.web'))),
    ],
    around: {
      ...nobodyAround,
      members: [
        { before: [at('group', 'core.web')], after: [at('group', 'core.web')], blocks: ['10.0.1.0/24'] },
        { before: [at('group', 'core.db')], after: ['core.db', 'core.app'].map((one) => at('group', one)), blocks: [] },
      ],
      standing: [of.rule('core.web'), of.rule('core.web', { peers: [`group:${at('group', 'core.app')}`] })],
      wanted: [of.rule('core.web', { peers: [`group:${at('group', 'core.app')}`] })],
    },
    want: ['anyone: db-0'],
  },
  {
    name: 'a machine that joins a group without machines waits for its old rules, and they do not wait for it',
    actions: [
      regroup('db-0', ['core.db'], ['core.web']),
      remove('anyone', observed('firewall-rule', 'sgr-1', of.rule('core.web', { peers: ['0.0.0.0/0'] }))),
    ],
    around: {
      ...nobodyAround,
      blocks: ['10.0.0.0/16'],
      members: [{ before: [at('group', 'core.db')], after: [at('group', 'core.web')], blocks: ['10.0.1.0/24'] }],
      standing: [
        of.rule('core.web', { peers: ['0.0.0.0/0'] }),
        of.rule('core.web', { peers: [`group:${at('group', 'core.web')}`] }),
      ],
      wanted: [of.rule('core.web', { peers: [`group:${at('group', 'core.web')}`] })],
    },
    want: ['db-0: anyone'],
  },
  {
    name: 'machines that reach each other by groups that both change join the new one before they leave the old one',
    actions: [regroup('web-0', ['core.lb'], ['core.web']), regroup('web-1', ['core.lb'], ['core.web'])],
    around: reaching(['10.0.0.0/8']),
    want: ['web-0: web-0+ web-1+', 'web-1: web-0+ web-1+'],
  },
  {
    name: 'they change both at once where the old rules let none of them through to another',
    actions: [regroup('web-0', ['core.lb'], ['core.web']), regroup('web-1', ['core.lb'], ['core.web'])],
    around: reaching(['192.168.0.0/16']),
    want: [],
  },
  {
    name: 'one that only joins needs no step of its own',
    actions: [regroup('web-0', ['core.lb'], ['core.web']), regroup('web-1', ['core.lb'], ['core.lb', 'core.web'])],
    around: reaching(['10.0.0.0/8']),
    want: ['web-0: web-1'],
  },
];

describe('machines that change groups', () => {
  for (const row of rows) it(row.name, () => assert.deepEqual(waits(row.actions, row.around), row.want));
});

describe('a change of groups of which the machine has joined the new ones', () => {
  it('is what is planned then: an approval of the whole permits it', () => {
    const digest = (text: string): string => text;
    const planned = regroup('web-0', ['core.lb'], ['core.web']);
    assert.ok('changes' in planned);
    const both = ['core.lb', 'core.web'].map((one) => at('group', one));
    const again = { ...planned, changes: planned.changes.map((one) => ({ ...one, from: both })) };
    const [joining] = order(
      [planned, regroup('web-1', ['core.lb'], ['core.web'])],
      reaching(['10.0.0.0/8']),
    ).steps.slice(2);
    assert.deepEqual(joining && halvesOf(joining.action, digest), [actionDigest(again, digest)]);
  });
});
