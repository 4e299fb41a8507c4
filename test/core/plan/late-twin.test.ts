import { at, input, know, looked, mark, neverShownOf, ours, see, settle, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const core = at('network', 'core');
const net = want('network', 'core', vpc());
const standing = ours('network', 'core', 'vpc-1', vpc());
const app = { cidr: '10.0.1.0/24', labels: {} };
const neverShown = neverShownOf('late');

const late = (empty: boolean, intent = 'late') =>
  see('network', 'vpc-0', vpc(), {
    signs: { mark: mark(core, { intent }) },
    condition: { state: 'ready', empty },
  });

const cases: readonly Case[] = [
  {
    name: 'what a call made that came after it was given up goes, where another stands in its place',
    given: input([net], looked([standing, late(true)]), { knowledge: know([standing], { neverShown }) }),
    want: ['delete network/core (twin)'],
  },
  {
    name: 'whatever stands in the other one, and names the address that both bear',
    given: input(
      [net, want('subnet', 'core.app', { network: core, ...app })],
      looked([standing, late(true), ours('subnet', 'core.app', 'subnet-1', { network: 'vpc-1', ...app })]),
      {
        knowledge: know([standing, ours('subnet', 'core.app', 'subnet-1', { network: 'vpc-1', ...app })], {
          neverShown,
        }),
      },
    ),
    want: ['delete network/core (twin)'],
  },
  {
    name: 'but not where something stands in it',
    given: input([net], looked([standing, late(false)]), { knowledge: know([standing], { neverShown }) }),
    want: ['copied-mark vpc-0'],
  },
  {
    name: 'nor where its intent was answered, or never was ours',
    given: input([net], looked([standing, late(true, 'other')]), { knowledge: know([standing], { neverShown }) }),
    want: ['copied-mark vpc-0'],
  },
  {
    name: 'nor while nothing that we settled stands in its place',
    given: input([], looked([late(true)]), { knowledge: know([], { neverShown }) }),
    want: ['copied-mark vpc-0'],
  },
  {
    name: 'nor where both are settled',
    given: input([net], looked([standing, late(true)]), {
      knowledge: know([standing], {
        neverShown,
        settled: new Map([
          ['vpc-0', settle('network', core)],
          ['vpc-1', settle('network', core)],
        ]),
      }),
    }),
    want: ['blocked network/core: claimed-twice'],
  },
];

runCases(cases, import.meta.url);
