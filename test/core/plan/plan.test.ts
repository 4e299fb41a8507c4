import { withoutStore } from '../../../src/core/knowledge.ts';
import { appliedAs, at, input, know, looked, lost, mark, ours, see, settle, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const net = want('network', 'core', vpc());
const standing = ours('network', 'core', 'vpc-1', vpc());
const subnet = want('subnet', 'core.app', { network: at('network', 'core'), cidr: '10.0.1.0/24', labels: {} });
/** As Google Cloud has it: many regions in one scope. */
const subnetIn = (place: string) => ({
  ...subnet,
  name: `core.${place}`,
  address: `aws/1/${place}/subnet/core.${place}`,
});
const standingSubnet = ours('subnet', 'core.app', 'subnet-1', { network: 'vpc-1', cidr: '10.0.1.0/24', labels: {} });
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
const ground = [standing, standingSubnet];

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
    want: ['blocked network/core: claimed-twice'],
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
    want: ['blocked network/core: claimed-twice'],
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

runCases(cases, import.meta.url);
