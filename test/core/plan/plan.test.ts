import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Desired } from '../../../src/core/desired.ts';
import { type Applied, type Knowledge, withoutStore } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import {
  appliedAs,
  at,
  dialect as fixture,
  ground,
  input,
  know,
  looked,
  lost,
  mark,
  net,
  ours,
  see,
  settle,
  standing,
  subnet,
  vpc,
  want,
} from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

/** As Google Cloud has it: many regions in one scope. */
const subnetIn = (place: string) => ({
  ...subnet,
  name: `core.${place}`,
  address: `aws/1/${place}/subnet/core.${place}`,
});
const machine = { image: 'ami-1', size: 't3.small', power: 'running' } as const;
const web = want('instance', 'web-0', {
  placement: { subnet: at('subnet', 'core.app'), publicIp: false },
  machine,
  labels: {},
});
const standingWeb = ours('instance', 'web-0', 'i-1', {
  placement: { subnet: 'subnet-1', publicIp: false },
  machine,
  labels: {},
});

const gap = { kind: 'network', code: 'Throttled', reason: 'page 2 failed' } as const;

const cases: readonly Case[] = [
  { name: 'wanted and absent: create', given: input([net], looked([])), want: ['create network/core'] },
  {
    name: 'wanted, absent, but its listing failed: block',
    given: input([net], looked([], { gaps: [gap] })),
    want: ['blocked network/core: not-observed', 'incomplete network: Throttled'],
  },
  {
    name: 'a gap blocks what refers to the kind, and nothing else',
    given: input(
      [net, subnet, want('network', 'other', vpc('10.1.0.0/16'))],
      looked([], { gaps: [{ ...gap, kind: 'subnet' }] }),
    ),
    want: [
      'create network/core',
      'create network/other',
      'blocked subnet/core.app: not-observed',
      'incomplete subnet: Throttled',
    ],
  },
  {
    name: 'wanted in a region that there is not, or in a zone of one: block; another region has a longer name',
    given: input(
      [net, subnetIn('eu-9'), subnetIn('e1-b'), subnetIn('e100')],
      looked([], { unknownRegions: ['eu-9', 'e1'].map((region) => ({ region, reason: `no region ${region}` })) }),
    ),
    want: [
      'create network/core',
      'create subnet/core.e100',
      'blocked subnet/core.e1-b: unknown-region',
      'blocked subnet/core.eu-9: unknown-region',
    ],
  },
  {
    name: 'wanted, absent, a creation may still appear: block, never a second one',
    given: input([net], looked([]), {
      knowledge: know([], {
        pending: [lost('x')],
      }),
    }),
    want: ['blocked network/core: pending'],
  },
  {
    name: 'settled a moment ago and missing from the listing: block, and do not forget it',
    given: input([net], looked([], { pending: ['vpc-1'] }), { knowledge: know([standing]) }),
    want: ['blocked network/core: pending'],
  },
  {
    name: 'settled long ago and proven gone: make it again and forget the old id',
    given: input([net], looked([]), { knowledge: know([standing]) }),
    want: ['create network/core', 'forget network/core (gone)'],
  },
  {
    name: 'settled and missing while its listing failed: nothing is forgotten',
    given: input([net], looked([], { gaps: [gap] }), { knowledge: know([standing]) }),
    want: ['blocked network/core: not-observed', 'incomplete network: Throttled'],
  },
  { name: 'wanted and equal: nothing', given: input([net], looked([standing])), want: [] },
  {
    name: 'a terminated instance is still listed, and absent all the same',
    given: input([net, subnet, web], looked([...ground, { ...standingWeb, condition: { state: 'gone' } }])),
    want: ['create instance/web-0', 'forget instance/web-0 (gone)'],
  },
  {
    name: 'a label differs: update',
    given: input([want('network', 'core', vpc('10.0.0.0/16', { tier: 'web' }))], looked([standing])),
    want: ['update network/core'],
  },
  {
    name: "other people's labels are theirs",
    given: input([net], looked([ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { theirs: 'x' }))])),
    want: [],
  },
  {
    name: 'networks are never replaced: block, with what to write',
    given: input([want('network', 'core', vpc('10.9.0.0/16'))], looked([standing])),
    want: ['blocked network/core: immutable'],
  },
  {
    name: 'an instance with another image is replaced',
    given: input(
      [net, subnet, want('instance', 'web-0', { ...web.attributes, machine: { ...machine, image: 'ami-2' } })],
      looked([...ground, standingWeb]),
      { knowledge: appliedAs([...ground, standingWeb], [web]) },
    ),
    want: ['replace instance/web-0'],
  },
  {
    name: 'protected: not replaced',
    given: input(
      [
        net,
        subnet,
        want('instance', 'web-0', { ...web.attributes, machine: { ...machine, image: 'ami-2' } }, { protect: true }),
      ],
      looked([...ground, standingWeb]),
      { knowledge: appliedAs([...ground, standingWeb], [web]) },
    ),
    want: ['withheld instance/web-0: protect'],
  },
  {
    name: 'two carry the same mark: block',
    given: input([net], looked([standing, { ...standing, id: 'vpc-2' }])),
    want: ['blocked network/core: duplicate-claim'],
  },
  {
    name: 'an empty twin that a lost answer explains is deleted; the settled one stays',
    given: input(
      [net],
      looked([
        standing,
        see('network', 'vpc-0', vpc(), {
          signs: { mark: mark(at('network', 'core'), { intent: 'lost' }) },
          condition: { state: 'ready', empty: true },
        }),
      ]),
      {
        knowledge: know([standing], {
          pending: [lost('lost')],
        }),
      },
    ),
    want: ['delete network/core (twin)'],
  },
  {
    name: 'a copied mark proves nothing, on a new object',
    given: input([net], looked([standing, { ...standing, id: 'vpc-2' }]), { knowledge: know([standing]) }),
    want: ['copied-mark vpc-2'],
  },
  {
    name: 'without a store a mark is taken at its word',
    given: input([net], looked([standing]), { knowledge: withoutStore('acme') }),
    want: [],
  },
  {
    name: 'our estate, another store: nothing is written',
    given: input(
      [net, want('network', 'new', vpc('10.2.0.0/16'))],
      looked([see('network', 'vpc-1', vpc(), { signs: { mark: mark(at('network', 'core'), { store: 's2' }) } })]),
    ),
    want: ['foreign-store '],
  },
  {
    name: 'what this store made was marked by another store since: we were taken over, nothing is written',
    given: input(
      [net, want('network', 'new', vpc('10.2.0.0/16'))],
      looked([{ ...standing, signs: { mark: mark(at('network', 'core'), { store: 's2' }) } }]),
      { knowledge: know([standing]) },
    ),
    want: ['foreign-store '],
  },
  {
    name: 'what was taken over from that very store is ours, and gets our mark',
    given: input([net], looked([{ ...standing, signs: { mark: mark(at('network', 'core'), { store: 's2' }) } }]), {
      knowledge: know([standing], {
        settled: new Map([['vpc-1', settle('network', at('network', 'core'), { takenFrom: 's2' })]]),
      }),
    }),
    want: ['update network/core'],
  },
  {
    name: 'protection that the store does not know yet is written there, so that it outlives the document',
    given: input([want('network', 'core', vpc(), { protect: true })], looked([standing])),
    want: ['update network/core'],
  },
  {
    name: 'and taken out of it again',
    given: input([net], looked([standing]), {
      knowledge: know([standing], {
        settled: new Map([['vpc-1', settle('network', at('network', 'core'), { protect: true })]]),
      }),
    }),
    want: ['update network/core'],
  },
  {
    name: 'somebody removed our mark: the store still knows the id, and the mark is written again',
    given: input([net], looked([{ ...standing, signs: {} }]), { knowledge: know([standing]) }),
    want: ['update network/core'],
  },
  {
    name: 'somebody wrote another mark on what the store made: no second machine beside it',
    given: input(
      [net, subnet, web],
      looked([...ground, { ...standingWeb, signs: { mark: mark(at('instance', 'other-0'), { estate: 'other' }) } }]),
      { knowledge: know([...ground, standingWeb]) },
    ),
    want: ['blocked instance/web-0: owned-by'],
  },
  {
    name: 'the same, renamed in the specs meanwhile',
    given: input(
      [want('network', 'main', vpc(), { claim: { was: [at('network', 'core')] } })],
      looked([{ ...standing, signs: { mark: mark('x', { estate: 'other' }) } }]),
      { knowledge: know([standing]) },
    ),
    want: ['blocked network/main: owned-by'],
  },
  {
    name: 'another estate has this very address, as after a renaming of ours: nothing is made twice',
    given: input(
      [net],
      looked([
        see('network', 'vpc-1', vpc(), { signs: { mark: mark(at('network', 'core'), { estate: 'acme-old' }) } }),
      ]),
    ),
    want: ['blocked network/core: owned-by'],
  },
  {
    name: 'the name is taken by nobody in particular: block, with the line to paste',
    given: input(
      [net, want('group', 'core.web', { network: at('network', 'core'), labels: {} })],
      looked([standing, see('group', 'sg-9', { network: 'vpc-1', labels: {} }, { name: 'core-web' })]),
    ),
    want: ['blocked group/core.web: name-taken', 'unmanaged sg-9'],
  },
  {
    name: 'a renamed resource is re-marked, never remade',
    given: input([want('network', 'main', vpc(), { claim: { was: [at('network', 'core')] } })], looked([standing])),
    want: ['update network/main'],
  },
  {
    name: 'what rests on something blocked waits',
    given: input([want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } }), subnet], looked([])),
    want: ['blocked network/core: adopt-missing', 'withheld subnet/core.app: depends'],
  },
  {
    name: 'mode observe: nothing is written',
    given: input([want('network', 'core', vpc(), { mode: 'observe' })], looked([])),
    want: ['withheld network/core: mode'],
  },
  {
    name: 'an update that did not stick three times is named, not written a fourth time',
    given: input([want('network', 'core', vpc('10.0.0.0/16', { a: 'b' }))], looked([standing]), {
      knowledge: know([standing], { unstuck: new Map([[at('network', 'core'), 3]]) }),
    }),
    want: ['non-convergent network/core: non-convergent'],
  },
  ...[0, 1, 2].map((times) => ({
    name: `one that did not stick ${times} times is written again`,
    given: input([want('network', 'core', vpc('10.0.0.0/16', { a: 'b' }))], looked([standing]), {
      knowledge: know([standing], { unstuck: new Map([[at('network', 'core'), times]]) }),
    }),
    want: ['update network/core'],
  })),
  {
    name: 'a field under ignore is neither compared nor written',
    given: input(
      [want('network', 'core', vpc('10.0.0.0/16', { a: 'b' }), { ignore: ['labels.a'] })],
      looked([standing]),
    ),
    want: [],
  },
  {
    name: 'credentials of another account: nothing is written',
    given: input(
      [net],
      looked([], { gaps: [{ kind: 'group', code: 'wrong-account', reason: 'these are account 2' }] }),
    ),
    want: ['incomplete group: wrong-account', 'wrong-account '],
  },
  {
    name: 'two settled objects at one address are never judged twins',
    given: input(
      [net],
      looked([
        standing,
        see('network', 'vpc-2', vpc(), {
          signs: { mark: mark(at('network', 'core'), { intent: 'lost' }) },
          condition: { state: 'ready', empty: true },
        }),
      ]),
      {
        knowledge: know([standing], {
          settled: new Map([
            ['vpc-1', settle('network', at('network', 'core'))],
            ['vpc-2', settle('network', at('network', 'core'))],
          ]),
          pending: [lost('lost')],
        }),
      },
    ),
    want: ['blocked network/core: duplicate-claim'],
  },
  {
    name: "adopted without our hash: its user data is nobody's to compare",
    given: input(
      [net, subnet, want('instance', 'web-0', { ...web.attributes, boot: { userData: 'abc' } })],
      looked([...ground, standingWeb]),
    ),
    want: [],
  },
];

