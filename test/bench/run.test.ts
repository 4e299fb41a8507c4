import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { bounds, missed } from '../../bench/bounds.ts';

interface Said {
  readonly code: number | string | undefined;
  readonly out: string;
  readonly err: string;
}

const bench = (...args: readonly string[]): Promise<Said> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['bench/run.ts', ...args], (error, out, err) => {
      resolve({ code: error === null ? 0 : (error.code ?? undefined), out, err });
    });
  });

test('an unknown name is an error that lists the names', async () => {
  const { code, out, err } = await bench('rules-10');
  assert.equal(code, 1);
  assert.equal(out, '');
  assert.match(err, /^There is no bench rules-10\.\nBenches: observe-calls, observe-calls-gcp, /);
});

test('options without a bench to give them to are an error', async () => {
  const { code, err } = await bench('--documents', '10');
  assert.equal(code, 1);
  assert.match(err, /^Options belong to one bench\./);
});

test('one named bench is run with its options: figures on stdout, the rest on stderr', async () => {
  const { code, out, err } = await bench('fuzz-specs', '--documents', '10');
  // why: the bench judges time, which a busy machine stretches; here only its verdict and its exit code must agree.
  assert.equal(code, /^MISSED fuzz-specs/m.test(err) ? 1 : 0, err);
  const names = out
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line).name);
  assert.deepEqual(names, ['fuzz-specs', 'fuzz-specs-slowest']);
  assert.match(err, /^fuzz-specs: begins\n/);
});

test('a figure is judged by its bound, on it is good, and without one it is only told', () => {
  const figure = { name: 'observe-calls', value: 35, unit: 'calls', floor: 35, ratio: 1 };
  assert.equal(missed(figure), undefined);
  assert.equal(missed({ ...figure, ratio: 1.01 }), 'observe-calls: ratio 1.01 is over 1');
  assert.equal(missed({ ...figure, ratio: Number.NaN }), 'observe-calls: ratio NaN is over 1');
  assert.equal(missed({ name: 'observe-calls', value: 0, unit: 'calls' }), 'observe-calls: ratio undefined is over 1');
  assert.equal(missed({ ...figure, name: 'unheard-of' }), undefined);
});

test('every figure that something is asked of has its bound', () => {
  const asked = [
    'policy',
    'policy-one-kind',
    'guard-rails',
    'approval-bypass',
    'effect',
    'effect-differences',
    'observe-calls',
    'second-pass',
    'rules-10k',
    'plan-100k',
    'unchanged-world',
    'fuzz-specs',
  ];
  const ofClouds = ['normalisation', 'observe-calls-gcp', 'observe-calls-azure', 'nsg-1000', 'subnets-1000'];
  const starts = ['cold-plan-aws', 'cold-plan-gcp', 'cold-plan-azure'];
  const ofFleets = ['makespan', 'two-fleets', 'two-fleets-aws', 'same-start', 'second-store', 'lost-store'];
  assert.deepEqual(
    [...asked, ...ofClouds, ...starts, ...ofFleets].filter((name) => !(name in bounds)),
    [],
  );
});
