import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Dialect } from '../../../src/core/compile/dialect.ts';
import type { Ended, Knowledge } from '../../../src/core/knowledge.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Allowed } from '../../../src/core/plan/plan-input.ts';
import {
  allow,
  appliedAs,
  at,
  dialect as fixture,
  input,
  know,
  looked,
  lost,
  mark,
  neverShownOf,
  ours,
  see,
  settle,
  vpc,
  want,
} from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';
import { summary } from './summary.ts';

/** What the store let go of and the cloud shows again. `core` is wanted and stands as `vpc-1`, settled. */
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
    want: ['blocked network/core: claimed-twice'],
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
    given: beside(late, { ended: ended('deleted'), neverShown: neverShownOf('late') }),
    want: ['delete network/core (again)'],
  },
];

runCases(cases, 'ended');

const lateTwinCore = at('network', 'core');
const lateTwinNet = want('network', 'core', vpc());
const lateTwinStanding = ours('network', 'core', 'vpc-1', vpc());
const app = { cidr: '10.0.1.0/24', labels: {} };
const neverShown = neverShownOf('late');

const lateTwinLate = (empty: boolean, intent = 'late') =>
  see('network', 'vpc-0', vpc(), {
    signs: { mark: mark(lateTwinCore, { intent }) },
    condition: { state: 'ready', empty },
  });

const lateTwinCases: readonly Case[] = [
  {
    name: 'what a call made that came after it was given up goes, where another stands in its place',
    given: input([lateTwinNet], looked([lateTwinStanding, lateTwinLate(true)]), {
      knowledge: know([lateTwinStanding], { neverShown }),
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
          neverShown,
        }),
      },
    ),
    want: ['delete network/core (twin)'],
  },
  {
    name: 'but not where something stands in it',
    given: input([lateTwinNet], looked([lateTwinStanding, lateTwinLate(false)]), {
      knowledge: know([lateTwinStanding], { neverShown }),
    }),
    want: ['copied-mark vpc-0'],
  },
  {
    name: 'nor where its intent was answered, or never was ours',
    given: input([lateTwinNet], looked([lateTwinStanding, lateTwinLate(true, 'other')]), {
      knowledge: know([lateTwinStanding], { neverShown }),
    }),
    want: ['copied-mark vpc-0'],
  },
  {
    name: 'nor while nothing that we settled stands in its place',
    given: input([], looked([lateTwinLate(true)]), { knowledge: know([], { neverShown }) }),
    want: ['copied-mark vpc-0'],
  },
  {
    name: 'nor where both are settled',
    given: input([lateTwinNet], looked([lateTwinStanding, lateTwinLate(true)]), {
      knowledge: know([lateTwinStanding], {
        neverShown,
        settled: new Map([
          ['vpc-0', settle('network', lateTwinCore)],
          ['vpc-1', settle('network', lateTwinCore)],
        ]),
      }),
    }),
    want: ['blocked network/core: claimed-twice'],
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

test('what stops a machine on its cloud only is a stop there: one of a document at a time, and counted', () => {
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
  test('goes while the document stands, whatever its policy: its successor has taken its place', () => {
    const [action] = given([document]).actions;
    assert.deepEqual([action?.verb, action?.verb === 'delete' && action.because], ['delete', 'changed']);
  });
  test('stays with the policy of the document that is gone', () => {
    const { actions, findings } = given([]);
    assert.deepEqual([actions, findings.map(({ type }) => type)], [[], ['orphan']]);
  });
});
