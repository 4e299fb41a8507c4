import { z } from 'zod';
import { usualLimits } from '../guards.ts';
import { hooks } from './estate-hooks.ts';
import { signatures } from './estate-signatures.ts';
import { sources } from './estate-sources.ts';
import { plainMetadata } from './metadata.ts';
import { mode } from './terms-fields.ts';
import { text, whole } from './text-field.ts';

const limits = z.strictObject(
  {
    deletes: whole(0, 1_000_000).default(5).meta({ description: 'Deletions one generation may make.' }),
    replaces: whole(0, 1_000_000).default(5).meta({ description: 'Replacements, and updates that stop a machine.' }),
    creates: whole(0, 1_000_000)
      .default(usualLimits.creates)
      .meta({ description: 'New machines that one generation may launch, and healing in 24 h.' }),
    closures: whole(0, 1_000_000)
      .default(usualLimits.closures)
      .meta({ description: 'Rules that nobody wrote and that may be removed in 24 h.' }),
    share: text(/^(?:100|\d{1,2}(?:\.\d{1,3})?)%$/, 'a share from 0% to 100%, such as 10%')
      .prefault('10%')
      .transform((percent) => Number(percent.slice(0, -1)) / 100)
      .meta({ description: 'The same, as a share of the resources we own, from 20 up.', examples: ['10%'] }),
  },
  { error: 'a map of limits' },
);

export const estateSchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('Estate'),
    metadata: plainMetadata(),
    spec: z.strictObject(
      {
        mode: mode(),
        limits: limits.prefault({}).meta({
          description:
            'Blast radius: above these, deletions, replacements, new machines and closures of rules wait for an approval.',
        }),
        sources: sources().optional().meta({ description: 'Trees of teams, each in a repository of its own.' }),
        signatures: signatures().optional().meta({ description: 'Whose signed commits may be applied.' }),
        hooks: hooks().optional().meta({ description: 'Who may tell us that a branch moved or a cloud changed.' }),
      },
      { error: 'a map' },
    ),
  })
  .meta({ title: 'Estate', description: 'One tree of specs and everything it owns. Exactly one per tree.' });
