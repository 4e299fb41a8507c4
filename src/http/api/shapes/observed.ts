import { z } from 'zod';
import { attributesOfKind, foundMachine } from './attributes.ts';
import { examples, story } from './examples.ts';

const mark = z.object({
  estate: z.string(),
  store: z.string(),
  address: z.string(),
  deletionPolicy: z.enum(['retain', 'delete']).optional(),
  intent: z.string().optional(),
  attempt: z.number().optional(),
});

const signs = z.object({
  mark: mark.optional(),
  container: z.string().optional(),
  parent: z.string().optional(),
  slot: z.string().optional(),
  first: z.number().optional(),
  origin: z
    .object({ why: z.enum(['provider-default', 'service-child', 'other-tool', 'shared']), detail: z.string() })
    .optional(),
});

const condition = z.object({
  state: z.enum(['ready', 'pending', 'deleting', 'gone']),
  version: z.string().optional(),
  reason: z.string().optional(),
  parts: z.array(z.object({ part: z.string(), id: z.string() })).optional(),
  missing: z.array(z.string()).optional(),
  empty: z.boolean().optional(),
  furtherBlocks: z
    .array(z.string())
    .optional()
    .meta({ description: 'Of a network or subnet: blocks of addresses besides its cidr' }),
  unstated: z
    .array(z.object({ field: z.string(), detail: z.string() }))
    .optional()
    .meta({ description: 'What no document can state and security people ask about' }),
  ephemeral: z
    .boolean()
    .optional()
    .meta({ description: 'Of a machine: whether it has disks that a stop empties; absent: the cloud does not say' }),
});

const seen = <K extends keyof typeof attributesOfKind>(kind: K) =>
  z.object({
    kind: z.literal(kind),
    id: z.string(),
    name: z.string(),
    attributes: attributesOfKind[kind],
    signs,
    condition,
  });

export const observedShape = z
  .discriminatedUnion('kind', [seen('network'), seen('subnet'), seen('group'), seen('firewall-rule'), seen('instance')])
  .meta({ id: 'Observed', description: 'One object as its cloud told of it' })
  .register(examples, {
    example: {
      kind: 'instance',
      id: story.machine,
      name: 'web-0',
      attributes: foundMachine,
      signs: {
        mark: {
          estate: story.estate,
          store: '7263d056-258a-4d32-9e64-e09c22be97cf',
          address: story.address,
          deletionPolicy: 'retain',
          intent: '65fa0da8-032f-45c5-93ed-683a77ea89d0',
          attempt: 1,
        },
        first: 0,
      },
      condition: {
        state: 'ready',
        parts: [
          { part: 'disk', id: 'vol-0099916a1eb4abce6' },
          { part: 'network-interface', id: 'eni-07c383e576777e9ce' },
        ],
        ephemeral: false,
      },
    },
  });