runCases(cases, 'plan');

/** A cloud that keeps names in a label which anybody may change, as AWS does. */
const dialect = { ...fixture, holds: { ...fixture.holds, nameLabel: 'Name' } };

const block = '10.0.0.0/16';
const named = (labels: Record<string, string>) => ours('network', 'core', 'vpc-1', vpc(block, labels));
const stated = (labels: Record<string, string>) => want('network', 'core', vpc(block, labels));
const namesNet = stated({});

const applied = (labels: Record<string, string>) =>
  new Map([[at('network', 'core'), { attributes: vpc(block, labels), generation: 1 }]]);
const seen = (labels: Record<string, string>, before: Record<string, string> = {}) => {
  const observed = named(labels);
  return [looked([observed]), { dialect, knowledge: know([observed], { applied: applied(before) }) }] as const;
};

const adopted = see('network', 'vpc-9', vpc(block, { Name: 'legacy' }));
const adoptedAlready = { ...adopted, signs: { mark: mark(at('network', 'core')) } };
const knownAsAdopted = know([], {
  settled: new Map([['vpc-9', settle('network', at('network', 'core'), { adopted: true })]]),
  applied: applied({}),
});
const settledAtOnce = know([], { settled: new Map([['vpc-9', settle('network', at('network', 'core'))]]) });

