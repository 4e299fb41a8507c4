import { z } from 'zod';
import { story } from './examples.ts';

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

/** Of the example: as the specs have it, and as it was found. */
export const wantedMachine: z.output<typeof instance> = {
  placement: { subnet: `${story.scope}/subnet/core.app`, publicIp: true },
  groups: [`${story.scope}/group/core.all`, `${story.scope}/group/core.web`],
  machine: { image: 'ami-0abcdef1234567890', size: 't3.small', power: 'running' },
  disk: { size: 20, type: 'gp3', encrypted: true },
  labels: { tier: 'web' },
};

export const foundMachine: z.output<typeof instance> = {
  ...wantedMachine,
  placement: { ...wantedMachine.placement, zone: 'eu-west-1a' },
  labels: { Name: 'web-0', tier: 'test' },
};
