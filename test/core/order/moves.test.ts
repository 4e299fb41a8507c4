import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import { nobodyAround, type Surroundings } from '../../../src/core/order/neighbours.ts';
import { at, create, desired, observed, attributes as of, remove } from '../../support/actions.ts';
import { regroup, waits } from '../../support/waits.ts';

interface Row {
  readonly name: string;
  readonly actions: readonly Action[];
  readonly around: Surroundings;
  readonly want: readonly string[];
}

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
];

describe('machines that change groups', () => {
  for (const row of rows) it(row.name, () => assert.deepEqual(waits(row.actions, row.around), row.want));
});
