import { z } from 'zod';
import { text, whole } from './text-field.ts';

const MOST = 1_000_000;
const expected = 'a count (5), a share (10%) or rest';

const share = text(/^(?!0{1,2}(?:\.0{1,3})?%)(?:100|\d{1,2}(?:\.\d{1,3})?)%$/, expected).transform((percent) => ({
  share: Number(percent.slice(0, -1)) / 100,
}));

const wave = z.union([whole(1, MOST), z.literal('rest'), share], { error: `${expected}, more than nothing` });

/** What its waves mean together is in `check/rollouts`. */
export const rollout = () =>
  z
    .strictObject(
      {
        canary: whole(1, MOST)
          .optional()
          .meta({ description: 'The size of the first wave.', examples: [1] }),
        // biome-ignore lint/suspicious/noThenProperty: the word that people write; nothing awaits a spec.
        then: z
          .array(wave, { error: 'a list of waves, such as [10%, rest]' })
          .min(1, { error: 'at least one wave; leave `then` out for the rest at once' })
          .optional()
          .meta({
            description:
              'The waves after it, in order: counts, shares of all, or rest. What they leave over is a last one.',
            examples: [['10%', 'rest']],
          }),
      },
      { error: '{ canary, then }' },
    )
    .refine(({ canary, then }) => canary !== undefined || then !== undefined, { error: 'canary, then, or both' })
    .optional()
    .meta({
      description:
        'A change goes out in waves: the next one starts when the last is converged and healthy, and none after a failure.',
    });

/** Longer than this and a machine may be proven by its age first: see births.ts. */
const LONGEST_READY = 600;

export const minReady = () =>
  whole(0, LONGEST_READY)
    .optional()
    .meta({
      description:
        "Seconds that a new machine must have been ready before it counts: it runs, and the cloud's own status checks passed. Left out: 60. With 0 all replicas are launched at once.",
      examples: [60],
    });
