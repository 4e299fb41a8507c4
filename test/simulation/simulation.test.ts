import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { invariants } from './invariants/all.ts';
import { simulate } from './simulate.ts';

/** SIM_SEED=n replays one; SIM_SEEDS=n runs so many. */
const one = process.env['SIM_SEED'];
const many = Number(process.env['SIM_SEEDS'] ?? 300);
const seeds = one === undefined ? Array.from({ length: many }, (_, seed) => seed + 1) : [Number(one)];

describe(`simulation of ${seeds.length} lives`, () => {
  for (const seed of seeds) {
    it(`seed ${seed}`, async () => {
      const broken = await judge(seed);
      assert.deepEqual(broken, [], `replay: SIM_SEED=${seed} node --test test/simulation/simulation.test.ts`);
    });
  }
});

async function judge(seed: number): Promise<readonly string[]> {
  const trace = await simulate(seed);
  return invariants.flatMap(({ number, name, broken }) => broken(trace).map((words) => `${number} ${name}: ${words}`));
}
