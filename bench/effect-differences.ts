import { compareEffect } from './effect/compare.ts';
import { randomEstate } from './effect/random-estate.ts';
import { checkAgainstSandbox, type SandboxCheck } from './effect/sandbox-check.ts';
import type { Figure } from './figure.ts';
import { randomFrom } from './world/random.ts';

interface Counted {
  readonly compared: number;
  readonly changed: number;
  readonly differences: readonly string[];
}

/** The effect of random changes, beside each packet alone before and after them. A failing estate is made again from its number. */
export function differencesByPacket(estates: number): Counted {
  const all = Array.from({ length: estates }, (_, seed) => {
    const random = randomFrom(seed);
    return { seed, ...compareEffect(randomEstate(random), random) };
  });
  return {
    compared: all.reduce((sum, { packets }) => sum + packets, 0),
    changed: all.reduce((sum, { changed }) => sum + changed, 0),
    differences: all.flatMap(({ seed, disagreements }) =>
      disagreements.map((one) => `estate ${seed}: ${one.packet}: the effect says "${one.said}", and ${one.reason}`),
    ),
  };
}

/** The effect of plans and the answers of `reach`, beside the packet checks of the sandboxes of three clouds. */
export async function differencesInSandboxes(sets: number): Promise<Counted> {
  const all: SandboxCheck[] = [];
  for (const cloud of ['aws', 'gcp', 'azure'] as const)
    all.push(await checkAgainstSandbox(cloud, sets, randomFrom(sets)));
  const unknown = all.reduce((sum, one) => sum + one.unknown, 0);
  const compared = all.reduce((sum, { packets }) => sum + packets, 0) - unknown;
  // why: an answer that is always unknown has no difference
  if (unknown * 10 > compared)
    throw new Error(`${unknown} answers of reach are unknown, beside ${compared} that are not`);
  return {
    compared,
    changed: all.reduce((sum, { changed }) => sum + changed, 0),
    differences: all.flatMap(({ differences }) => differences),
  };
}

/** Asked: no difference on 1,000 random estates, and none against the packet checks on three clouds. */
export async function effectDifferences(): Promise<readonly Figure[]> {
  const counted = [differencesByPacket(1000), await differencesInSandboxes(20)];
  if (counted.some(({ changed }) => changed < 1000)) throw new Error(`not what was asked: ${JSON.stringify(counted)}`);
  const differences = counted.flatMap((one) => one.differences);
  for (const text of differences.slice(0, 10)) process.stderr.write(`${text}\n`);
  return [{ name: 'effect-differences', value: differences.length, unit: 'differences' }];
}
