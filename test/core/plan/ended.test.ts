import type { Ended } from '../../../src/core/knowledge.ts';
import { at, input, know, looked, lost, mark, neverShownOf, ours, see, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

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

runCases(cases, import.meta.url);
