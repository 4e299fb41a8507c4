import { z } from 'zod';
import { attributesOfKind, wantedMachine } from './attributes.ts';
import { exampleOf, examples, story } from './examples.ts';

export const documentShape = z
  .object({
    address: z.string(),
    file: z.string().meta({ description: 'In the tree of specs' }),
    line: z.int(),
    owner: z.string().optional(),
  })
  .meta({ id: 'Document', description: 'Where it is written' })
  .register(examples, {
    example: { address: `${story.scope}/instance/web`, file: 'instances.yaml', line: 4, owner: 'team-web' },
  });

export const modeShape = z.enum(['observe', 'plan', 'enforce']);

const terms = z.object({
  mode: modeShape,
  protect: z.boolean(),
  deletionPolicy: z.enum(['retain', 'delete']),
  claim: z.object({ adopt: z.string().optional(), was: z.array(z.string()).optional() }).optional(),
  ignore: z.array(z.string()).optional(),
  presence: z.enum(['stated', 'implied', 'tolerated']).optional(),
  minReadyMs: z.number().int().optional(),
  replace: z.enum(['surge', 'recreate']).optional(),
});

const wanted = <K extends keyof typeof attributesOfKind>(kind: K) =>
  z.object({
    kind: z.literal(kind),
    address: z.string(),
    name: z.string(),
    attributes: attributesOfKind[kind],
    terms,
    documents: z.array(documentShape),
  });

export const desiredShape = z
  .discriminatedUnion('kind', [
    wanted('network'),
    wanted('subnet'),
    wanted('group'),
    wanted('firewall-rule'),
    wanted('instance'),
  ])
  .meta({ id: 'Desired', description: 'One resource as the specs ask for it' })
  .register(examples, {
    example: {
      kind: 'instance',
      address: story.address,
      name: 'web-0',
      attributes: wantedMachine,
      terms: { mode: 'plan', protect: false, deletionPolicy: 'retain' },
      documents: [exampleOf(documentShape)],
    },
  });
