import { z } from 'zod';
import { criticalities } from '../../../core/criticality.ts';
import { allUnlistedSettings } from '../../../core/resource.ts';
import { exampleOf, examples, story } from './examples.ts';
import { timestamp } from './timestamp.ts';

/** The actor of the last change on a cloud, by the cloud's own audit log. */
export const lastModifiedBySchema = z
  .object({
    actor: z.string(),
    action: z.string(),
    from: z.string().optional(),
    agent: z.string().optional(),
    event: z.string().meta({ description: "The id of the event in the cloud's audit log" }),
    requestId: z.string().optional().meta({ description: "The cloud's id of the request, if the event has one" }),
    at: timestamp,
  })
  .meta({
    id: 'LastModifiedBy',
    description: "The actor of the last change outside Setpoint, as the cloud's audit log tells it: a hint",
  })
  .register(examples, {
    example: {
      actor: 'arn:aws:iam::111122223333:user/bob',
      action: 'CreateTags',
      from: '198.51.100.7',
      agent: 'aws-cli/2.22.0',
      event: '2f1c7a54-6f2e-4d7b-9a55-0c8b8a1d2e3f',
      requestId: 'b7a3c5d1-0e8f-4c62-9d13-5f0a6e2b8c41',
      at: '2027-01-31T07:58:12.000Z',
    },
  });

const labels = z.record(z.string(), z.string()).meta({ description: 'Tags, labels; owned per key' });
const ref = z.string().meta({ description: "An address if it is ours, else the cloud's id" });
const whole = z.union([z.boolean(), z.literal('partial')]);

const unchanged = 'Settings that Setpoint compares and does not change yet';
const blocks = { secondaryCidrs: z.array(z.string()).optional(), ipv6Cidrs: z.array(z.string()).optional() };
const routes = z.array(
  z.object({
    destination: z.string(),
    nextHop: z.string(),
    priority: z.number().optional(),
    tags: z.array(z.string()).optional(),
  }),
);

const network = z.object({
  cidr: z.string().optional(),
  internet: whole.optional(),
  filter: whole.optional(),
  settings: z
    .object({
      ...blocks,
      routes: routes.optional(),
      natGateways: z.array(z.string()).optional(),
      peerings: z.array(z.object({ name: z.string(), network: z.string() })).optional(),
    })
    .optional()
    .meta({ description: unchanged }),
  labels,
});

const subnet = z.object({
  network: ref,
  cidr: z.string(),
  zone: z.string().optional(),
  internet: whole.optional(),
  filter: z.boolean().optional(),
  settings: z
    .object({
      ...blocks,
      secondaryRanges: z.array(z.object({ name: z.string(), cidr: z.string() })).optional(),
      privateGoogleAccess: z.boolean().optional(),
      publicIpOnLaunch: z.boolean().optional(),
      routes: routes.optional(),
      natGateway: z.string().optional(),
    })
    .optional()
    .meta({ description: unchanged }),
  labels,
});

const group = z.object({
  network: ref,
  defaultEgress: z.enum(['allow', 'deny']).optional(),
  description: z.string().optional(),
  labels,
});

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
  settings: z
    .object({
      keyPair: z.string().optional(),
      spot: z.boolean().optional(),
      ipForwarding: z.boolean().optional(),
      metadataTokens: z.enum(['required', 'optional']).optional(),
      scopes: z.array(z.string()).optional(),
      privateIp: z.string().optional(),
      staticPublicIp: z.string().optional(),
      zone: z.string().optional(),
      availabilitySet: z.string().optional(),
      bootDiagnostics: z.boolean().optional(),
      dataDisks: z.array(z.string()).optional(),
      interfaces: z.array(z.string()).optional(),
    })
    .optional()
    .meta({ description: unchanged }),
  labels,
});

/** The owned attributes of each kind, in one form for desired and observed. */
export const attributesByKind = { network, subnet, group, 'firewall-rule': rule, instance } as const;

/** Of the example: as the specs have it, and as it was found. */
export const desiredMachine: z.output<typeof instance> = {
  placement: { subnet: `${story.scope}/subnet/core.app`, publicIp: true },
  groups: [`${story.scope}/group/core.all`, `${story.scope}/group/core.web`],
  machine: { image: 'ami-0abcdef1234567890', size: 't3.small', power: 'running' },
  disk: { size: 20, type: 'gp3', encrypted: true },
  labels: { tier: 'web' },
};

export const observedMachine: z.output<typeof instance> = {
  ...desiredMachine,
  placement: { ...desiredMachine.placement, zone: 'eu-west-1a' },
  labels: { Name: 'web-0', tier: 'test' },
};

export const documentSchema = z
  .object({
    address: z.string(),
    file: z.string().meta({ description: 'The path in the tree of specs' }),
    line: z.int(),
    owner: z.string().optional(),
  })
  .meta({ id: 'Document', description: 'The document in the specs' })
  .register(examples, {
    example: { address: `${story.scope}/instance/web`, file: 'instances.yaml', line: 4, owner: 'team-web' },
  });

export const modeSchema = z.enum(['observe', 'plan', 'enforce']);

export const criticalitySchema = z.enum(criticalities);

export const gradeSchema = criticalitySchema.meta({ description: 'The class of alerts; absent: normal' });

