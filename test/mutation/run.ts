import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseTexts } from '../support/source/project.ts';
import { coverageOf, type TestCoverage } from './coverage.ts';
import { equivalentOf } from './equivalents.ts';
import { type Judgement, judge } from './judge.ts';
import { hash, type Mutant, mutantsOf } from './mutants.ts';
import { forget, openRecords } from './records.ts';
import { sampleOf } from './sample.ts';
import { type Copy, copyOf, digestOf } from './tree.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const KEPT = join(CHECKOUT, '.setpoint', 'mutation');

/** The files that get mutants. */
const isMutable = (file: string): boolean =>
  /^src\/(?:core|engine)\/.*\.ts$/.test(file) || /^providers\/[^/]+\/errors\.ts$/.test(file);

/** The first round: tests of the core, the engine, the tables of errors, and the laws of all clouds. */
const isNear = (file: string): boolean =>
  /^test\/(?:core|engine|estate|simulation)\//.test(file) ||
  /^test\/(?:conformance\/memory|providers\/(?:[^/]+|[^/]+\/(?:errors|client|operation)))\.test\.ts$/.test(file);

/** The second, for mutants that the first left alive. Real processes, figures and other programs test no rule of the core. */
const isFar = (file: string): boolean =>
  file.split('/').length > 2 &&
  !isNear(file) &&
  !/^test\/(?:bench|chaos|deploy|integration|mutation|sandbox|scripts|support)\//.test(file);

const ROUNDS = [
  { name: 'near', isOf: isNear },
  { name: 'far', isOf: isFar },
];

/** A test file that takes longer is left out, and named. */
const slowestMs = 120_000;

interface Options {
  readonly seed: number;
  readonly sample: number;
  readonly only: readonly string[];
  readonly patienceMs: number;
  readonly json: boolean;
  readonly fresh: boolean;
  readonly rounds: number;
}

/** `text`: the hash of the test's own; `loaded`: that of each file where mutants are made and which it ran something of. */
type KeptCoverage = TestCoverage & { readonly text: string; readonly loaded: Readonly<Record<string, string>> };
/** `sources`: the hash over all files where mutants are made; of a mutant that was killed, over its own. */
type Kept = { readonly sources: string };
/** `by` and `text`: the test that killed it, and the hash of its text. `tests`: the hash over all tests, of a survivor. */
type KeptJudgement = Judgement &
  Kept & { readonly id: string; readonly file: string; readonly text?: string; readonly tests: string };

interface Judged extends Judgement {
  readonly mutant: Mutant;
}

const help = `npm run mutate [-- --seed N] [--sample N] [--only FILE]… [--patience SECONDS] [--rounds N] [--fresh] [--json]

Changes one small thing at a time in src/core, src/engine and providers/*/errors.ts, in a copy of the checkout, and runs
the tests that cover it. docs/mutation.md says how to read the result.

  --seed N            which sample (1)
  --sample N          how many mutants (100)
  --only FILE         mutants of this source only; may be repeated
  --patience SECONDS  usual time of the tests that one mutant may cost (300)
  --rounds 2          runs all other tests too, for the mutants that those of the core, the engine and the errors leave alive
  --fresh             forget what earlier runs found; without it a broken-off run is taken up again
  --json              the result as JSON on stdout
`;

function optionsOf(argv: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seed: { type: 'string', default: '1' },
      sample: { type: 'string', default: '100' },
      only: { type: 'string', multiple: true, default: [] },
      patience: { type: 'string', default: '300' },
      rounds: { type: 'string', default: '1' },
      fresh: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const [seed, sample, patience, rounds] = [values.seed, values.sample, values.patience, values.rounds].map(Number);
  if (!isWhole(seed) || !isWhole(sample) || !isWhole(patience) || !isWhole(rounds))
    throw new Error('--seed, --sample, --patience and --rounds take whole numbers');
  const { only, json, fresh } = values;
  return { seed, sample, rounds, only, json, fresh, patienceMs: patience * 1000 };
}