const namesCases: readonly Case[] = [
  { name: 'it is called as we call it: nothing', given: input([namesNet], ...seen({ Name: 'core' })), want: [] },
  {
    name: 'it was renamed by hand: its name is set again',
    given: input([namesNet], ...seen({ Name: 'mine' })),
    want: ['update network/core'],
  },
  {
    name: 'its name was taken away: it is set again',
    given: input([namesNet], ...seen({})),
    want: ['update network/core'],
  },
  {
    name: 'a key in another case is another label',
    given: input([namesNet], ...seen({ name: 'core' })),
    want: ['update network/core'],
  },
  {
    name: 'the spec states the name: that counts',
    given: input([stated({ Name: 'mine' })], ...seen({ Name: 'mine' }, { Name: 'mine' })),
    want: [],
  },
  {
    name: 'the spec states the name, and it was renamed by hand',
    given: input([stated({ Name: 'mine' })], ...seen({ Name: 'core' }, { Name: 'mine' })),
    want: ['update network/core'],
  },
  {
    name: 'the spec states the name no more: it is called as we call it, and is never without a name',
    given: input([namesNet], ...seen({ Name: 'mine' }, { Name: 'mine' })),
    want: ['update network/core'],
  },
  {
    name: 'its name is ignored',
    given: input([{ ...namesNet, terms: { ...namesNet.terms, ignore: ['labels.Name'] } }], ...seen({ Name: 'mine' })),
    want: [],
  },
  {
    name: 'adopted: it keeps its own name',
    given: input([want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } })], looked([adopted]), { dialect }),
    want: ['adopt network/core'],
  },
  {
    name: 'adopted before: it keeps its own name',
    given: input([want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } })], looked([adoptedAlready]), {
      dialect,
      knowledge: { ...settledAtOnce, applied: applied({}) },
    }),
    want: [],
  },
  {
    name: 'adopted before, and no document names its id any more: it keeps its own name',
    given: input([namesNet], looked([adoptedAlready]), { dialect, knowledge: knownAsAdopted }),
    want: [],
  },
  {
    name: 'adopted, and the spec states a name: that counts',
    given: input(
      [want('network', 'core', vpc(block, { Name: 'core' }), { claim: { adopt: 'vpc-9' } })],
      looked([adoptedAlready]),
      { dialect, knowledge: knownAsAdopted },
    ),
    want: ['update network/core'],
  },
  {
    name: 'no store: its name differs all the same',
    given: input([namesNet], looked([named({ Name: 'mine' })]), { dialect }),
    want: ['update network/core'],
  },
  {
    name: 'a cloud that keeps names otherwise: a label of that key is nobody’s',
    given: input([namesNet], seen({ Name: 'mine' })[0], { knowledge: seen({ Name: 'mine' })[1].knowledge }),
    want: [],
  },
];