const terms = z.object({
  mode: modeSchema,
  protect: z.boolean(),
  deletionPolicy: z.enum(['retain', 'delete']),
  criticality: gradeSchema.optional(),
  claim: z.object({ adopt: z.string().optional(), previousAddresses: z.array(z.string()).optional() }).optional(),
  ignore: z.array(z.string()).optional(),
  requirement: z.enum(['required', 'provider-default', 'optional']).optional().meta({
    description:
      'required, also if absent: a document asks for it; provider-default: the cloud creates it with its container; optional: Setpoint never creates it, and its absence is no drift',
  }),
  minReadyMs: z.number().int().optional(),
  unlaunchable: z.string().optional(),
  replace: z.enum(['surge', 'recreate']).optional(),
  beforeDelete: z.literal('stop').optional(),
});

const desiredOf = <K extends keyof typeof attributesByKind>(kind: K) =>
  z.object({
    kind: z.literal(kind),
    address: z.string(),
    name: z.string(),
    attributes: attributesByKind[kind],
    terms,
    documents: z.array(documentSchema),
  });

export const desiredSchema = z
  .discriminatedUnion('kind', [
    desiredOf('network'),
    desiredOf('subnet'),
    desiredOf('group'),
    desiredOf('firewall-rule'),
    desiredOf('instance'),
  ])
  .meta({ id: 'Desired', description: 'One resource as the specs ask for it' })
  .register(examples, {
    example: {
      kind: 'instance',
      address: story.address,
      name: 'web-0',
      attributes: desiredMachine,
      terms: { mode: 'plan', protect: false, deletionPolicy: 'retain' },
      documents: [exampleOf(documentSchema)],
    },
  });

const mark = z.object({
  estate: z.string(),
  store: z.string(),
  address: z
    .string()
    .optional()
    .meta({ description: 'Absent on adopted objects of AWS: the store and the document have it' }),
  deletionPolicy: z.enum(['retain', 'delete']).optional(),
  intent: z.string().optional(),
  attempt: z.number().optional(),
});

/** The likely origin of an object that no estate created. */
export const objectOriginSchema = z.object({
  reason: z.enum(['provider-default', 'service-child', 'other-tool', 'shared']),
  detail: z.string(),
  maker: z
    .string()
    .optional()
    .meta({ description: 'The service or tool that made it, equal for all that it made: EKS, Terraform' }),
});

const metadata = z.object({
  mark: mark.optional(),
  container: z.string().optional(),
  parent: z.string().optional(),
  uniqueName: z
    .string()
    .optional()
    .meta({ description: 'The name that it takes on its cloud, if the cloud keeps names unique' }),
  firstOrdinal: z
    .number()
    .optional()
    .meta({ description: 'AWS, a machine of a batched launch: the first ordinal of that launch' }),
  origin: objectOriginSchema.optional(),
});

const condition = z.object({
  state: z.enum(['ready', 'pending', 'deleting', 'gone']),
  version: z.string().optional(),
  reason: z.string().optional(),
  parts: z.array(z.object({ part: z.string(), id: z.string() })).optional(),
  missing: z.array(z.string()).optional(),
  empty: z.boolean().optional(),
  furtherBlocks: z.array(z.string()).optional().meta({ description: 'Further address blocks of a network or subnet' }),
  unstated: z
    .array(z.object({ field: z.string(), detail: z.string(), statedBy: z.string().optional() }))
    .optional()
    .meta({ description: 'Security settings that the document may leave unstated; statedBy: its key in settings' }),
  inexpressible: z
    .array(z.object({ field: z.string(), detail: z.string() }))
    .optional()
    .meta({ description: "Settings that no document can state and that differ from the cloud's default" }),
  unlisted: z
    .array(z.object({ setting: z.enum(allUnlistedSettings), code: z.string(), reason: z.string() }))
    .optional()
    .meta({ description: 'Settings whose listing failed or was short: they are not compared' }),
  assigned: z
    .array(z.string())
    .optional()
    .meta({ description: 'Settings of the machine whose values its cloud chose, or may have chosen' }),
  filters: z
    .array(z.string())
    .optional()
    .meta({ description: 'Azure: the security groups on the subnet or interface, or the one that holds the rule' }),
  ephemeral: z
    .boolean()
    .optional()
    .meta({ description: 'A stop of the machine empties some of its disks; absent: unknown' }),
  dataDisks: z
    .array(z.object({ id: z.string(), isDeletedWithMachine: z.boolean() }))
    .optional()
    .meta({ description: 'Disks of the machine besides the one that it boots from' }),
});

const observedOf = <K extends keyof typeof attributesByKind>(kind: K) =>
  z.object({
    kind: z.literal(kind),
    id: z.string(),
    name: z.string(),
    attributes: attributesByKind[kind],
    metadata,
    condition,
  });

export const observedSchema = z
  .discriminatedUnion('kind', [
    observedOf('network'),
    observedOf('subnet'),
    observedOf('group'),
    observedOf('firewall-rule'),
    observedOf('instance'),
  ])
  .meta({ id: 'Observed', description: 'One object as its cloud reported it' })
  .register(examples, {
    example: {
      kind: 'instance',
      id: story.machine,
      name: 'web-0',
      attributes: observedMachine,
      metadata: {
        mark: {
          estate: story.estate,
          store: '7263d056-258a-4d32-9e64-e09c22be97cf',
          address: story.address,
          deletionPolicy: 'retain',
          intent: '65fa0da8-032f-45c5-93ed-683a77ea89d0',
          attempt: 1,
        },
        firstOrdinal: 0,
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
