import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Desired } from '../../../src/core/desired.ts';
import type { Row } from '../../../src/core/inventory/row.ts';
import { observableResources } from '../../../src/core/inventory/rows.ts';
import { withoutStore } from '../../../src/core/knowledge.ts';
import type { Gap } from '../../../src/core/observed.ts';
import { actionRecorder } from '../../../src/core/plan/destructive-drift.ts';
import { pauseHold } from '../../../src/core/plan/holds.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import {
  allow,
  appliedAs,
  at,
  dialect,
  ground,
  input,
  know,
  looked,
  lost,
  mark,
  net,
  ours,
  scope,
  see,
  settle,
  standing,
  subnet,
  vpc,
  want,
} from '../plan/fixture.ts';
import { rowed } from '../plan/run-cases.ts';
import {
  anyInput,
  applied,
  type Case,
  gap,
  group,
  labelled,
  machine,
  other,
  pause,
  refused,
  rogueRule,
  runCases,
  spoken,
  standingGroup,
  standingWeb,
  web,
} from './fixture.ts';

const owned = (desired: Desired, owner: string): Desired => ({
  ...desired,
  documents: desired.documents.map((document) => ({ ...document, owner })),
});
const stated = want('firewall-rule', 'core.web ingress tcp 443 0.0.0.0/0', allow(group.address, '443', ['0.0.0.0/0']));
const groupToAdopt = see('group', 'sg-9', { network: 'vpc-1', labels: {} });
const ruleIn = (container: string) =>
  see(
    'firewall-rule',
    'sgr-443',
    { ...allow(container, '443', ['0.0.0.0/0']), network: 'vpc-1' },
    { signs: { container } },
  );
const only = (given: PlanInput): Row => {
  const [row] = rowed(given);
  assert.ok(row);
  return row;
};

describe('a row tells whose it is and how far', () => {
  it('the owner that its documents name, never a label of the cloud', () => {
    const tagged = ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { owner: 'team-evil' }));
    assert.equal(only(input([owned(net, 'team-net')], looked([tagged]))).whose.owner, 'team-net');
    assert.equal(only(input([net], looked([tagged]))).whose.owner, undefined);
  });

  it('the owner that it had, once no document names it', () => {
    const settled = new Map([['vpc-1', settle('network', at('network', 'core'), { owners: ['team-net'] })]]);
    assert.equal(only(input([], looked([standing]), { knowledge: know([], { settled }) })).whose.owner, 'team-net');
  });

  it('the targets of its documents, and all of the scope where it is of nobody', () => {
    const wanted = { ...spoken({ targets: ['b'] }), targets: ['a', 'b'] };
    assert.deepEqual(only({ ...input([net], looked([])), wanted }).place.targets, ['b']);
    assert.deepEqual(only({ ...input([], looked([other])), wanted: { ...wanted, desired: [] } }).place.targets, [
      'a',
      'b',
    ]);
  });

  it('the newest generation that it was in step with', () => {
    const generation = (given: PlanInput): number => only(given).state.generation;
    assert.equal(generation(input([net], looked([standing]))), 7);
    assert.equal(generation(input([labelled], looked([standing]), { knowledge: know([standing], applied(net)) })), 5);
    assert.equal(generation(input([net], looked([]))), 0);
  });
});

describe('a row tells what it is called', () => {
  it('as the cloud calls it, else as its document does, else by its address, else nothing', () => {
    const { name: _, ...anonymous } = standing;
    const unnamed = { ...anonymous, name: '' };
    assert.equal(only(input([], looked([{ ...other, name: 'theirs' }]))).called.name, 'theirs');
    assert.equal(only(input([net], looked([unnamed]))).called.name, 'core');
    assert.equal(only(input([], looked([unnamed]))).called.name, 'core');
    assert.equal(only(input([], looked([{ ...other, name: '' }]))).called.name, '');
  });
});

