import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Action } from '../../src/core/action.ts';
import { fightBackoffMs, fightKey, type HealedAgain, healedAgain, isTold, valueText } from '../../src/core/fights.ts';
import { closesTraffic, contestedHold, healedBy } from '../../src/core/plan/contested.ts';
import type { RuleAttributes } from '../../src/core/resource.ts';
import { attributes, create, desired, observed, remove, update } from '../support/actions.ts';
import { dialect, know } from './plan/fixture.ts';

const tagger = { actor: 'tagger', action: 'CreateTags' };
const before: HealedAgain = { address: 'a', field: 'labels.x', from: '"1"', to: '"2"', writer: tagger, times: 3 };

describe('the healings in a row', () => {
  const rows: readonly (readonly [name: string, healed: Partial<HealedAgain>, times: number])[] = [
    ['the same writer and value', {}, 4],
    ['the same writer, another value', { from: '"9"' }, 4],
    ['nobody knows the writer, the same value', { writer: undefined }, 4],
    ['another writer, the same value', { writer: { ...tagger, actor: 'bob' } }, 4],
    ['another writer and value', { writer: { ...tagger, actor: 'bob' }, from: '"9"' }, 1],
    ['nobody knows the writer, another value', { writer: undefined, from: '"9"' }, 1],
    ['a spec moved the field', { to: '"3"' }, 1],
  ];
  for (const [name, healed, times] of rows)
    it(`${name}: ${times}`, () => {
      const { times: _, ...again } = { ...before, ...healed };
      assert.equal(healedAgain(again, before).times, times);
    });

  it('begin with one', () => assert.equal(healedAgain(before, undefined).times, 1));
});

test('the second healing is followed by a minute, the next ones by twice as much, up to an hour', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 500].map((times) => fightBackoffMs({ times }) / 60_000);
  assert.deepEqual(minutes, [0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('few closings of a port that opens again and again become events', () => {
  const told = Array.from({ length: 600 }, (_, i) => i + 1).filter((times) => isTold({ times }));
  assert.deepEqual(told, [2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128, 256, 512]);
});

test('a long value is compared by its beginning', () => {
  assert.equal(valueText('x'.repeat(5000)).length, 1001);
  assert.equal(valueText(undefined), '');
  assert.equal(valueText({ b: 1, a: [2] }), '{"a":[2],"b":1}');
});

const rule = (match: Partial<RuleAttributes['match']> = {}) => attributes.rule('core.web', match);
const from = (match?: Partial<RuleAttributes['match']>) => observed('firewall-rule', 'r-1', rule(match));
const to = (match?: Partial<RuleAttributes['match']>) => desired('firewall-rule', 'core.r', rule(match));
const drifted = (action: Action): Action => ({ ...action, cause: 'drift' });
const deny = { action: 'deny' } as const;
const rogue = (match?: Partial<RuleAttributes['match']>): Action =>
  // why: a removal has a reason
  ({ ...drifted(remove('core.r', from(match))), because: 'rogue' }) as Action;
const changed = (a: Partial<RuleAttributes['match']>, b: Partial<RuleAttributes['match']>, field = 'match.peers') =>
  drifted(update(to(b), from(a), [{ field, from: 1, to: 2 }]));
const [wide, narrow, other] = [['0.0.0.0/0'], ['10.0.0.0/8'], ['192.168.0.0/16']].map((peers) => ({ peers }));

describe('healing that may take traffic away is never delayed', () => {
  const rows: readonly (readonly [name: string, action: Action, closes: boolean])[] = [
    ['an allowing rule of nobody goes', rogue(), true],
    ['a denying rule of nobody goes', rogue(deny), false],
    ['an allowing rule is made again', drifted(create(to())), false],
    ['a denying rule is made again', drifted(create(to(deny))), true],
    ['a wider rule shrinks', changed(wide ?? {}, narrow ?? {}), true],
    ['a narrower rule grows', changed(narrow ?? {}, wide ?? {}), false],
    ['a rule comes to mean something else', changed(narrow ?? {}, other ?? {}), true],
    ['a narrower denial grows', changed({ ...deny, ...narrow }, { ...deny, ...wide }), true],
    ['a wider denial shrinks', changed({ ...deny, ...wide }, { ...deny, ...narrow }), false],
    ['an allowing rule denies again', changed({}, deny, 'match.action'), true],
    ['only its description changes', changed({}, {}, 'description'), false],
  ];
  for (const [name, action, closes] of rows) it(name, () => assert.equal(closesTraffic(action), closes));
});

describe('the changes that a healing undoes', () => {
  const machine = drifted(
    update(desired('instance', 'web-0', attributes.instance()), observed('instance', 'i-1', attributes.instance()), [
      { field: 'labels.tier', from: 'x', to: 'a' },
      { field: 'machine.power', from: 'stopped', to: 'running' },
    ]),
  );
  const rows: readonly (readonly [name: string, action: Action, want: readonly string[]])[] = [
    ['each field of a machine', machine, ['labels.tier "x" → "a"', 'machine.power "stopped" → "running"']],
    ['nothing where a spec moved it', { ...machine, cause: 'rollout' }, []],
    ['nothing where it was deleted for another reason', drifted(remove('core.r', from())), []],
    [
      'nothing where a machine is launched again',
      drifted(create(desired('instance', 'web-0', attributes.instance()))),
      [],
    ],
  ];
  for (const [name, action, want] of rows)
    it(name, () =>
      assert.deepEqual(
        healedBy(action).map(({ field, from: was, to: is }) => `${field} ${was} → ${is}`),
        want,
      ),
    );

  it('a rule as a whole, and who an event names', () => {
    const by = { who: 'bob', action: 'Authorize', event: 'e', at: 1 };
    const [opened] = healedBy({ ...rogue(), by });
    assert.deepEqual([opened?.field, opened?.to, opened?.writer], ['rule', '', { actor: 'bob', action: 'Authorize' }]);
    const [vanished] = healedBy(drifted(create(to())));
    assert.deepEqual([vanished?.from, vanished?.to], ['', opened?.from]);
  });
});

test('the reason names the category of a label that bears the name', () => {
  const action: Action = {
    ...update(desired('instance', 'web-0', attributes.instance()), observed('instance', 'i-1', attributes.instance()), [
      { field: 'labels.Name', from: 'theirs', to: 'web-0' },
    ]),
    cause: 'drift',
  };
  const [healed] = healedBy(action);
  assert.ok(healed);
  const fight = { ...healed, times: 5, since: 0, at: 0, until: 60_000, waits: true };
  const knowledge = { ...know([]), healed: new Map([[fightKey(healed), fight]]) };
  const reasonWith = (nameLabel?: string): string => {
    const holds = { ...dialect.holds, ...(nameLabel === undefined ? {} : { nameLabel }) };
    const judged = { knowledge, dialect: { ...dialect, holds }, choices: { unattended: true } };
    return contestedHold(judged, false)(action)?.why ?? '';
  };
  assert.match(reasonWith('Name'), /remediation: { name: report }/);
  assert.match(reasonWith(), /remediation: { labels: report }/);
});
