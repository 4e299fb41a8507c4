import { z } from 'zod';
import { adoption, cidr, flag, formerNames, metadata, name, names, terms, text } from './fields.ts';

const verdict = () => z.enum(['allow', 'deny']);

const defaults = z.strictObject(
  {
    ingress: verdict().default('deny').meta({ description: 'What happens to traffic in that no rule names.' }),
    egress: verdict().default('allow').meta({ description: 'What happens to traffic out that no rule names.' }),
  },
  { error: '{ ingress, egress }' },
);

const subnet = z.strictObject(
  {
    name: name().meta({ description: 'Unique in the network.' }),
    cidr: cidr().meta({ description: 'Its addresses, inside those of the network.', examples: ['10.20.1.0/24'] }),
    zone: text(/^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/, 'a zone, such as eu-west-1a')
      .optional()
      .meta({ description: 'Left out: the cloud chooses, and it is not compared.' }),
    target: name().optional().meta({ description: 'Only on this target. Left out: on each of the network.' }),
    adopt: adoption(),
    was: formerNames(),
  },
  { error: '{ name, cidr }' },
);

const group = z.strictObject(
  {
    name: name().meta({ description: 'A group that a rule or an instance of this network names, or all.' }),
    adopt: adoption(),
  },
  { error: '{ name, adopt }' },
);

export const networkSchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('Network'),
    metadata: metadata(),
    spec: z.strictObject(
      {
        targets: names('targets').meta({ description: 'Where it stands: one network per target.' }),
        cidr: cidr().meta({
          description: 'Its addresses. GCP networks have none: there it bounds the subnets.',
          examples: ['10.20.0.0/16'],
        }),
        internet: flag().default(false).meta({ description: 'Gateway and default route, or none.' }),
        default: defaults.prefault({}).meta({ description: 'Traffic that no rule names.' }),
        rules: z.enum(['authoritative', 'additive']).default('authoritative').meta({
          description: 'authoritative: rules that nobody wrote are drift and go. additive: they are reported and stay.',
        }),
        subnets: z
          .array(subnet, { error: 'a list of { name, cidr }' })
          .default([])
          .meta({ description: 'Its subnets.' }),
        groups: z.array(group, { error: 'a list of { name, adopt }' }).default([]).meta({
          description: 'Groups that take over an existing object. Other groups need no entry: naming one is enough.',
        }),
        ...terms(),
      },
      { error: 'a map' },
    ),
  })
  .meta({ title: 'Network', description: 'A network with its subnets, gateway and routes.' });