describe('a row tells what differs, and where', () => {
  it('the differences, the next change, and the reason for which it is held', () => {
    const choices = { unattended: true };
    const row = only(
      input([labelled], looked([standing]), { knowledge: know([standing], applied(labelled)), choices }),
    );
    assert.deepEqual(row.sides.diff, [{ field: 'labels.tier', to: 'web' }]);
    assert.deepEqual(row.sides.next, {
      verb: 'update',
      cause: 'drift',
      held: 'its mode is plan: a person applies it, or approves it with: setpoint approve --reason "…"',
    });
    assert.equal(
      row.state.reason,
      'It was changed on the cloud: labels.tier. Its mode is plan: a person applies it, or approves it with: setpoint approve --reason "…"',
    );
  });

  it('the differences where it is blocked too', () => {
    const row = only(input([want('network', 'core', vpc('10.9.0.0/16'))], looked([standing])));
    assert.deepEqual(row.sides.diff, [{ field: 'cidr', from: '10.0.0.0/16', to: '10.9.0.0/16' }]);
    assert.equal(row.sides.next, undefined);
  });

  it('both sides with addresses where they are ours, and its labels as seen', () => {
    const row = rowed(input([net, subnet], looked(ground)))[1];
    assert.deepEqual(row?.sides.observed?.attributes, { ...subnet.attributes });
    assert.deepEqual(row?.sides.desired?.attributes, subnet.attributes);
    const tagged = only(input([net], looked([ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { a: 'b' }))])));
    assert.deepEqual(tagged.called.labels, { a: 'b' });
  });

  it('where it is: the place of its address, or that its name takes', () => {
    const place = (given: PlanInput) => only(given).place;
    assert.deepEqual(place(input([net], looked([]))), {
      scope,
      cloud: 'aws',
      account: '1',
      region: 'eu-1',
      kind: 'network',
      targets: ['prod'],
    });
    const gcp = { ...dialect, cloud: 'gcp' } as const;
    const global = want('network', 'core', vpc());
    const given = input([{ ...global, address: 'gcp/acme/global/network/core' }], { ...looked([]), scope: 'gcp/acme' });
    assert.equal(place({ ...given, dialect: gcp }).region, '');
    const unnamed = see(
      'subnet',
      's',
      { network: 'n', cidr: '10.0.0.0/24', labels: {} },
      { signs: { slot: 'gcp/acme/europe-west1/subnet/x' } },
    );
    assert.equal(
      place({ ...input([], { ...looked([unnamed]), scope: 'gcp/acme' }), dialect: gcp }).region,
      'europe-west1',
    );
  });
});

const cases: readonly Case[] = [
  {
    name: 'claimed twice: a row each, both blocked',
    given: input([net], looked([standing, { ...standing, id: 'vpc-2' }])),
    want: ['network/core Blocked ours duplicate-claim', 'network vpc-2 Blocked ours duplicate-claim'],
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
    want: ['network/core Blocked ours duplicate-claim', 'network vpc-0 Drifted ours'],
  },
  {
    name: 'named by adopt: one row, pending',
    given: input([want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } })], looked([other])),
    want: ['network/core Pending unmanaged'],
  },
  {
    name: 'a rule of a group that a document adopts: one row, pending',
    given: input(
      [net, want('group', 'core.web', group.attributes, { claim: { adopt: 'sg-9' } }), stated],
      looked([standing, groupToAdopt, ruleIn('sg-9')]),
    ),
    want: [
      'network/core InSync ours',
      'group/core.web Pending unmanaged',
      'firewall-rule/core.web ingress tcp 443 0.0.0.0/0 Pending unmanaged',
    ],
  },
  {
    name: 'a rule of a group that no document adopts: no document stands for it',
    given: input([net], looked([standing, groupToAdopt, ruleIn('sg-9')])),
    want: ['network/core InSync ours', 'group sg-9 Unmanaged unmanaged', 'firewall-rule sgr-443 Unmanaged unmanaged'],
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
      choices: { holds: [() => ({ code: 'limit', why: 'too many' })] },
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

describe('doubles and unwanted objects', () => runCases(cases, 'standing'));

const wantedCases: readonly Case[] = [
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
    given: input([net], looked([]), { choices: { holds: [pauseHold([pause], spoken({}))] } }),
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

describe('wanted resources', () => runCases(wantedCases, 'wanted'));

const runs = { numRuns: 400 };
const sorted = (texts: readonly string[]): readonly string[] => texts.toSorted();
const idsOf = (rows: readonly Row[]): readonly string[] => rows.flatMap(({ called }) => called.id ?? []);

describe('any objects and any specs', () => {
  it('every object and every wish is in exactly one row, and no two rows have one key', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const rows = rowed(given);
        assert.deepEqual(sorted(idsOf(rows)), sorted(given.observation.resources.map(({ id }) => id)));
        const wished = rows
          .filter(({ sides }) => sides.desired !== undefined)
          .map(({ called }) => called.address ?? '');
        assert.deepEqual(sorted(wished), sorted(given.wanted.desired.map(({ address }) => address)));
        assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
      }),
      runs,
    );
  });

  it('nothing is in sync for which something is to be done or was found', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const { actions, findings } = planned(given);
        const busy = new Set(
          [...actions, ...findings].flatMap((one) => ('address' in one && !isForget(one) ? [one.address] : [])),
        );
        for (const { called, state } of rowed(given))
          assert.ok(state.status !== 'InSync' || !busy.has(called.address ?? ''), `${called.address} is in sync`);
      }),
      runs,
    );
  });

  it('a resource in sync exists, is wanted and does not differ', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        for (const { state, sides, whose } of rowed(given)) {
          if (state.status !== 'InSync') continue;
          assert.deepEqual(sides.diff, []);
          assert.equal(whose.claim, 'ours');
          assert.ok(sides.desired && sides.observed?.state === 'ready');
        }
      }),
      runs,
    );
  });
});

