import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Expression } from '../../src/core/policy/evaluate.ts';
import type { ResourceView } from '../../src/core/policy/view.ts';
import { createEvaluator } from '../../src/policy/evaluator.ts';

const of = (text: string): Expression => ({ text, kinds: ['network'] });

const named = (name: string): { readonly resource: ResourceView } => ({
  resource: {
    ...({ kind: 'network', cloud: 'memory' } as const),
    ...{ address: `a/network/${name}`, name, target: 't', account: 'a', region: 'r', labels: {} },
  },
});

/** 60 to the power of `depth` evaluations, of a network that is called slow. */
function longFor(depth: number): string {
  const list = JSON.stringify(Array.from({ length: 60 }, (_, i) => i));
  const inner = (left: number): string =>
    left === 0 ? "resource.name == 'never'" : `${list}.exists(v${left}, ${inner(left - 1)})`;
  return `resource.name == 'slow' && ${inner(depth)}`;
}

describe('an evaluator of expressions', () => {
  it('answers for each resource in order, over more requests than one', async () => {
    const evaluate = createEvaluator();
    const givens = Array.from({ length: 1201 }, (_, i) => named(`n${i}`));
    const found = await evaluate([of("resource.name == 'n0'"), of("resource.name.endsWith('0')")], givens);
    assert.equal(found.length, 1201);
    assert.deepEqual(
      found.map((one) => one.map(({ rule }) => rule).join()),
      givens.map(({ resource: { name } }) => (name === 'n0' ? '0,' : '') + (name.endsWith('0') ? '1' : '')),
    );
  });

  it('gives no answer of an expression that takes too long, from that resource on, and all others', async () => {
    const evaluate = createEvaluator(200);
    const expressions = [of('true'), of(longFor(6)), of("resource.name == 'last'")];
    const found = await evaluate(expressions, ['first', 'slow', 'last'].map(named));
    const slow = { rule: 1, outcome: { failed: 'it takes more than 0.2 s' } };
    assert.deepEqual(found, [
      [{ rule: 0, outcome: true }],
      [{ rule: 0, outcome: true }, slow],
      [{ rule: 0, outcome: true }, slow, { rule: 2, outcome: true }],
    ]);
    assert.deepEqual(await evaluate([of('true')], [named('next')]), [[{ rule: 0, outcome: true }]]);
  });

  it('evaluates a few short expressions at once', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const found = await createEvaluator(0)([of("resource.name == 'a'")], [named('a'), named('b')]);
    clearInterval(timer);
    assert.deepEqual([found, turns], [[[{ rule: 0, outcome: true }], []], 0]);
  });

  it('keeps the process free meanwhile', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 10);
    await createEvaluator(300)([of(longFor(6))], [named('slow')]);
    clearInterval(timer);
    assert.ok(turns > 10, `${turns}`);
  });

  it('gives no answer of a text that is no expression', async () => {
    const [found] = await createEvaluator()([of('resource.'), of('true')], [named('n')]);
    assert.deepEqual(
      found?.map(({ rule, outcome }) => [rule, typeof outcome]),
      [
        [0, 'object'],
        [1, 'boolean'],
      ],
    );
  });

  it('answers two requests at once, one after another', async () => {
    const evaluate = createEvaluator();
    const both = await Promise.all([
      evaluate([of("resource.name == 'a'")], [named('a')]),
      evaluate([of("resource.name == 'b'")], [named('a')]),
    ]);
    assert.deepEqual(both, [[[{ rule: 0, outcome: true }]], [[]]]);
  });
});
