import { parseArgs } from 'node:util';
import { parseSpecs } from '../src/source/parse-specs.ts';
import type { Figure } from './figure.ts';
import { fuzz } from './fuzz-specs/fuzz.ts';

/**
 * Malformed documents read without a crash or a wait: `--documents` (100,000; 1,000,000 takes ten times as long) spoiled
 * ones from `--seed`, and the bombs. The value is crashes and changes of a prototype, plus those over 250 ms of
 * processor time; asked: 0.
 */
export async function fuzzSpecs(args: readonly string[] = []): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { documents: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
  });
  const outcome = fuzz({ documents: Number(values.documents), seed: Number(values.seed), parse: parseSpecs });
  for (const failure of outcome.failures) console.error(JSON.stringify(failure));
  return [
    { name: 'fuzz-specs', value: outcome.crashes + outcome.slow, unit: `of ${outcome.documents} documents`, floor: 0 },
    {
      name: 'fuzz-specs-slowest',
      value: Math.round(outcome.slowestMs),
      unit: 'ms',
      floor: 250,
      ratio: outcome.slowestMs / 250,
    },
  ];
}

if (import.meta.main) {
  for (const figure of await fuzzSpecs(process.argv.slice(2))) console.log(JSON.stringify(figure));
}
