import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Desired, Terms } from '../../../src/core/desired.ts';
import type { KeptTerms, Knowledge } from '../../../src/core/knowledge.ts';
import { withoutStore } from '../../../src/core/knowledge.ts';
import type { Mark, Observed, Signs } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import { allow, at, dialect as fixture, input, know, looked, mark, see, settle, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

/** One call of this cloud marks many: its adopted objects bear the estate and the store alone. */
const dialect = { ...fixture, holds: { ...fixture.holds, equalMarks: true } };

const core = at('network', 'core');
const equal: Mark = { estate: 'acme', store: 's1' };
const adopting: Partial<Terms> = { claim: { adopt: 'vpc-9' } };
const wanted = want('network', 'core', vpc(), adopting);
const bare = want('network', 'core', vpc());

const standing = (signs: Signs = { mark: equal }, more: Partial<Observed<'network'>> = {}) =>
  see('network', 'vpc-9', vpc(), { name: 'legacy', signs, ...more });

const settledAs = (terms: Partial<KeptTerms> = { adopted: true }, address = core): Partial<Knowledge> => ({
  settled: new Map([['vpc-9', settle('network', address, terms)]]),
});

const given = (
  desired: readonly Desired[],
  resources: readonly Observed[],
  knowledge: Partial<Knowledge> = {},
): PlanInput => input(desired, looked(resources), { dialect, knowledge: know([], knowledge) });

const storeless = (desired: readonly Desired[], resources: readonly Observed[]): PlanInput =>
  input(desired, looked(resources), { dialect, knowledge: withoutStore('acme') });

const cases: readonly Case[] = [
  { name: 'no store, and a document adopts it: ours', given: storeless([wanted], [standing()]), want: [] },
  {
    name: 'no store, and no document adopts it: nobody’s',
    given: storeless([], [standing()]),
    want: ['unmanaged vpc-9'],
  },
  {
    name: 'no store, and a document of another kind adopts its id: nobody’s',
    given: storeless(
      [want('subnet', 'core.app', { network: core, cidr: '10.0.1.0/24', labels: {} }, adopting)],
      [standing()],
    ),
    want: ['blocked subnet/core.app: adopt-missing'],
  },
  {
    name: 'no store: a rule in such a group is nobody’s, too',
    given: storeless(
      [],
      [
        see('group', 'sg-9', { network: 'vpc-9', labels: {} }, { signs: { mark: equal } }),
        see('firewall-rule', 'sgr-1', allow('sg-9', '443', ['0.0.0.0/0']), { signs: { container: 'sg-9' } }),
      ],
    ),
    want: ['unmanaged sgr-1', 'unmanaged sg-9'],
  },
  {
    name: 'the store does not know its id, and no document adopts it: a copied mark',
    given: given([], [standing()]),
    want: ['copied-mark vpc-9'],
  },
  {
    name: 'the store does not know its id, and a document adopts it: adopted',
    given: given([wanted], [standing()]),
    want: ['adopt network/core'],
  },
  {
    name: 'without a mark: adopted with an equal one',
    given: given([wanted], [standing({})]),
    want: ['adopt network/core'],
  },
  {
    name: 'with a copied mark that names an address: adopted with a whole mark, as the copied address would stay else',
    given: given([wanted], [standing({ mark: mark(at('network', 'old')) })]),
    want: ['adopt network/core'],
  },
  {
    name: 'of another estate: its own',
    given: given([], [standing({ mark: { ...equal, estate: 'theirs' } })]),
    want: [],
  },
  {
    name: 'of another store, and a document adopts it: nothing is written',
    given: given([wanted], [standing({ mark: { ...equal, store: 's0' } })]),
    want: ['blocked network/core: owned-by', 'foreign-store '],
  },
  {
    name: 'of another store, and no document adopts it: nothing is written',
    given: given([], [standing({ mark: { ...equal, store: 's0' } })]),
    want: ['foreign-store '],
  },
  {
    name: 'adopted, and another store marked it since: nothing is written',
    given: given([wanted], [standing({ mark: { ...equal, store: 's0' } })], settledAs()),
    want: ['blocked network/core: owned-by', 'foreign-store '],
  },
  {
    name: 'taken over from another store: marked anew, for that store alone',
    given: given(
      [wanted],
      [standing({ mark: { ...equal, store: 's0' } })],
      settledAs({ takenFrom: 's0', adopted: true }),
    ),
    want: ['update network/core'],
  },
  { name: 'adopted and marked: nothing', given: given([wanted], [standing()], settledAs()), want: [] },
  {
    name: 'adopted and marked, and the document names its id no more: nothing',
    given: given([bare], [standing()], settledAs()),
    want: [],
  },
  {
    name: 'adopted, and its mark is gone: marked again',
    given: given([wanted], [standing({})], settledAs()),
    want: ['update network/core'],
  },
  {
    name: 'adopted by a version that wrote whole marks: nothing',
    given: given([wanted], [standing({ mark: mark(core) })], settledAs()),
    want: [],
  },
  {
    name: 'adopted by such a version, and renamed since: its whole mark is written anew',
    given: given(
      [want('network', 'hub', vpc(), { claim: { adopt: 'vpc-9', was: [core] } })],
      [standing({ mark: mark(core) })],
      settledAs(),
    ),
    want: ['update network/hub'],
  },
  {
    name: 'adopted, and renamed since: the store alone keeps the new address',
    given: given(
      [want('network', 'hub', vpc(), { claim: { adopt: 'vpc-9', was: [core] } })],
      [standing()],
      settledAs(),
    ),
    want: ['update network/hub'],
  },
  {
    name: 'adopted, and its document has another deletion policy: the store alone keeps it',
    given: given(
      [want('network', 'core', vpc(), { ...adopting, deletionPolicy: 'delete' })],
      [standing()],
      settledAs(),
    ),
    want: ['update network/core'],
  },
  {
    name: 'adopted, and it gets a way to the internet: a whole mark, as its parts are found by it',
    given: given([want('network', 'core', { ...vpc(), internet: true }, adopting)], [standing()], settledAs()),
    want: ['update network/core'],
  },
  {
    name: 'made, and its address is gone: marked again',
    given: given([bare], [standing()], settledAs({})),
    want: ['update network/core'],
  },
  {
    name: 'adopted, and no document wants it any more: an orphan',
    given: given([], [standing()], settledAs()),
    want: ['orphan vpc-9'],
  },
  {
    name: 'adopted, with the deletion policy delete, and no document wants it any more: deleted',
    given: given([], [standing()], settledAs({ adopted: true, deletionPolicy: 'delete' })),
    want: ['delete network/core (removed)'],
  },
  {
    name: 'a copy of an adopted one beside it: a copied mark',
    given: given([wanted], [standing(), see('network', 'vpc-8', vpc(), { signs: { mark: equal } })], settledAs()),
    want: ['copied-mark vpc-8'],
  },
  {
    name: 'thought to be gone, and shown again: ours as before',
    given: given([wanted], [standing()], {
      ended: new Map([['vpc-9', { as: 'gone', address: core, kind: 'network', at: 0 }]]),
    }),
    want: [],
  },
  {
    name: 'deleted by us, and shown again: deleted again',
    given: given([], [standing()], {
      ended: new Map([['vpc-9', { as: 'deleted', address: core, kind: 'network', at: 0 }]]),
    }),
    want: ['delete network/core (again)'],
  },
  {
    name: 'released by a person, and a document adopts it again: adopted',
    given: given([wanted], [standing()], { settled: new Map() }),
    want: ['adopt network/core'],
  },
];

runCases(cases, 'adopted-marks');

test('where a mark has a call of its own, an adopted object gets a whole one', () => {
  const { actions } = plan({ ...given([wanted], [standing({})]), dialect: fixture });
  assert.deepEqual(
    actions.map((action) => 'changes' in action && action.changes),
    [[{ field: 'mark', to: `${core} retain` }]],
  );
});
