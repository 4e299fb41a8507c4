import { describe } from 'node:test';
import { withoutStore } from '../../../src/core/knowledge.ts';
import { pausePolicy } from '../../../src/core/plan/policies.ts';
import { appliedAs, at, input, know, looked, lost, scope, see, vpc, want } from '../plan/fixture.ts';
import { type Case, runCases } from './run-cases.ts';
import {
  applied,
  gap,
  ground,
  labelled,
  machine,
  net,
  pause,
  refused,
  spoken,
  standing,
  standingWeb,
  subnet,
  web,
} from './things.ts';

const cases: readonly Case[] = [
  { name: 'as wanted: in sync', given: input([net], looked([standing])), want: ['network/core InSync ours'] },
  { name: 'wanted, never there: pending', given: input([net], looked([])), want: ['network/core Pending none'] },
  {
    name: 'wanted, and gone behind our back: missing',
    given: input([net], looked([]), { knowledge: know([standing], applied(net)) }),
    want: ['network/core Missing none'],
  },
  {
    name: 'wanted, its listing failed: blocked, and nothing is concluded',
    given: input([net], looked([], { gaps: [gap] }), { knowledge: know([standing], applied(net)) }),
    want: ['network/core Blocked none not-observed'],
  },
  {
    name: 'a creation may still appear: settling',
    given: input([net], looked([]), { knowledge: know([], { pending: [lost('x')] }) }),
    want: ['network/core Settling none pending'],
  },
  {
    name: 'settled a moment ago and missing from the listing: settling',
    given: input([net], looked([], { pending: ['vpc-1'] }), { knowledge: know([standing]) }),
    want: ['network/core Settling none pending'],
  },
  {
    name: 'its name is taken: blocked, and what takes it is a row of its own',
    given: input([want('group', 'core.web', { network: at('network', 'core'), labels: {} }), net], {
      ...looked([standing, see('group', 'sg-9', { network: 'vpc-1', labels: {} }, { name: 'core-web' })]),
    }),
    want: ['group/core.web Blocked none name-taken', 'network/core InSync ours', 'group sg-9 Unmanaged unmanaged'],
  },
  {
    name: 'the spec moved: pending',
    given: input([labelled], looked([standing]), { knowledge: know([standing], applied(net)) }),
    want: ['network/core Pending ours'],
  },
  {
    name: 'the cloud moved: drifted',
    given: input([labelled], looked([standing]), { knowledge: know([standing], applied(labelled)) }),
    want: ['network/core Drifted ours'],
  },
  {
    name: 'without a store every difference is a change',
    given: input([labelled], looked([standing]), { knowledge: withoutStore('acme') }),
    want: ['network/core Pending ours'],
  },
  {
    name: 'what may not change: blocked',
    given: input([want('network', 'core', vpc('10.9.0.0/16'))], looked([standing])),
    want: ['network/core Blocked ours immutable'],
  },
  {
    name: 'a replace that protection holds: blocked',
    given: input(
      [
        net,
        subnet,
        {
          ...web,
          attributes: { ...web.attributes, machine: { ...machine, image: 'x' } },
          terms: { ...web.terms, protect: true },
        },
      ],
      looked([...ground, standingWeb]),
      { knowledge: appliedAs([...ground, standingWeb], [web]) },
    ),
    want: ['network/core InSync ours', 'subnet/core.app InSync ours', 'instance/web-0 Blocked ours protect'],
  },
  {
    name: 'what no spec asked for would lose a disk: blocked, whatever a mode says of it',
    given: input(
      [net, subnet, { ...web, attributes: { ...web.attributes, machine: { ...machine, image: 'x' } } }],
      looked([...ground, standingWeb]),
      { choices: { unattended: true } },
    ),
    want: ['network/core InSync ours', 'subnet/core.app InSync ours', 'instance/web-0 Blocked ours destructive-drift'],
  },
  {
    name: 'a mode waits for a person: still pending',
    given: input([net], looked([]), { choices: { unattended: true } }),
    want: ['network/core Pending none mode'],
  },
  {
    name: 'a person holds it still: paused, whatever else is true',
    given: input([net], looked([]), { choices: { policies: [pausePolicy([pause], spoken({}))] } }),
    attempt: refused,
    want: ['network/core Paused none paused'],
  },
  {
    name: 'the last attempt failed: failed',
    given: input([net], looked([])),
    attempt: refused,
    want: ['network/core Failed none VpcLimitExceeded'],
  },
  {
    name: 'what failed once and is as wanted by now is in sync',
    given: input([net], looked([standing])),
    attempt: refused,
    want: ['network/core InSync ours'],
  },
  {
    name: 'what was not sent because its ground failed: blocked',
    given: input([net], looked([])),
    attempt: {
      failed: [],
      held: [
        {
          type: 'withheld',
          address: at('network', 'core'),
          kind: 'network',
          action: 'create',
          code: 'depends',
          why: 'x failed',
          scope,
        },
      ],
    },
    want: ['network/core Blocked none depends'],
  },
  {
    name: 'an update that does not stick: failed',
    given: input([labelled], looked([standing]), {
      knowledge: know([standing], { unstuck: new Map([[at('network', 'core'), 3]]) }),
    }),
    want: ['network/core Failed ours non-convergent'],
  },
  {
    name: 'its update was begun: settling',
    given: input([labelled], looked([standing]), {
      knowledge: know([standing], { ...applied(net), pending: [{ ...lost('x'), verb: 'update' }] }),
    }),
    want: ['network/core Settling ours'],
  },
  {
    name: 'there, and not ready: settling',
    given: input([net, subnet, web], looked([...ground, { ...standingWeb, condition: { state: 'pending' } }])),
    want: ['network/core InSync ours', 'subnet/core.app InSync ours', 'instance/web-0 Settling ours'],
  },
  {
    name: 'a terminated machine is a row beside the one that is missing',
    given: input([net, subnet, web], looked([...ground, { ...standingWeb, condition: { state: 'gone' } }]), {
      knowledge: know([...ground, standingWeb], applied(net, subnet, web)),
    }),
    want: [
      'network/core InSync ours',
      'subnet/core.app InSync ours',
      'instance/web-0 Missing none',
      'instance i-1 Settling ours',
    ],
  },
];

describe('how something wanted stands', () => runCases(cases, import.meta.url));
