import { at, dialect as fixture, input, know, looked, mark, ours, see, settle, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

/** A cloud that keeps names in a label which anybody may change, as AWS does. */
const dialect = { ...fixture, holds: { ...fixture.holds, nameLabel: 'Name' } };

const block = '10.0.0.0/16';
const named = (labels: Record<string, string>) => ours('network', 'core', 'vpc-1', vpc(block, labels));
const stated = (labels: Record<string, string>) => want('network', 'core', vpc(block, labels));
const net = stated({});

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

const cases: readonly Case[] = [
  { name: 'it is called as we call it: nothing', given: input([net], ...seen({ Name: 'core' })), want: [] },
  {
    name: 'it was renamed by hand: its name is set again',
    given: input([net], ...seen({ Name: 'mine' })),
    want: ['update network/core'],
  },
  { name: 'its name was taken away: it is set again', given: input([net], ...seen({})), want: ['update network/core'] },
  {
    name: 'a key in another case is another label',
    given: input([net], ...seen({ name: 'core' })),
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
    given: input([net], ...seen({ Name: 'mine' }, { Name: 'mine' })),
    want: ['update network/core'],
  },
  {
    name: 'its name is ignored',
    given: input([{ ...net, terms: { ...net.terms, ignore: ['labels.Name'] } }], ...seen({ Name: 'mine' })),
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
    given: input([net], looked([adoptedAlready]), { dialect, knowledge: knownAsAdopted }),
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
    given: input([net], looked([named({ Name: 'mine' })]), { dialect }),
    want: ['update network/core'],
  },
  {
    name: 'a cloud that keeps names otherwise: a label of that key is nobody’s',
    given: input([net], seen({ Name: 'mine' })[0], { knowledge: seen({ Name: 'mine' })[1].knowledge }),
    want: [],
  },
];

runCases(cases, import.meta.url);
