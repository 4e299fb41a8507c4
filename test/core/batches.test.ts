import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../src/core/action.ts';
import { type BatchLimits, pack } from '../../src/core/batches.ts';
import { create, desired, observed, attributes as of, remove, replace, update } from '../support/actions.ts';

const limits: BatchLimits = {
  'firewall-rule/create': 3,
  'firewall-rule/delete': 3,
  'instance/create': 3,
  'instance/delete': 1000,
  'instance/update': 1000,
};

const rule = (name: string, group = 'web', direction: 'ingress' | 'egress' = 'ingress') =>
  desired('firewall-rule', name, of.rule(group, { direction }));
const machine = (name: string, size = 'small') => {
  const attributes = of.instance();
  return desired('instance', name, { ...attributes, machine: { ...attributes.machine, size } });
};
const seen = (id: string) => observed('instance', id, of.instance());
const label = (name: string, to: string, from: string): Action =>
  update(machine(name), seen(name), [{ field: 'labels.tier', from, to }]);

/** Batches as the last part of their addresses. */
const names = (actions: readonly Action[]): readonly string[] =>
  pack(actions, limits).map((batch) => batch.actions.map(({ address }) => address.split('/').at(-1)).join(' '));

const rows: readonly { name: string; actions: readonly Action[]; want: readonly string[] }[] = [
  { name: 'nothing makes no batch', actions: [], want: [] },
  {
    name: 'rules of one group and direction share a call, up to the limit',
    actions: ['a', 'b', 'c', 'd'].map((name) => create(rule(name))),
    want: ['a b c', 'd'],
  },
  {
    name: 'another group or direction is another call, wherever it stands',
    actions: [create(rule('a')), create(rule('b', 'db')), create(rule('c', 'web', 'egress')), create(rule('d'))],
    want: ['a d', 'b', 'c'],
  },
  {
    name: 'equal machines of one document are launched together',
    actions: ['web-0', 'web-1', 'web-2', 'web-3', 'db-0'].map((name) => create(machine(name))),
    want: ['web-0 web-1 web-2', 'web-3', 'db-0'],
  },
  {
    name: 'a machine that differs, or a hole in the ordinals, starts another launch',
    actions: [create(machine('web-0')), create(machine('web-2')), create(machine('web-3', 'large'))],
    want: ['web-0', 'web-2', 'web-3'],
  },
  {
    name: 'tens follow nines',
    actions: ['web-9', 'web-10'].map((name) => create(machine(name))),
    want: ['web-9 web-10'],
  },
  {
    name: 'launches are in order of their numbers, whatever order of texts they come in, and keep the places they had',
    actions: [
      ...['web-0', 'web-1', 'web-10', 'web-11'].map((name) => create(machine(name))),
      create(rule('a')),
      ...['web-2', 'web-9'].map((name) => create(machine(name))),
    ],
    want: ['web-0 web-1 web-2', 'web-9 web-10 web-11', 'a'],
  },
  {
    name: 'machines of any document end in one call',
    actions: [remove('web-0', seen('i-1')), remove('db-0', seen('i-2'))],
    want: ['web-0 db-0'],
  },
  {
    name: 'the same labels are written together, whatever stood there; others are not',
    actions: [label('web-0', 'a', 'x'), label('web-1', 'b', 'x'), label('web-2', 'a', 'y')],
    want: ['web-0 web-2', 'web-1'],
  },
  {
    name: 'any other update goes by itself',
    actions: ['web-0', 'web-1'].map((name) =>
      update(machine(name), seen(name), [{ field: 'machine.size', from: 'small', to: 'large' }]),
    ),
    want: ['web-0', 'web-1'],
  },
  {
    name: 'replacements go one by one',
    actions: ['web-0', 'web-1'].map((name) => replace(machine(name), seen(name))),
    want: ['web-0', 'web-1'],
  },
  {
    name: 'what has no limit of its own goes singly',
    actions: ['a', 'b'].map((name) => create(desired('group', name, of.group()))),
    want: ['a', 'b'],
  },
  {
    name: 'kinds and verbs never mix',
    actions: [create(machine('web-0')), remove('web-1', seen('i-1')), create(rule('a'))],
    want: ['web-0', 'web-1', 'a'],
  },
];

describe('pack', () => {
  for (const row of rows) it(row.name, () => assert.deepEqual(names(row.actions), row.want));
});
