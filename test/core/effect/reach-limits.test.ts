import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ReachLimits, reachInSteps } from '../../../src/core/effect/reach.ts';
import { reachBetweenInSteps } from '../../../src/core/effect/reach-between.ts';
import { endIn, servicesFrom } from '../../../src/core/effect/reach-ends.ts';
import { observedState } from '../../../src/core/effect/state.ts';
import { reachJson, reachText } from '../../../src/core/render/reach.ts';
import { finish } from '../../../src/core/steps.ts';
import { type EstateDraft, inputOf, type MachineDraft } from './estate.ts';

const db: MachineDraft = { name: 'db-0', groups: ['all', 'db'], subnet: 'far', ip: '10.0.2.5' };
const web1: MachineDraft = { name: 'web-1', groups: ['all', 'web'] };
const out = { name: 'out', text: 'all to 0.0.0.0/0 of all' };
const sql = { name: 'sql', text: 'tcp 5432 from web to db' };
const aws: EstateDraft = { cloud: 'aws', machines: [], rules: [out, sql] };

describe('an answer with more than it may list', () => {
  const many = Array.from({ length: 30 }, (_, n): MachineDraft => {
    const groups = ['all', 'web', `own-${n}`];
    return { name: `m-${n}`, groups, ip: `10.0.1.${n + 10}`, isStopped: n >= 5 };
  });
  const shut = { ...aws, machines: [...many, db] };
  const open = { ...shut, rules: [...aws.rules, { name: 'mesh', text: 'tcp 22 from own-29 to web' }] };
  const answerOf = (estate: EstateDraft, limits: ReachLimits, services = servicesFrom('22')) => {
    const state = observedState(inputOf(estate));
    const end = endIn(state, 'core.web');
    assert.ok(end && services);
    return finish(reachInSteps(state, { from: end, to: end, services }, limits));
  };

  test('lists open ways first, counts the others, and says so', () => {
    const { answer, ways, moreWays, notes } = answerOf(open, { ways: 40, evaluated: 10_000 });
    assert.deepEqual([answer, ways.length, moreWays], ['yes', 40, 30 * 29 - 40]);
    assert.equal(ways.filter((way) => way.answer === 'yes').length, 29);
    assert.equal(notes[0], '830 ways are left out, of 870: choose a group or one instance');
  });

  test('is the same without the limit', () => {
    const whole = answerOf(open, { ways: 10_000, evaluated: 10_000 });
    assert.deepEqual([whole.ways.length, whole.moreWays], [30 * 29, 0]);
    assert.deepEqual(answerOf(open, { ways: 29, evaluated: 10_000 }).ways, whole.ways.slice(0, 29));
  });

  test('never says no where it did not evaluate all', () => {
    assert.equal(answerOf(shut, { ways: 10, evaluated: 870 }).answer, 'no');
    const cut = answerOf(shut, { ways: 10, evaluated: 869 });
    assert.equal(cut.answer, 'unknown');
    assert.deepEqual(cut.assumptions, []);
    assert.match(cut.notes[0] ?? '', /^Setpoint evaluated 869 pairs of ends and no more, so the rest is unknown/);
    assert.equal(answerOf(open, { ways: 10, evaluated: 870 }).answer, 'yes');
  });

  test('counts each part of a block, also one with the answer of the block around it', () => {
    const state = observedState(
      inputOf({
        ...open,
        rules: [
          out,
          ...Array.from({ length: 30 }, (_, n) => ({ name: `r-${n}`, text: `tcp 1 from 8.8.${n}.0/24 to web` })),
        ],
      }),
    );
    const [from, to, services] = [endIn(state, 'internet'), endIn(state, 'm-0'), servicesFrom('22')];
    assert.ok(from && to && services);
    const ask = (evaluated: number) => finish(reachInSteps(state, { from, to, services }, { ways: 10, evaluated }));
    assert.deepEqual([ask(31).answer, ask(31).ways.length], ['no', 1]);
    assert.equal(ask(30).answer, 'unknown');
  });

  test('takes many steps', () => {
    const state = observedState(inputOf(open));
    const end = endIn(state, 'core.web');
    assert.ok(end);
    const steps = reachInSteps(state, { from: end, to: end }, { ways: 10, evaluated: 10_000 });
    let taken = 0;
    while (!steps.next().done) taken += 1;
    assert.ok(taken >= 17, `${taken}`);
  });

  test('notes ten stopped instances, and counts the others', () => {
    const notes = answerOf(open, { ways: 10_000, evaluated: 10_000 }).notes.filter((note) => /stopped/.test(note));
    assert.deepEqual([notes.length, notes.at(-1)], [11, '15 more instances are stopped']);
  });

  test('shares the limits among the scopes with both ends', () => {
    const state = observedState(inputOf(open));
    const scopes = Array.from({ length: 20 }, (_, n) => ({ scope: `memory/acme/${n}`, state }));
    const found = finish(reachBetweenInSteps({ from: 'core.web', to: 'core.web' }, scopes));
    assert.ok('scopes' in found);
    assert.deepEqual([...new Set(found.scopes.map(({ ways }) => ways.length))], [25]);
  });

  test('has at most 100 names and 20 rules, and counts the others', () => {
    const crowd = Array.from(
      { length: 130 },
      (_, n): MachineDraft => ({ ...web1, name: `w-${n}`, ip: `10.0.1.${n + 9}` }),
    );
    const rules = Array.from({ length: 25 }, (_, n) => ({ name: `r-${n}`, text: `tcp ${n + 100} from web to db` }));
    const state = observedState(inputOf({ ...aws, machines: [...crowd, db], rules: [out, ...rules] }));
    const found = finish(reachBetweenInSteps({ from: 'core.web', to: 'db-0' }, [{ scope: 'aws/1/eu-1', state }]));
    assert.ok('scopes' in found);
    const json = reachJson(found.scopes);
    const [way] = json.scopes[0]?.ways ?? [];
    assert.deepEqual([way?.from.length, way?.moreFrom, way?.to, way?.moreTo], [100, 30, ['db-0'], 0]);
    assert.deepEqual([way?.steps[1]?.rules.length, way?.steps[1]?.moreRules], [20, 5]);
    assert.match(way?.steps[1]?.reason ?? '', / and 20 more$/);
    assert.match(reachText(json, { placeOf: () => '' }), /yes {2}w-0, w-1, .* and 125 more → db-0 /);
  });
});

describe('a way of many senders', () => {
  const named = (name: string, groups: readonly string[], subnet: string) =>
    Array.from(
      { length: 4 },
      (_, n): MachineDraft => ({ name: `${name}-${n}`, groups: [...groups, `${name}-${n}`], subnet }),
    );
  const state = observedState(
    inputOf({
      ...{ cloud: 'gcp', rules: [out, sql], subnets: { far: { network: 'vpc-far' } } },
      machines: [...named('web', ['all', 'web'], 'near'), ...named('db', ['all', 'db'], 'far')],
    }),
  );
  const [from, to] = [endIn(state, 'core.web'), endIn(state, 'core.db')];
  const ask = (ways: number) => {
    assert.ok(from && to);
    return finish(reachInSteps(state, { from, to }, { ways, evaluated: 10_000 }));
  };

  test('names those, too, that are evaluated after the last way that is listed', () => {
    const whole = ask(100);
    const cut = ask(2);
    assert.deepEqual(cut.ways, whole.ways.slice(0, 2));
    assert.deepEqual([whole.ways[0]?.from.length, cut.moreWays], [4, 8]);
  });
});
