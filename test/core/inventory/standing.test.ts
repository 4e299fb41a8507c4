import { describe } from 'node:test';
import { allow, at, input, know, looked, lost, mark, see, settle, vpc, want } from '../plan/fixture.ts';
import { type Case, runCases } from './run-cases.ts';
import { gap, group, net, other, rogueRule, standing, standingGroup } from './things.ts';

const cases: readonly Case[] = [
  {
    name: 'claimed twice: a row each, both blocked',
    given: input([net], looked([standing, { ...standing, id: 'vpc-2' }])),
    want: ['network/core Blocked ours claimed-twice', 'network vpc-2 Blocked ours claimed-twice'],
  },
  {
    name: 'a twin that is to go: the other one is not compared before',
    given: input(
      [net],
      looked([
        standing,
        see('network', 'vpc-0', vpc(), {
          signs: { mark: mark(at('network', 'core'), { intent: 'x' }) },
          condition: { state: 'ready', empty: true },
        }),
      ]),
      { knowledge: know([standing], { pending: [lost('x')] }) },
    ),
    want: ['network/core Blocked ours claimed-twice', 'network vpc-0 Drifted ours'],
  },
  {
    name: 'named by adopt: one row, pending',
    given: input([want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } })], looked([other])),
    want: ['network/core Pending unmanaged'],
  },
  {
    name: "another estate's: blocked, and theirs is a row",
    given: input(
      [net],
      looked([see('network', 'vpc-3', vpc(), { signs: { mark: mark(at('network', 'core'), { estate: 'beta' }) } })]),
    ),
    want: ['network/core Blocked none owned-by', 'network vpc-3 Unmanaged other'],
  },
  {
    name: 'ours and wanted by nobody: orphan, at its address',
    given: input([], looked([standing])),
    want: ['network/core Orphan orphan'],
  },
  {
    name: 'ours, its document gone, to be deleted: pending',
    given: input([], looked([standing]), {
      knowledge: know([], {
        settled: new Map([['vpc-1', settle('network', at('network', 'core'), { deletionPolicy: 'delete' })]]),
      }),
    }),
    want: ['network/core Pending ours'],
  },
  {
    name: 'a limit holds what would be deleted: blocked',
    given: input([], looked([standing]), {
      knowledge: know([], {
        settled: new Map([['vpc-1', settle('network', at('network', 'core'), { deletionPolicy: 'delete' })]]),
      }),
      choices: { policies: [() => ({ code: 'limit', why: 'too many' })] },
    }),
    want: ['network/core Blocked ours limit'],
  },
  {
    name: 'a rule that nobody wrote, in a group of ours: drifted',
    given: input([net, group], looked([standing, standingGroup, rogueRule])),
    want: [
      'network/core InSync ours',
      'group/core.web InSync ours',
      'firewall-rule/core.web ingress tcp 22 0.0.0.0/0 Drifted ours',
    ],
  },
  {
    name: 'the same in an additive network: unmanaged',
    given: {
      ...input([net, group], looked([standing, standingGroup, rogueRule])),
      wanted: { ...input([net, group], looked([])).wanted, additive: new Set([at('network', 'core')]) },
    },
    want: [
      'network/core InSync ours',
      'group/core.web InSync ours',
      'firewall-rule/core.web ingress tcp 22 0.0.0.0/0 Unmanaged unmanaged',
    ],
  },
  {
    name: 'a rule in a group that is an orphan stays with it',
    given: input([net], looked([standing, standingGroup, rogueRule])),
    want: [
      'network/core InSync ours',
      'group/core.web Orphan orphan',
      'firewall-rule/core.web ingress tcp 22 0.0.0.0/0 Orphan orphan',
    ],
  },
  {
    name: 'a rule whose group was not listed: whose it is cannot be told',
    given: input([], looked([rogueRule], { gaps: [{ ...gap, kind: 'group' }] })),
    want: ['firewall-rule sgr-9 Unmanaged unmanaged'],
  },
  {
    name: 'an implied rule comes with its group',
    given: input(
      [want('firewall-rule', 'x', allow(at('group', 'core.web'), 'all', ['0.0.0.0/0']), { presence: 'implied' })],
      looked([]),
    ),
    want: ['firewall-rule/x Pending none'],
  },
  {
    name: 'what is only tolerated and does not stand has no row',
    given: input([want('network', 'core', vpc(), { presence: 'tolerated' })], looked([])),
    want: [],
  },
  {
    name: 'nobody claims it: unmanaged',
    given: input([], looked([other])),
    want: ['network vpc-9 Unmanaged unmanaged'],
  },
  {
    name: 'a copied mark makes nothing ours',
    given: input([], looked([see('network', 'vpc-9', vpc(), { signs: { mark: mark(at('network', 'core')) } })]), {
      knowledge: know([]),
    }),
    want: ['network vpc-9 Unmanaged copied-mark copied-mark'],
  },
  {
    name: 'another store of this estate writes here: what would be done is blocked',
    given: input(
      [net],
      looked([see('network', 'vpc-9', vpc(), { signs: { mark: mark(at('network', 'gone'), { store: 's2' }) } })]),
    ),
    want: ['network/core Blocked none foreign-store', 'network vpc-9 Unmanaged foreign-store'],
  },
];

describe('how what stands more than once, or unwanted, stands', () => runCases(cases, import.meta.url));
