import type { Document, TargetDoc } from '../document.ts';
import type { Located } from '../located.ts';
import type { Path } from '../position.ts';
import { error, type Problem } from '../problem.ts';
import { ofKind, type SpecSet } from '../spec-set.ts';

type Written = NonNullable<TargetDoc['spec']['rollout']>;
type Wave = NonNullable<Written['then']>[number];

/** Waves get no smaller, come to no more than all, and nothing comes after the rest. */
export function* rollouts({ documents }: SpecSet): Iterable<Problem> {
  for (const kind of ['Target', 'Network', 'FirewallRule', 'Instance'] as const)
    for (const document of ofKind(documents, kind))
      yield* wavesOf(document, ['spec', 'rollout'], document.value.spec.rollout);
  for (const document of ofKind(documents, 'Instance'))
    for (const [target, { rollout }] of Object.entries(document.value.spec.on))
      yield* wavesOf(document, ['spec', 'on', target, 'rollout'], rollout);
}

function* wavesOf(document: Located<Document>, path: Path, rollout: Written | undefined): Iterable<Problem> {
  const waves = rollout?.then ?? [];
  for (const [index, wave] of waves.entries()) {
    const before = [...(rollout?.canary === undefined ? [] : [rollout.canary]), ...waves.slice(0, index)];
    const found = complaint(wave, before);
    if (found === undefined) continue;
    const { message, expected } = found;
    return yield error('bad-rollout', document.at([...path, 'then', index]), message, { expected });
  }
}

function complaint(
  wave: Wave,
  before: readonly Wave[],
): { readonly message: string; readonly expected: string } | undefined {
  if (before.includes('rest'))
    return { message: 'nothing is left for a wave after `rest`', expected: '`rest` at the end' };
  // why: a count and a share compare only once it is known how many there are
  const last = before.findLast((other) => typeof other === typeof wave && other !== 'rest');
  if (last !== undefined && sizeOf(wave) < sizeOf(last))
    return {
      message: `a wave of ${show(wave)} after one of ${show(last)}: waves do not get smaller`,
      expected: `at least ${show(last)}`,
    };
  const shares = [...before, wave].filter((one) => typeof one === 'object').reduce((sum, one) => sum + sizeOf(one), 0);
  if (typeof wave === 'object' && shares > 1 + rounding)
    return { message: `the waves come to ${show({ share: shares })} here`, expected: 'at most 100% together' };
  return undefined;
}

const rounding = 1e-9;

const sizeOf = (wave: Wave): number => (typeof wave === 'object' ? wave.share : Number(wave));

const show = (wave: Wave): string =>
  typeof wave === 'object' ? `${Number((wave.share * 100).toFixed(3))}%` : String(wave);
