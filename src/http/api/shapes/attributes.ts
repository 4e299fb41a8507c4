import { z } from 'zod';

const labels = z.record(z.string(), z.string()).meta({ description: 'Tags, labels; owned per key' });
const ref = z.string().meta({ description: "An address where it is ours, else the cloud's id" });
const whole = z.union([z.boolean(), z.literal('partial')]);

const network = z.object({
  cidr: z.string().optional(),
  internet: whole.optional(),
  filter: whole.optional(),
  labels,
});

const subnet = z.object({
  network: ref,
  cidr: z.string(),
  zone: z.string().optional(),
  internet: whole.optional(),
  filter: z.boolean().optional(),
  labels,
});

const group = z.object({ network: ref, defaultEgress: z.enum(['allow', 'deny']).optional(), labels });

const rule = z.object({
  network: ref,
  group: ref.optional(),
  match: z.object({
    direction: z.enum(['ingress', 'egress']),
    action: z.enum(['allow', 'deny']),
    protocol: z.string(),
    ports: z.string(),
    peers: z.array(z.string()),
    targets: z.array(ref).optional(),
  }),
  description: z.string(),
  order: z.object({ priority: z.number(), disabled: z.boolean().optional(), log: z.boolean().optional() }).optional(),
});

/** Scripts and logins stand here as hashes. */
const instance = z.object({
  placement: z.object({ subnet: ref, zone: z.string().optional(), publicIp: z.boolean() }),
  groups: z.array(ref).optional(),
  machine: z.object({
    image: z.string(),
    size: z.string(),
    identity: z.string().optional(),
    power: z.enum(['running', 'stopped']),
  }),
  disk: z
    .object({ size: z.number().optional(), type: z.string().optional(), encrypted: z.boolean().optional() })
    .optional(),
  boot: z
    .object({ userData: z.string().optional(), access: z.string().optional() })
    .optional()
    .meta({ description: 'Hashes' }),
  labels,
});

/** What we own on each kind, in one form for what is wanted and what is seen. */
export const attributesOfKind = { network, subnet, group, 'firewall-rule': rule, instance } as const;