/** Held back or not. */
function planned(given: PlanInput) {
  const noted = actionRecorder();
  const holds = [noted.hold, ...(given.choices?.holds ?? [])];
  const { findings } = plan({ ...given, choices: { ...given.choices, holds } });
  return { actions: noted.planned(), findings };
}

const isForget = (one: object): boolean => 'verb' in one && one.verb === 'forget';

const tellingNet = want('network', 'core', vpc());
const tellingStanding = ours('network', 'core', 'vpc-1', vpc());
const rule = see(
  'firewall-rule',
  'sgr-1',
  { ...allow('sg-1', '22', ['any']), network: 'vpc-1' },
  { signs: { container: 'sg-1' } },
);
const gapOf = (kind: Gap['kind']): Gap => ({ kind, code: 'Throttled', reason: 'page 2 failed' });

function told(given: ReturnType<typeof input>) {
  const { rows, gaps } = observableResources(rowed(given), given.observation);
  return { rows: rows.map(({ key }) => key), gaps: gaps.map(({ kind }) => kind) };
}

describe('the kinds that an observation covers', () => {
  it('all of it where everything was listed', () => {
    assert.deepEqual(told(input([tellingNet], looked([tellingStanding]))), { rows: [at('network', 'core')], gaps: [] });
  });

  it('wanted resources, also of a kind that was not listed', () => {
    const given = input([tellingNet], looked([], { gaps: [gapOf('network')] }));
    assert.deepEqual(told(given), { rows: [at('network', 'core')], gaps: ['network'] });
  });

  it('nothing of rules whose group was not listed', () => {
    assert.deepEqual(told(input([], looked([rule], { gaps: [gapOf('group')] }))), {
      rows: [],
      gaps: ['group', 'firewall-rule'],
    });
  });

  it('of rules whose group was seen, though another kind was not', () => {
    const group = see('group', 'sg-1', { network: 'vpc-1', labels: {} });
    const given = input([], looked([group, rule], { gaps: [gapOf('instance')] }));
    assert.deepEqual(told(given), { rows: ['group sg-1', 'firewall-rule sgr-1'], gaps: ['instance'] });
  });
});

describe('drift that is healed in one part, and reported in another', () => {
  const drifted = {
    ...standingWeb,
    attributes: {
      ...standingWeb.attributes,
      machine: { ...machine, size: 't3.large', power: 'stopped' as const },
    },
  };
  const enforced = { ...web, terms: { ...web.terms, mode: 'enforce' as const } };
  const size = { as: 'report', document: 'Target prod', file: 'prod.yaml', line: 3 } as const;
  const { wanted, ...rest } = input([net, subnet, enforced], looked([...ground, drifted]), {
    knowledge: know([...ground, drifted], applied(net, subnet, web)),
  });
  const documents = new Map(wanted.documents).set(at('instance', 'web'), {
    ...{ mode: 'enforce', protect: false, targets: ['prod'] },
    remediation: { 'instance.size': size },
  });
  const rowWith = (choices: PlanInput['choices']): Row | undefined =>
    rowed({ ...rest, wanted: { ...wanted, documents }, choices }).find(({ key }) => key === web.address);

  it('has the reason of the part that the row tells', () => {
    const hold = pauseHold([pause], wanted);
    for (const holds of [[hold], []]) {
      const row = rowWith({ unattended: true, approved: () => false, holds });
      assert.equal(row?.state.code, 'remediation');
      assert.match(row?.state.reason ?? '', /changed on the cloud: machine\.size\. .*remediation of size is report/i);
    }
  });
});