const isWhole = (value: number | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Returns whether the run came to its end. */
async function main(options: Options): Promise<boolean> {
  const stop = new AbortController();
  process.once('SIGINT', () => {
    say('Stopping after the test that runs now. The same command goes on from there.');
    stop.abort();
  });
  if (options.fresh) await forget(KEPT);
  const commit = commitOf();
  await using copy = await copyOf(CHECKOUT);
  const sources = await digestOf(copy, copy.files.filter(isMutable));
  const sample = await sampled(copy, options);
  const judged = new Map<string, Judgement>();
  for (const round of ROUNDS.slice(0, options.rounds)) {
    const open = sample.filter((mutant) => equivalentOf(mutant) === undefined && isAlive(judged.get(mutant.id)));
    if (open.length === 0) break;
    const tests = await coverage(copy, { isOf: round.isOf, signal: stop.signal });
    if (stop.signal.aborted) break;
    say(`${open.length} mutants, ${tests.length} ${round.name} test files.`);
    await judgeAll(open, judged, { copy, sources, tests, options, signal: stop.signal });
  }
  report(sample, judged, { ...options, commit });
  return !stop.signal.aborted;
}

const isAlive = (found: Judgement | undefined): boolean => found === undefined || found.verdict === 'survived';

async function sampled(copy: Copy, { only, seed, sample }: Options): Promise<readonly Mutant[]> {
  const files = copy.files.filter((file) => isMutable(file) && (only.length === 0 || only.includes(file)));
  const unknown = only.filter((file) => !files.includes(file));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: no source where mutants are made`);
  const texts = Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await copy.read(file)] as const)),
  );
  const all = parseTexts(texts).flatMap(mutantsOf);
  const chosen = sampleOf(all, seed, sample);
  say(`${chosen.length} of ${all.length} mutants in ${files.length} files, by seed ${seed}.`);
  return chosen;
}

interface Look {
  readonly isOf: (file: string) => boolean;
  readonly signal: AbortSignal;
}

async function coverage(copy: Copy, { isOf, signal }: Look): Promise<readonly TestCoverage[]> {
  const tests = copy.files.filter((file) => file.endsWith('.test.ts') && isOf(file));
  const texts = await textsOf(copy, [...tests, ...copy.files.filter(isMutable)]);
  const kept = await openRecords<KeptCoverage>(
    join(KEPT, 'coverage.jsonl'),
    ({ test, text, loaded }) =>
      texts.get(test) === text && Object.entries(loaded).every(([file, then]) => texts.get(file) === then),
  );
  const known = new Set(kept.all.map(({ test }) => test));
  const missing = tests.filter((test) => !known.has(test));
  for (const [done, test] of missing.entries()) {
    if (signal.aborted) break;
    const seen = await coverageOf(copy, test, { timeoutMs: slowestMs, isSource: isMutable });
    const loaded = Object.fromEntries(Object.keys(seen.ran).map((file) => [file, texts.get(file) ?? '']));
    await kept.add({ ...seen, loaded, text: texts.get(test) ?? '' });
    say(`[coverage ${done + 1}/${missing.length}] ${seen.how} ${seconds(seen.ms)} ${test}`);
  }
  for (const { test, how } of kept.all)
    if (how !== 'passed') say(`Left out, as it ${how === 'failed' ? 'fails' : 'is slow'} unchanged: ${test}`);
  return kept.all;
}

/** The hash of each file's text. */
const textsOf = async (copy: Copy, files: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  new Map(await Promise.all(files.map(async (file) => [file, hash(await copy.read(file))] as const)));

interface Bench {
  readonly copy: Copy;
  readonly sources: string;
  readonly tests: readonly TestCoverage[];
  readonly options: Options;
  readonly signal: AbortSignal;
}

async function judgeAll(open: readonly Mutant[], judged: Map<string, Judgement>, bench: Bench): Promise<void> {
  const { copy, sources, tests, options, signal } = bench;
  const texts = await textsOf(
    copy,
    tests.map(({ test }) => test),
  );
  const own = await textsOf(
    copy,
    open.map(({ file }) => file),
  );
  const allTests = hash(
    `${options.patienceMs} ${[...texts]
      .map((each) => each.join(' '))
      .sort()
      .join('\n')}`,
  );
  const kept = await openRecords<KeptJudgement>(join(KEPT, 'judgements.jsonl'), (one) => {
    if (one.by === undefined) return one.sources === sources && one.tests === allTests;
    return one.sources === own.get(one.file) && one.text === texts.get(one.by);
  });
  const known = new Map(kept.all.map((one) => [one.id, one]));
  for (const [at, mutant] of open.entries()) {
    if (signal.aborted) break;
    const from = performance.now();
    const earlier = known.get(mutant.id);
    const found = earlier ?? (await judge(mutant, tests, { copy, patienceMs: options.patienceMs }));
    judged.set(mutant.id, together(judged.get(mutant.id), found));
    if (earlier !== undefined) continue;
    const { id, file, lineNumber } = mutant;
    const text = found.by === undefined ? undefined : texts.get(found.by);
    const standsOn = text === undefined ? { sources } : { sources: own.get(file) ?? '', text };
    await kept.add({ ...found, id, file, tests: allTests, ...standsOn });
    const place = `${file}:${lineNumber}`;
    const took = seconds(performance.now() - from);
    say(`[${at + 1}/${open.length}] ${found.verdict} ${took} ${place} ${mutant.mutation}`);
  }
}

/** Of two rounds. */
const together = (before: Judgement | undefined, found: Judgement): Judgement => ({
  ...found,
  ran: (before?.ran ?? 0) + found.ran,
  covering: (before?.covering ?? 0) + found.covering,
});

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function report(
  sample: readonly Mutant[],
  judged: ReadonlyMap<string, Judgement>,
  options: Options & { readonly commit: string },
): void {
  const equivalent = sample.filter((mutant) => equivalentOf(mutant));
  const real: readonly Judged[] = sample.flatMap((mutant) => {
    const found = equivalentOf(mutant) ? undefined : judged.get(mutant.id);
    return found === undefined ? [] : [{ ...found, mutant }];
  });
  const of = (verdict: Judgement['verdict']): readonly Judged[] => real.filter((one) => one.verdict === verdict);
  const [killed, timeout, survived] = [of('killed'), of('timeout'), of('survived')];
  const score = real.length === 0 ? 0 : (100 * (killed.length + timeout.length)) / real.length;
  const result = {
    commit: options.commit,
    date: new Date().toISOString().slice(0, 10),
    seed: options.seed,
    sample: sample.length,
    judged: real.length + equivalent.length,
    killed: killed.length,
    timeout: timeout.length,
    survived: survived.length,
    equivalent: equivalent.length,
    score: Number(score.toFixed(1)),
  };
  if (options.json) {
    const survivors = survived.map(
      ({ mutant: { start: _, end: __, after: ___, runsFrom: ____, ...mutant }, ran, covering }) => ({
        ...mutant,
        ran,
        covering,
      }),
    );
    process.stdout.write(`${JSON.stringify({ ...result, survivors }, null, 2)}\n`);
    return;
  }
  for (const { mutant, ran, covering } of survived) {
    const tests = covering === 0 ? 'no test covers it' : `${ran} of ${covering} covering test files ran`;
    process.stdout.write(
      `survived ${mutant.file}:${mutant.lineNumber}\n  ${mutant.line}\n  ${mutant.mutation} (${tests})\n`,
    );
  }
  process.stdout.write(
    `commit ${result.commit}, seed ${result.seed}, ${result.judged} of ${result.sample} mutants: ` +
      `killed ${result.killed}, survived ${result.survived}, equivalent ${result.equivalent}, ` +
      `timeout ${result.timeout}, score ${result.score} %\n`,
  );
}

function commitOf(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: CHECKOUT, encoding: 'utf8' }).trim();
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`;
}

const options = optionsOf(process.argv.slice(2));
if (options === undefined) process.stdout.write(help);
else process.exitCode = (await main(options)) ? 0 : 1;