runCases(namesCases, 'names');

test('a whole sentence of a cloud gets no second full stop', () => {
  const gap = { kind: 'network', code: 'Throttled', reason: 'page 2 failed.' } as const;
  const { findings } = plan(input([want('network', 'core', vpc('10.0.0.0/16'))], looked([], { gaps: [gap] })));
  assert.match(JSON.stringify(findings), /network could not be listed: page 2 failed\. Setpoint plans nothing/);
});

const address = at('network', 'core');
const blue = vpc('10.0.0.0/16', { tier: 'blue' });
const standingNet = want('network', 'core', blue);
const standingSeen = ours('network', 'core', 'vpc-1', blue);
const was = (attributes: Applied['attributes'], documents: readonly string[] = [address]): Partial<Knowledge> => ({
  applied: new Map([[address, { attributes, documents, generation: 1 }]]),
});

interface StandingCase {
  readonly name: string;
  readonly known: Partial<Knowledge>;
  readonly resources?: readonly Observed[];
  readonly desired?: Desired;
  readonly want: boolean;
}

const standingCases: readonly StandingCase[] = [
  { name: 'as it was applied: nothing new', known: was(blue), want: false },
  { name: 'applied otherwise, and the cloud has what is wanted now', known: was(vpc()), want: true },
  {
    name: 'applied with more than is wanted now, and the cloud has it no more',
    known: was(vpc('10.0.0.0/16', { tier: 'blue', old: '1' })),
    want: true,
  },
  { name: 'wanted by another document than before', known: was(blue, ['elsewhere']), want: true },
  { name: 'ours, and never applied: it was taken over', known: {}, want: true },
  {
    name: 'the cloud has something else',
    known: was(vpc()),
    resources: [{ ...standingSeen, attributes: vpc() }],
    want: false,
  },
  { name: 'it is not there', known: was(vpc()), resources: [], want: false },
  {
    name: 'it is still changing',
    known: was(vpc()),
    resources: [{ ...standingSeen, condition: { state: 'pending' } }],
    want: false,
  },
  {
    name: 'it stands twice',
    known: was(vpc()),
    resources: [standingSeen, { ...standingSeen, id: 'vpc-2' }],
    want: false,
  },
  { name: 'an intent of ours is still open there', known: { ...was(vpc()), pending: [lost('i1')] }, want: false },
  {
    name: 'nobody stated it: it is born with what holds it',
    known: {},
    desired: want('network', 'core', blue, { presence: 'implied' }),
    want: false,
  },
];

for (const { name, known, resources = [standingSeen], desired = standingNet, want: wanted } of standingCases)
  test(`standing: ${name}`, () => {
    const { standing } = plan(input([desired], looked(resources), { knowledge: know(resources, known) }));
    const one = { id: 'vpc-1', address, attributes: blue, documents: [address] };
    assert.deepEqual(standing, wanted ? [one] : undefined);
  });

test('standing: without a store there is nobody to tell', () => {
  assert.equal(
    plan(input([standingNet], looked([standingSeen]), { knowledge: withoutStore('acme') })).standing,
    undefined,
  );
});
