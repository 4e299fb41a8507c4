import { z } from 'zod';
import {
  flag,
  ipv4,
  listOf,
  machineMetadata,
  minReady,
  name,
  names,
  printableText,
  rollout,
  terms,
  text,
  token,
  whole,
} from './fields.ts';
import { secretRef } from './secret-ref.ts';

const disk = z.strictObject(
  {
    size: whole(1, 65536).optional().meta({ description: 'In GiB.' }),
    type: token('a disk type of the cloud, such as gp3').optional().meta({ description: "The cloud's own name." }),
    encrypted: flag().optional().meta({ description: 'Encrypted at rest.' }),
  },
  { error: '{ size, type, encrypted }' },
);

const access = z.strictObject(
  {
    user: text(/^[a-z_][a-z0-9_-]{0,31}$/, 'a login name')
      .optional()
      .meta({ description: 'The login.' }),
    sshKeys: z
      .array(
        text(
          /^(?:ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp\d{3}|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+=*(?: [^\r\n]*)?$/,
          'a public key, such as ssh-ed25519 AAAA…',
        ),
        { error: 'a list of public keys' },
      )
      .optional()
      .meta({ description: 'Public keys that may log in.' }),
    password: secretRef().optional().meta({ description: 'A reference to the password, never the password itself.' }),
  },
  { error: '{ user, sshKeys, password }' },
);

const userData = z.strictObject(
  {
    file: text(/^[\w@+-][\w.@+-]*(?:\/[\w@+-][\w.@+-]*)*$/, 'a file in the spec tree, beside this one').meta({
      description: 'A file inside the spec tree, by its path from this one. No symlink.',
    }),
  },
  { error: '{ file }' },
);

const listed = (expected: string, all: string) => listOf(token(expected), all);

const settings = z.strictObject(
  {
    keyPair: token('the name of a key pair').optional().meta({ description: 'AWS: the name of the key pair.' }),
    spot: flag().optional().meta({ description: 'A spot machine, which the cloud may end at any time.' }),
    ipForwarding: flag().optional().meta({
      description: 'Whether it may forward packets of others. On AWS: its source/destination check is off.',
    }),
    metadataTokens: z
      .enum(['required', 'optional'])
      .optional()
      .meta({ description: 'AWS: required is IMDSv2 only; optional answers IMDSv1 too.' }),
    scopes: listed(
      'a scope such as https://www.googleapis.com/auth/cloud-platform',
      'scopes such as https://www.googleapis.com/auth/cloud-platform',
    )
      .optional()
      .meta({
        description: 'Google Cloud: the access scopes of its service account.',
      }),
    privateIp: ipv4()
      .optional()
      .meta({
        description: 'The primary private IPv4 address of the machine.',
        examples: ['10.20.1.5'],
      }),
    staticPublicIp: ipv4()
      .optional()
      .meta({
        description: 'Its reserved public IPv4 address, such as an Elastic IP address of AWS.',
        examples: ['203.0.113.10'],
      }),
    zone: text(/^[1-3]$/, 'an Azure zone in quotes: "1", "2" or "3"')
      .optional()
      .meta({
        description: 'Azure: its availability zone.',
      }),
    availabilitySet: token('the name of an availability set').optional().meta({
      description: 'Azure: the name of its availability set.',
    }),
    bootDiagnostics: flag().optional().meta({ description: 'Azure: whether boot diagnostics are on.' }),
    dataDisks: listed('a disk', 'disks').optional().meta({
      description: 'Its disks besides the boot disk: volume ids of AWS, names elsewhere.',
    }),
    interfaces: listed('a network interface', 'network interfaces').optional().meta({
      description: 'Its network interfaces besides the primary one: ids of AWS, names elsewhere.',
    }),
  },
  { error: '{ keyPair, spot, ipForwarding, metadataTokens, … }' },
);

/**
 * The fields that may differ from target to target. Without defaults: the document's value holds for those that `on` leaves
 * out.
 */
const machine = {
  replicas: whole(0, 1000).meta({ description: 'The number of machines. With 3, web becomes web-0, web-1 and web-2.' }),
  subnet: name().meta({ description: 'A subnet of the network. Required, in the document or in `on`.' }),
  groups: z
    .array(name(), { error: 'a list of groups' })
    .meta({ description: 'The groups of the machines, as rules name them.' }),
  image: token('an image of the cloud, such as ami-0abc').meta({
    description:
      'The image. Required, in the document or in `on`, unless the document adopts every machine on the target.',
  }),
  size: token('a size of the cloud, such as t3.small').meta({
    description: "The cloud's machine type. Required, in the document or in `on`.",
  }),
  disk: disk.meta({ description: 'The boot disk. Setpoint does not compare omitted fields.' }),
  access: access.meta({ description: 'The login of the machines. Required on Azure.' }),
  userData: userData.meta({ description: 'A script for the first boot. A change replaces the machine.' }),
  identity: token('an instance profile, service account or managed identity').meta({
    description: 'Instance profile, service account or managed identity.',
  }),
  settings: settings.meta({
    description:
      'Settings of adopted machines. Setpoint compares the stated ones and does not change them yet: a difference is blocked.',
  }),
  publicIp: flag().meta({ description: "The cloud's ephemeral public address." }),
  power: z.enum(['running', 'stopped']).meta({ description: 'Whether the machine runs.' }),
  replace: z
    .strictObject(
      {
        strategy: z.enum(['surge', 'recreate']).meta({
          description:
            'surge: the new machine is ready before the old one is deleted. recreate: the old one is deleted first. Neither keeps the disks.',
        }),
      },
      { error: '{ strategy }' },
    )
    .meta({
      description:
        'The strategy of a replacement. Default: surge on AWS, recreate on Google Cloud and Azure, where a surge gives the new machine a name suffix.',
    }),
} as const;

const perTarget = z
  .strictObject({ ...machine, rollout: rollout(), minReady: minReady() }, { error: 'fields of an instance' })
  .partial();

export const instanceSchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('Instance'),
    metadata: machineMetadata(),
    spec: perTarget
      .extend({
        targets: names('targets').meta({ description: 'The targets of the machines.' }),
        network: name().meta({ description: 'The network of the machines.' }),
        names: z
          .record(name(), printableText(256), { error: 'a map from targets to names' })
          .optional()
          .meta({
            description:
              'The exact name of the machine on the cloud, for each target: the tag Name on AWS. Default: <name>-0. Only with replicas: 1. Google Cloud and Azure fix the name of an existing machine.',
            examples: [{ 'aws-prod': 'legacy-db-01' }],
          }),
        replicas: machine.replicas.default(1),
        publicIp: machine.publicIp.default(false),
        power: machine.power.default('running'),
        beforeDelete: z.literal('stop', { error: 'stop' }).optional().meta({
          description: 'Stops the machine for the grace of its deletion. Default: it runs until it is deleted.',
        }),
        on: z
          .record(name(), perTarget, { error: 'a map from targets to fields' })
          .default({})
          .meta({ description: 'Values for single targets.', examples: [{ 'aws-prod': { size: 't3.medium' } }] }),
        ...terms(),
      })
      .meta({ description: 'The desired state.' }),
  })
  .meta({ title: 'Instance', description: 'Equal machines in one subnet.' });
